// RUN: lispier-opt %s -lispier-schedule-groups -canonicalize | FileCheck %s
// RUN: lispier-opt %s -lispier-schedule-groups -canonicalize | FileCheck %s --check-prefix=HOST

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#b_columns = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#query = affine_map<(h, m, n, k) -> (m, h, k)>
#key = affine_map<(h, m, n, k) -> (n, h, k)>
#score = affine_map<(h, m, n, k) -> (h, m, n)>

module attributes {device.target = "sim:sm_80"} {
  // Dimensions that all operands walk together are one; nothing is launched for no elements.
  // HOST-LABEL: func.func @flat(
  // HOST: %[[TILES:.*]] = arith.ceildivui %{{.*}}, %c4096
  // HOST: %[[SOME:.*]] = arith.cmpi ne, %[[TILES]], %c0
  // HOST: scf.if %[[SOME]] {
  // HOST: memref.collapse_shape %{{.*}} {{\[\[}}0, 1]] : memref<?x?xf32> into memref<?xf32>
  // HOST: gpu.launch_func @groups::@flat blocks in (%[[TILES]], %c1, %c1) threads in (%c1, %c1, %c1)
  func.func @flat(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %s: f32) {
    group.kernel "flat" kind(elementwise) ins(%x, %s : memref<?x?xf32>, f32) outs(%y : memref<?x?xf32>) {
    ^bb0(%a: tensor<?x?xf32>, %f: f32, %o: tensor<?x?xf32>):
      %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
          ins(%a : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) {
      ^bb0(%e: f32, %q: f32):
        %t = math.tanh %e : f32
        %u = arith.mulf %t, %f : f32
        linalg.yield %u : f32
      } -> tensor<?x?xf32>
      group.yield %r : tensor<?x?xf32>
    }
    return
  }

  // A view whose rows lie apart keeps its two dimensions; a value of each row is computed once for the row. Sizes of 1 go.
  // HOST-LABEL: func.func @apart(
  // HOST: memref.collapse_shape %{{.*}} {{\[\[}}0, 1]] : memref<8x1xf32> into memref<8xf32>
  // HOST-NOT: memref.collapse_shape
  // HOST: gpu.launch_func @groups::@apart
  func.func @apart(%x: memref<8x32xf32, strided<[64, 1]>>, %s: memref<8x1xf32>, %y: memref<8x32xf32>) {
    group.kernel "apart" kind(elementwise) ins(%x, %s : memref<8x32xf32, strided<[64, 1]>>, memref<8x1xf32>) outs(%y : memref<8x32xf32>) {
    ^bb0(%a: tensor<8x32xf32>, %f: tensor<8x1xf32>, %o: tensor<8x32xf32>):
      %g = tensor.collapse_shape %f [[0, 1]] : tensor<8x1xf32> into tensor<8xf32>
      %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
          ins(%a, %g : tensor<8x32xf32>, tensor<8xf32>) outs(%o : tensor<8x32xf32>) {
      ^bb0(%e: f32, %w: f32, %q: f32):
        %t = math.exp %w : f32
        %u = arith.mulf %t, %e : f32
        linalg.yield %u : f32
      } -> tensor<8x32xf32>
      group.yield %r : tensor<8x32xf32>
    }
    return
  }

  func.func @quotients(%x: memref<?x?xf32>, %s: memref<?xf32>, %y: memref<?x?xf32>) {
    group.kernel "quotients" kind(elementwise) ins(%x, %s : memref<?x?xf32>, memref<?xf32>) outs(%y : memref<?x?xf32>) {
    ^bb0(%a: tensor<?x?xf32>, %g: tensor<?xf32>, %o: tensor<?x?xf32>):
      %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
          ins(%a, %g : tensor<?x?xf32>, tensor<?xf32>) outs(%o : tensor<?x?xf32>) {
      ^bb0(%e: f32, %w: f32, %q: f32):
        %u = arith.divf %e, %w : f32
        linalg.yield %u : f32
      } -> tensor<?x?xf32>
      group.yield %r : tensor<?x?xf32>
    }
    return
  }

  func.func @transpose(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
    group.kernel "transpose" kind(copy) ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) {
    ^bb0(%a: tensor<?x?xf32>, %o: tensor<?x?xf32>):
      %r = linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]}
          ins(%a : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) {
      ^bb0(%e: f32, %q: f32):
        linalg.yield %e : f32
      } -> tensor<?x?xf32>
      group.yield %r : tensor<?x?xf32>
    }
    return
  }

  func.func @gather(%x: memref<?x?xf32>, %i: memref<?xi32>, %y: memref<?x?xf32>) {
    group.kernel "gather" kind(other) ins(%x, %i : memref<?x?xf32>, memref<?xi32>) outs(%y : memref<?x?xf32>) {
    ^bb0(%a: tensor<?x?xf32>, %ids: tensor<?xi32>, %o: tensor<?x?xf32>):
      %r = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]}
          ins(%ids : tensor<?xi32>) outs(%o : tensor<?x?xf32>) {
      ^bb0(%e: i32, %q: f32):
        %n = arith.index_cast %e : i32 to index
        %j = linalg.index 1 : index
        %v = tensor.extract %a[%n, %j] : tensor<?x?xf32>
        linalg.yield %v : f32
      } -> tensor<?x?xf32>
      group.yield %r : tensor<?x?xf32>
    }
    return
  }

  func.func @softmax(%x: memref<?x781xf32>, %y: memref<?x781xf32>) {
    group.kernel "softmax" kind(row) ins(%x : memref<?x781xf32>) outs(%y : memref<?x781xf32>) {
    ^bb0(%a: tensor<?x781xf32>, %o: tensor<?x781xf32>):
      %c0 = arith.constant 0 : index
      %low = arith.constant 0xFF800000 : f32
      %zero = arith.constant 0.0 : f32
      %n = tensor.dim %a, %c0 : tensor<?x781xf32>
      %er = tensor.empty(%n) : tensor<?xf32>
      %lows = linalg.fill ins(%low : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
      %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
          ins(%a : tensor<?x781xf32>) outs(%lows : tensor<?xf32>) {
      ^bb0(%e: f32, %q: f32):
        %u = arith.maximumf %e, %q : f32
        linalg.yield %u : f32
      } -> tensor<?xf32>
      %em = tensor.empty(%n) : tensor<?x781xf32>
      %d = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
          ins(%a, %m : tensor<?x781xf32>, tensor<?xf32>) outs(%em : tensor<?x781xf32>) {
      ^bb0(%e: f32, %g: f32, %q: f32):
        %u = arith.subf %e, %g : f32
        %v = math.exp %u : f32
        linalg.yield %v : f32
      } -> tensor<?x781xf32>
      %zeros = linalg.fill ins(%zero : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
      %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
          ins(%d : tensor<?x781xf32>) outs(%zeros : tensor<?xf32>) {
      ^bb0(%e: f32, %q: f32):
        %u = arith.addf %e, %q : f32
        linalg.yield %u : f32
      } -> tensor<?xf32>
      %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
          ins(%d, %s : tensor<?x781xf32>, tensor<?xf32>) outs(%o : tensor<?x781xf32>) {
      ^bb0(%e: f32, %g: f32, %q: f32):
        %u = arith.divf %e, %g : f32
        linalg.yield %u : f32
      } -> tensor<?x781xf32>
      group.yield %r : tensor<?x781xf32>
    }
    return
  }

  func.func @long(%x: memref<?x60000xf32>, %y: memref<?x60000xf32>) {
    group.kernel "long" kind(row) ins(%x : memref<?x60000xf32>) outs(%y : memref<?x60000xf32>) {
    ^bb0(%a: tensor<?x60000xf32>, %o: tensor<?x60000xf32>):
      %c0 = arith.constant 0 : index
      %low = arith.constant 0xFF800000 : f32
      %zero = arith.constant 0.0 : f32
      %n = tensor.dim %a, %c0 : tensor<?x60000xf32>
      %er = tensor.empty(%n) : tensor<?xf32>
      %lows = linalg.fill ins(%low : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
      %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
          ins(%a : tensor<?x60000xf32>) outs(%lows : tensor<?xf32>) {
      ^bb0(%e: f32, %q: f32):
        %u = arith.maximumf %e, %q : f32
        linalg.yield %u : f32
      } -> tensor<?xf32>
      %em = tensor.empty(%n) : tensor<?x60000xf32>
      %d = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
          ins(%a, %m : tensor<?x60000xf32>, tensor<?xf32>) outs(%em : tensor<?x60000xf32>) {
      ^bb0(%e: f32, %g: f32, %q: f32):
        %u = arith.subf %e, %g : f32
        %v = math.exp %u : f32
        linalg.yield %v : f32
      } -> tensor<?x60000xf32>
      %zeros = linalg.fill ins(%zero : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
      %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
          ins(%d : tensor<?x60000xf32>) outs(%zeros : tensor<?xf32>) {
      ^bb0(%e: f32, %q: f32):
        %u = arith.addf %e, %q : f32
        linalg.yield %u : f32
      } -> tensor<?xf32>
      %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
          ins(%d, %s : tensor<?x60000xf32>, tensor<?xf32>) outs(%o : tensor<?x60000xf32>) {
      ^bb0(%e: f32, %g: f32, %q: f32):
        %u = arith.divf %e, %g : f32
        linalg.yield %u : f32
      } -> tensor<?x60000xf32>
      group.yield %r : tensor<?x60000xf32>
    }
    return
  }

  // Where a call alone knows the columns, it takes one of a few programs.
  // HOST-LABEL: func.func @sums(
  // HOST: arith.cmpi ule, %{{.*}}, %c256
  // HOST: gpu.launch_func @groups::@sums_256
  // HOST: arith.cmpi ule, %{{.*}}, %c1024
  // HOST: gpu.launch_func @groups::@sums_1024
  // HOST: arith.cmpi ule, %{{.*}}, %c4096
  // HOST: gpu.launch_func @groups::@sums_4096
  // HOST: gpu.launch_func @groups::@sums blocks
  func.func @sums(%x: memref<?x?xf32>, %y: memref<?xf32>) {
    group.kernel "sums" kind(row) ins(%x : memref<?x?xf32>) outs(%y : memref<?xf32>) {
    ^bb0(%a: tensor<?x?xf32>, %o: tensor<?xf32>):
      %zero = arith.constant 0.0 : f32
      %zeros = linalg.fill ins(%zero : f32) outs(%o : tensor<?xf32>) -> tensor<?xf32>
      %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
          ins(%a : tensor<?x?xf32>) outs(%zeros : tensor<?xf32>) {
      ^bb0(%e: f32, %q: f32):
        %v = arith.mulf %e, %e : f32
        %u = arith.addf %v, %q : f32
        linalg.yield %u : f32
      } -> tensor<?xf32>
      group.yield %s : tensor<?xf32>
    }
    return
  }

  func.func @columns(%x: memref<?x?xf32>, %y: memref<?xf32>) {
    group.kernel "columns" kind(row) ins(%x : memref<?x?xf32>) outs(%y : memref<?xf32>) {
    ^bb0(%a: tensor<?x?xf32>, %o: tensor<?xf32>):
      %zero = arith.constant 0.0 : f32
      %zeros = linalg.fill ins(%zero : f32) outs(%o : tensor<?xf32>) -> tensor<?xf32>
      %s = linalg.generic {indexing_maps = [#id, #col], iterator_types = ["reduction", "parallel"]}
          ins(%a : tensor<?x?xf32>) outs(%zeros : tensor<?xf32>) {
      ^bb0(%e: f32, %q: f32):
        %u = arith.addf %e, %q : f32
        linalg.yield %u : f32
      } -> tensor<?xf32>
      group.yield %s : tensor<?xf32>
    }
    return
  }

  func.func @columns_of_b(%x: memref<4096x4096xf32>, %w: memref<4096x4096xf32>, %y: memref<4096x4096xf32>) {
    group.kernel "columns_of_b" kind(contraction) ins(%x, %w : memref<4096x4096xf32>, memref<4096x4096xf32>) outs(%y : memref<4096x4096xf32>) {
    ^bb0(%p: tensor<4096x4096xf32>, %q: tensor<4096x4096xf32>, %o: tensor<4096x4096xf32>):
      %zero = arith.constant 0.0 : f32
      %f = linalg.fill ins(%zero : f32) outs(%o : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
      %r = linalg.generic {indexing_maps = [#a, #b_columns, #c], iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%p, %q : tensor<4096x4096xf32>, tensor<4096x4096xf32>) outs(%f : tensor<4096x4096xf32>) {
      ^bb0(%e: f32, %g: f32, %s: f32):
        %t = arith.mulf %e, %g : f32
        %u = arith.addf %s, %t : f32
        linalg.yield %u : f32
      } -> tensor<4096x4096xf32>
      group.yield %r : tensor<4096x4096xf32>
    }
    return
  }

  func.func @linear(%x: memref<512x90xbf16>, %w: memref<1024x90xbf16>, %b: memref<1024xf32>, %y: memref<512x1024xbf16>) {
    group.kernel "linear" kind(contraction) ins(%x, %w, %b : memref<512x90xbf16>, memref<1024x90xbf16>, memref<1024xf32>) outs(%y : memref<512x1024xbf16>) {
    ^bb0(%a: tensor<512x90xbf16>, %ws: tensor<1024x90xbf16>, %bs: tensor<1024xf32>, %o: tensor<512x1024xbf16>):
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<512x1024xf32>
      %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<512x1024xf32>) -> tensor<512x1024xf32>
      %p = linalg.contract indexing_maps = [#a, #b, #c] ins(%a, %ws : tensor<512x90xbf16>, tensor<1024x90xbf16>)
          outs(%zeros : tensor<512x1024xf32>) -> tensor<512x1024xf32>
      %r = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]}
          ins(%p, %bs : tensor<512x1024xf32>, tensor<1024xf32>) outs(%o : tensor<512x1024xbf16>) {
      ^bb0(%s: f32, %g: f32, %q: bf16):
        %u = arith.addf %s, %g : f32
        %v = arith.truncf %u : f32 to bf16
        linalg.yield %v : bf16
      } -> tensor<512x1024xbf16>
      group.yield %r : tensor<512x1024xbf16>
    }
    return
  }

  // Heads in the middle: a tile has one, which comes first in views of the operands.
  // HOST-LABEL: func.func @heads(
  // HOST-DAG: memref.transpose %{{.*}} (d0, d1, d2) -> (d1, d0, d2) : memref<128x4x64xbf16> to memref<4x128x64xbf16, strided<[64, 256, 1]>>
  // HOST: gpu.launch_func @groups::@heads blocks in (%c16, %c1, %c1)
  func.func @heads(%x: memref<128x4x64xbf16>, %w: memref<128x4x64xbf16>, %y: memref<4x128x128xf32>) {
    group.kernel "heads" kind(contraction) ins(%x, %w : memref<128x4x64xbf16>, memref<128x4x64xbf16>) outs(%y : memref<4x128x128xf32>) {
    ^bb0(%a: tensor<128x4x64xbf16>, %b: tensor<128x4x64xbf16>, %o: tensor<4x128x128xf32>):
      %zero = arith.constant 0.0 : f32
      %zeros = linalg.fill ins(%zero : f32) outs(%o : tensor<4x128x128xf32>) -> tensor<4x128x128xf32>
      %p = linalg.contract indexing_maps = [#query, #key, #score] ins(%a, %b : tensor<128x4x64xbf16>, tensor<128x4x64xbf16>)
          outs(%zeros : tensor<4x128x128xf32>) -> tensor<4x128x128xf32>
      group.yield %p : tensor<4x128x128xf32>
    }
    return
  }

  // One row: no product of tiles, but sums of rows.
  func.func @one_row(%x: memref<1x768xbf16>, %w: memref<1024x768xbf16>, %y: memref<1x1024xf32>) {
    group.kernel "one_row" kind(contraction) ins(%x, %w : memref<1x768xbf16>, memref<1024x768xbf16>) outs(%y : memref<1x1024xf32>) {
    ^bb0(%a: tensor<1x768xbf16>, %ws: tensor<1024x768xbf16>, %o: tensor<1x1024xf32>):
      %zero = arith.constant 0.0 : f32
      %zeros = linalg.fill ins(%zero : f32) outs(%o : tensor<1x1024xf32>) -> tensor<1x1024xf32>
      %p = linalg.contract indexing_maps = [#a, #b, #c] ins(%a, %ws : tensor<1x768xbf16>, tensor<1024x768xbf16>)
          outs(%zeros : tensor<1x1024xf32>) -> tensor<1x1024xf32>
      group.yield %p : tensor<1x1024xf32>
    }
    return
  }

  // A size that no memref has is a parameter.
  // HOST-LABEL: func.func @counted(
  // HOST: arith.cmpi ule, %[[N:.*]], %c256
  // HOST: gpu.launch_func @groups::@counted_256 {{.*}} args(%[[N]] : index, %{{.*}} : memref<?xi32>)
  func.func @counted(%n: index, %y: memref<?xi32>) {
    group.kernel "counted" kind(row) ins(%n : index) outs(%y : memref<?xi32>) {
    ^bb0(%k: index, %o: tensor<?xi32>):
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0 : i32
      %m = tensor.dim %o, %c0 : tensor<?xi32>
      %e = tensor.empty(%m, %k) : tensor<?x?xi32>
      %i = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x?xi32>) {
      ^bb0(%q: i32):
        %j = linalg.index 1 : index
        %v = arith.index_cast %j : index to i32
        linalg.yield %v : i32
      } -> tensor<?x?xi32>
      %zeros = linalg.fill ins(%zero : i32) outs(%o : tensor<?xi32>) -> tensor<?xi32>
      %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
          ins(%i : tensor<?x?xi32>) outs(%zeros : tensor<?xi32>) {
      ^bb0(%v: i32, %q: i32):
        %u = arith.addi %v, %q : i32
        linalg.yield %u : i32
      } -> tensor<?xi32>
      group.yield %s : tensor<?xi32>
    }
    return
  }

  // HOST-LABEL: func.func @padded(
  // HOST: group.kernel "padded" {{.*}} attributes {group.unscheduled = "no rule makes tiles of `tensor.pad`"}
  func.func @padded(%x: memref<?xf32>, %y: memref<?xf32>) {
    group.kernel "padded" kind(copy) ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) {
    ^bb0(%a: tensor<?xf32>, %o: tensor<?xf32>):
      %zero = arith.constant 0.0 : f32
      %r = tensor.pad %a low[1] high[1] {
      ^bb0(%i: index):
        tensor.yield %zero : f32
      } : tensor<?xf32> to tensor<?xf32>
      group.yield %r : tensor<?xf32>
    }
    return
  }

  // A dimension of size 1 between two others does not make them one where memory has a gap.
  // HOST-LABEL: func.func @gap(
  // HOST: memref.collapse_shape %{{.*}} {{\[\[}}0, 1], [2]] : memref<2x1x4xf32, strided<[24, 4, 1]>> into memref<2x4xf32, strided<[24, 1]>>
  func.func @gap(%x: memref<2x1x4xf32>, %y: memref<2x1x4xf32, strided<[24, 4, 1]>>) {
    group.kernel "gap" kind(copy) ins(%x : memref<2x1x4xf32>) outs(%y : memref<2x1x4xf32, strided<[24, 4, 1]>>) {
    ^bb0(%a: tensor<2x1x4xf32>, %o: tensor<2x1x4xf32>):
      %r = linalg.generic {indexing_maps = [affine_map<(h, t, d) -> (h, t, d)>, affine_map<(h, t, d) -> (h, t, d)>],
          iterator_types = ["parallel", "parallel", "parallel"]} ins(%a : tensor<2x1x4xf32>) outs(%o : tensor<2x1x4xf32>) {
      ^bb0(%e: f32, %q: f32):
        linalg.yield %e : f32
      } -> tensor<2x1x4xf32>
      group.yield %r : tensor<2x1x4xf32>
    }
    return
  }
}

// CHECK-LABEL: gpu.func @flat(%{{.*}}: memref<?xf32>, %{{.*}}: f32, %{{.*}}: memref<?xf32>) kernel attributes {tile.program = #tile.program<warps = 8>}
// CHECK: %[[AT:.*]] = arith.muli %{{.*}}, %c4096
// CHECK: %[[X:.*]] = vector.transfer_read %{{.*}}[%[[AT]]], %{{.*}} : memref<?xf32>, vector<4096xf32>
// CHECK: %[[T:.*]] = math.tanh %[[X]]
// CHECK: %[[R:.*]] = arith.mulf %[[T]], %{{.*}} : vector<4096xf32>
// CHECK: vector.transfer_write %[[R]], %{{.*}}[%[[AT]]]

// CHECK-LABEL: gpu.func @apart(
// CHECK: math.exp %{{.*}} : vector<8xf32>

// Tiles for short rows have several; those for others a part of one.
// CHECK-LABEL: gpu.func @quotients_64(
// CHECK: vector.transfer_read {{.*}} vector<16x64xf32>
// CHECK-LABEL: gpu.func @quotients_256(
// CHECK: vector.transfer_read {{.*}} vector<16x256xf32>
// One reciprocal for a row; the quotients are rounded as a division would.
// CHECK-LABEL: gpu.func @quotients(
// CHECK: vector.transfer_read {{.*}} vector<1024xf32>
// CHECK: %[[ONE:.*]] = arith.divf %{{.*}} : f32
// CHECK: %[[R:.*]] = vector.broadcast %[[ONE]]
// CHECK: %[[P:.*]] = arith.mulf %[[X:.*]], %[[R]]
// CHECK: %[[REST:.*]] = math.fma %{{.*}}, %[[P]], %[[X]]
// CHECK: %[[Q:.*]] = math.fma %[[REST]], %[[R]], %[[P]]
// CHECK: %[[ORD:.*]] = arith.cmpf ord, %[[Q]], %[[Q]]
// CHECK: arith.select %[[ORD]], %[[Q]], %[[P]]

// Both sides in contiguous accesses of 64 elements.
// CHECK-LABEL: gpu.func @transpose(
// CHECK: %[[X:.*]] = vector.transfer_read %{{.*}}[%[[J:.*]], %[[I:.*]]], %{{.*}} : memref<?x?xf32>, vector<64x64xf32>
// CHECK: %[[T:.*]] = vector.transpose %[[X]], [1, 0]
// CHECK: vector.transfer_write %[[T]], %{{.*}}[%[[I]], %[[J]]]

// CHECK-LABEL: gpu.func @gather(
// CHECK: %[[N:.*]] = arith.index_cast %{{.*}} : i32 to index
// CHECK: vector.transfer_read %{{.*}}[%[[N]], %{{.*}}], %{{.*}} : memref<?x?xf32>, vector<1x1024xf32>

// A row is read once; what is past its end does not count in the maximum, nor in the sum.
// CHECK-LABEL: gpu.func @softmax(
// CHECK-DAG: %[[LOW:.*]] = arith.constant 0xFF800000 : f32
// CHECK-DAG: %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : vector<4x896xf32>
// CHECK: %[[X:.*]] = vector.transfer_read %{{.*}}[%{{.*}}, %c0], %[[LOW]] : memref<?x781xf32>, vector<4x896xf32>
// CHECK: vector.multi_reduction <maximumf>, %[[X]], %{{.*}} [1] : vector<4x896xf32> to vector<4xf32>
// CHECK: %[[E:.*]] = math.exp
// CHECK: %[[IN:.*]] = vector.constant_mask [781] : vector<896xi1>
// CHECK: %[[INSIDE:.*]] = vector.broadcast %[[IN]]
// CHECK: %[[S:.*]] = arith.select %[[INSIDE]], %[[E]], %[[ZEROS]]
// CHECK: vector.multi_reduction <add>, %[[S]]
// CHECK-NOT: vector.transfer_read
// CHECK: vector.transfer_write

// Of a row that is no tile the maximum and the sum are made in one pass, and the pass that follows begins with the tile
// that is known from it; quotients by reciprocals of a row.
// CHECK-LABEL: gpu.func @long(
// CHECK: %[[FIRST:.*]] = vector.transfer_read
// CHECK: %[[L:.*]]:3 = scf.for %{{.*}} iter_args(%[[M:.*]] = %{{.*}}, %[[S:.*]] = %{{.*}}, %[[X:.*]] = %[[FIRST]])
// CHECK: %[[MAX:.*]] = vector.multi_reduction <maximumf>, %[[X]], %[[M]] [0]
// CHECK: %[[LESS:.*]] = arith.subf %[[M]], %[[MAX]] : f32
// CHECK: %[[SHRINK:.*]] = math.exp %[[LESS]] : f32
// CHECK: %[[WIDE:.*]] = vector.broadcast %[[SHRINK]]
// CHECK: %[[SMALL:.*]] = arith.mulf %[[S]], %[[WIDE]]
// CHECK: %[[SUM:.*]] = arith.addf %[[SMALL]]
// CHECK: scf.yield %[[MAX]], %[[SUM]]
// CHECK: %[[TOTAL:.*]] = vector.multi_reduction <add>, %[[L]]#1
// CHECK-NOT: vector.transfer_read
// CHECK: scf.for %{{.*}} iter_args(%{{.*}} = %[[FIRST]])
// CHECK-NOT: scf.for
// CHECK: arith.divf %{{.*}}, %[[TOTAL]] : f32
// CHECK: gpu.return

// CHECK-LABEL: gpu.func @sums_256(
// CHECK: vector<4x256xf32>
// CHECK-LABEL: gpu.func @sums_1024(
// CHECK: vector<2x1024xf32>
// CHECK-LABEL: gpu.func @sums_4096(
// CHECK: vector<4096xf32>
// A long row: threads add what they have, and meet behind the loop; the next chunk is read while one is added.
// CHECK-LABEL: gpu.func @sums(
// CHECK: %[[FIRST:.*]] = vector.transfer_read %{{.*}}[%{{.*}}, %c0]
// CHECK: %[[L:.*]]:2 = scf.for %[[K:.*]] = %c0 to %{{.*}} step %c10240 iter_args(%[[SUM:.*]] = %{{.*}}, %[[NOW:.*]] = %[[FIRST]])
// CHECK: %[[LATER:.*]] = arith.addi %[[K]], %c10240
// CHECK: %[[NEXT:.*]] = vector.transfer_read %{{.*}}[%{{.*}}, %[[LATER]]]
// CHECK: arith.mulf %[[NOW]], %[[NOW]]
// CHECK: scf.yield %{{.*}}, %[[NEXT]]
// CHECK: vector.multi_reduction <add>, %[[L]]#0, %{{.*}} [0] : vector<10240xf32> to f32

// CHECK-LABEL: gpu.func @columns(
// CHECK: scf.for {{.*}} step %c128
// CHECK: vector.transfer_read {{.*}} vector<128x32xf32>
// CHECK: vector.multi_reduction <add>, {{.*}} [0] : vector<128x32xf32> to vector<32xf32>

// Without matrix instructions for its type: larger tiles where rows of b are copied as they are.
// CHECK-LABEL: gpu.func @columns_of_b(
// CHECK-SAME: tile.program = #tile.program<stages = 2>
// CHECK: vector.contract {{.*}} : vector<128x16xf32>, vector<16x64xf32> into vector<128x64xf32>

// Reads past the end of the summed dimension are zeros; the bias is added where the sums are. 128 tiles of 64 x 64 would
// be more than this chip has multiprocessors.
// CHECK-LABEL: gpu.func @linear(
// CHECK-SAME: tile.program = #tile.program<stages = 3>
// CHECK: %[[SUMS:.*]] = scf.for %[[K:.*]] = %c0 to %c90 step %c32
// CHECK: %[[A:.*]] = vector.transfer_read %{{.*}}[%[[I:.*]], %[[K]]], %{{.*}} {in_bounds = [true, false]} : memref<512x90xbf16>, vector<128x32xbf16>
// CHECK: %[[B:.*]] = vector.transfer_read %{{.*}}[%[[J:.*]], %[[K]]], %{{.*}} {in_bounds = [true, false]} : memref<1024x90xbf16>, vector<128x32xbf16>
// CHECK: vector.contract {{.*}} %[[A]], %[[B]], %{{.*}} into vector<128x128xf32>
// CHECK: %[[BIAS:.*]] = vector.transfer_read %{{.*}}[%[[J]]]
// CHECK: %[[WIDE:.*]] = vector.broadcast %[[BIAS]]
// CHECK: arith.addf %[[SUMS]], %[[WIDE]]
// CHECK: vector.transfer_write %{{.*}}[%[[I]], %[[J]]] {in_bounds = [true, true]} : vector<128x128xbf16>

// CHECK-LABEL: gpu.func @heads(
// CHECK: vector.transfer_read %{{.*}}[%[[H:.*]], %{{.*}}, %{{.*}}], {{.*}} : memref<4x128x64xbf16, strided<[64, 256, 1]>>, vector<64x32xbf16>
// CHECK: vector.transfer_write %{{.*}}[%[[H]],

// CHECK-LABEL: gpu.func @one_row(
// CHECK-NOT: vector.contract
// CHECK: vector.multi_reduction <add>, %{{.*}} [1] : vector<4x768xf32> to vector<4xf32>
