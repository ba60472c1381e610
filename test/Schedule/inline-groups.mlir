// RUN: lispier-opt %s -lispier-inline-groups | FileCheck %s

#id = affine_map<(r, c) -> (r, c)>
#row = affine_map<(r, c) -> (r)>

// The exponentials lie in the result's memory, which the last op divides in place; the sums in memory that is freed.
// CHECK-LABEL: func.func @softmax(
// CHECK-SAME: %[[X:.*]]: memref<4x8xf32>, %[[Y:.*]]: memref<4x8xf32>
// CHECK: %[[SUMS:.*]] = memref.alloc() {{.*}} : memref<4xf32>
// CHECK-NOT: memref.alloc
// CHECK: linalg.generic {{.*}} ins(%[[X]] : memref<4x8xf32>) outs(%[[Y]] : memref<4x8xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[Y]] : memref<4x8xf32>) outs(%[[SUMS]] : memref<4xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[Y]], %[[SUMS]] : memref<4x8xf32>, memref<4xf32>) outs(%[[Y]] : memref<4x8xf32>)
// CHECK: memref.dealloc %[[SUMS]]
// CHECK-NOT: memref.copy
// CHECK: return
func.func @softmax(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  group.kernel "softmax" kind(row) ins(%x : memref<4x8xf32>) outs(%y : memref<4x8xf32>) {
  ^bb0(%xs: tensor<4x8xf32>, %out: tensor<4x8xf32>):
    %zero = arith.constant 0.0 : f32
    %e1 = tensor.empty() : tensor<4xf32>
    %e2 = tensor.empty() : tensor<4x8xf32>
    %e = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%xs : tensor<4x8xf32>) outs(%e2 : tensor<4x8xf32>) {
    ^bb0(%i: f32, %o: f32):
      %0 = math.exp %i : f32
      linalg.yield %0 : f32 } -> tensor<4x8xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
    %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%e : tensor<4x8xf32>) outs(%z : tensor<4xf32>) {
    ^bb0(%i: f32, %o: f32):
      %0 = arith.addf %i, %o : f32
      linalg.yield %0 : f32 } -> tensor<4xf32>
    %d = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%e, %s : tensor<4x8xf32>, tensor<4xf32>) outs(%out : tensor<4x8xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %0 = arith.divf %i, %j : f32
      linalg.yield %0 : f32 } -> tensor<4x8xf32>
    group.yield %d : tensor<4x8xf32>
  }
  return
}

// Not in the result's memory: the transposed value is read where it is not written.
// CHECK-LABEL: func.func @transposed(
// CHECK: %[[OWN:.*]] = memref.alloc() {{.*}} : memref<8x8xf32>
// CHECK: memref.dealloc %[[OWN]]
func.func @transposed(%x: memref<8x8xf32>, %y: memref<8x8xf32>) {
  group.kernel "transposed" kind(elementwise) ins(%x : memref<8x8xf32>) outs(%y : memref<8x8xf32>) {
  ^bb0(%xs: tensor<8x8xf32>, %out: tensor<8x8xf32>):
    %e2 = tensor.empty() : tensor<8x8xf32>
    %e = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%xs : tensor<8x8xf32>) outs(%e2 : tensor<8x8xf32>) {
    ^bb0(%i: f32, %o: f32):
      %0 = math.exp %i : f32
      linalg.yield %0 : f32 } -> tensor<8x8xf32>
    %d = linalg.generic {indexing_maps = [affine_map<(r, c) -> (c, r)>, #id], iterator_types = ["parallel", "parallel"]} ins(%e : tensor<8x8xf32>) outs(%out : tensor<8x8xf32>) {
    ^bb0(%i: f32, %o: f32):
      %0 = arith.addf %i, %i : f32
      linalg.yield %0 : f32 } -> tensor<8x8xf32>
    group.yield %d : tensor<8x8xf32>
  }
  return
}

// Not in the result's memory, which holds what the last op reads: sums are added to what is there.
// CHECK-LABEL: func.func @added(
// CHECK-SAME: %[[X:[^:]*]]: memref<2x8xf32>, %[[Y:[^:]*]]: memref<8xf32>)
// CHECK: %[[SUMS:.*]] = memref.alloc() {{.*}} : memref<8xf32>
// CHECK: linalg.fill {{.*}} outs(%[[SUMS]]
// CHECK: linalg.generic {{.*}} ins(%[[X]] {{.*}} outs(%[[SUMS]]
// CHECK: linalg.generic {{.*}} ins(%[[Y]], %[[SUMS]] {{.*}} outs(%[[Y]]
// CHECK: return
func.func @added(%x: memref<2x8xf32>, %y: memref<8xf32>) {
  group.kernel "added" kind(row) ins(%x, %y : memref<2x8xf32>, memref<8xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%xs: tensor<2x8xf32>, %old: tensor<8xf32>, %out: tensor<8xf32>):
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<8xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %s = linalg.generic {indexing_maps = [#id, affine_map<(r, c) -> (c)>], iterator_types = ["reduction", "parallel"]} ins(%xs : tensor<2x8xf32>) outs(%z : tensor<8xf32>) {
    ^bb0(%i: f32, %o: f32):
      %0 = arith.addf %i, %o : f32
      linalg.yield %0 : f32 } -> tensor<8xf32>
    %d = linalg.generic {indexing_maps = [affine_map<(c) -> (c)>, affine_map<(c) -> (c)>, affine_map<(c) -> (c)>], iterator_types = ["parallel"]} ins(%old, %s : tensor<8xf32>, tensor<8xf32>) outs(%out : tensor<8xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %0 = arith.addf %i, %j : f32
      linalg.yield %0 : f32 } -> tensor<8xf32>
    group.yield %d : tensor<8xf32>
  }
  return
}

// Two sums that begin alike are each in the memory of their result.
// CHECK-LABEL: func.func @beginnings(
// CHECK-SAME: %[[X:[^:]*]]: memref<4x8xf32>, %[[Y:[^:]*]]: memref<8xf32>, %[[Z:[^:]*]]: memref<8xf32>)
// CHECK-NOT: memref.copy
// CHECK-DAG: linalg.generic {{.*}} ins(%[[X]] {{.*}} outs(%[[Y]]
// CHECK-DAG: linalg.generic {{.*}} ins(%[[X]] {{.*}} outs(%[[Z]]
// CHECK-NOT: memref.copy
// CHECK: return
func.func @beginnings(%x: memref<4x8xf32>, %y: memref<8xf32>, %z: memref<8xf32>) {
  group.kernel "beginnings" kind(row) ins(%x : memref<4x8xf32>) outs(%y, %z : memref<8xf32>, memref<8xf32>) {
  ^bb0(%xs: tensor<4x8xf32>, %a: tensor<8xf32>, %b: tensor<8xf32>):
    %zero = arith.constant 0.0 : f32
    %f = linalg.fill ins(%zero : f32) outs(%a : tensor<8xf32>) -> tensor<8xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (c)>], iterator_types = ["reduction", "parallel"]} ins(%xs : tensor<4x8xf32>) outs(%f : tensor<8xf32>) {
    ^bb0(%i: f32, %o: f32):
      %0 = arith.addf %i, %o : f32
      linalg.yield %0 : f32 } -> tensor<8xf32>
    %m = linalg.generic {indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (c)>], iterator_types = ["reduction", "parallel"]} ins(%xs : tensor<4x8xf32>) outs(%f : tensor<8xf32>) {
    ^bb0(%i: f32, %o: f32):
      %1 = arith.mulf %i, %i : f32
      %0 = arith.addf %1, %o : f32
      linalg.yield %0 : f32 } -> tensor<8xf32>
    group.yield %s, %m : tensor<8xf32>, tensor<8xf32>
  }
  return
}

// A product adds up in the memory of the result, which the op behind it changes in place.
// CHECK-LABEL: func.func @product(
// CHECK-SAME: %[[A:[^:]*]]: memref<4x4xf32>, %[[Y:[^:]*]]: memref<4x4xf32>)
// CHECK-NOT: memref.alloc
// CHECK: linalg.fill {{.*}} outs(%[[Y]]
// CHECK: linalg.matmul {{.*}} outs(%[[Y]]
// CHECK: linalg.generic {{.*}} ins(%[[Y]] {{.*}} outs(%[[Y]]
// CHECK-NOT: memref.copy
// CHECK: return
func.func @product(%a: memref<4x4xf32>, %y: memref<4x4xf32>) {
  group.kernel "product" kind(contraction) ins(%a : memref<4x4xf32>) outs(%y : memref<4x4xf32>) {
  ^bb0(%as: tensor<4x4xf32>, %out: tensor<4x4xf32>):
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<4x4xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
    %p = linalg.matmul ins(%as, %as : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
    %d = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<4x4xf32>) outs(%out : tensor<4x4xf32>) {
    ^bb0(%i: f32, %o: f32):
      %0 = math.tanh %i : f32
      linalg.yield %0 : f32 } -> tensor<4x4xf32>
    group.yield %d : tensor<4x4xf32>
  }
  return
}

// Rows of a table by number: a loop over them, in which the row is an operand, so that it can be read by vectors.
// CHECK-LABEL: func.func @rows(
// CHECK: scf.parallel (%[[T:.*]]) =
// CHECK: %[[NUMBER:.*]] = memref.load %arg1[%[[T]]]
// CHECK: %[[PLACE:.*]] = arith.index_cast %[[NUMBER]]
// CHECK: %[[ROW:.*]] = memref.subview %arg0[%[[PLACE]], 0] [1, %{{.*}}] [1, 1] : memref<?x?xf32> to memref<?xf32, strided<[1], offset: ?>>
// CHECK: %[[OUT:.*]] = memref.subview %arg2[%[[T]], 0]
// CHECK: linalg.generic {{.*}} ins(%[[ROW]] : {{.*}}) outs(%[[OUT]]
func.func @rows(%table: memref<?x?xf32>, %numbers: memref<?xi32>, %out: memref<?x?xf32>) {
  group.kernel "rows_0" kind(elementwise) ins(%table, %numbers : memref<?x?xf32>, memref<?xi32>) outs(%out : memref<?x?xf32>) {
  ^bb0(%t: tensor<?x?xf32>, %n: tensor<?xi32>, %o: tensor<?x?xf32>):
    %r = linalg.generic {indexing_maps = [affine_map<(t, c) -> (t)>, affine_map<(t, c) -> (t, c)>], iterator_types = ["parallel", "parallel"]} ins(%n : tensor<?xi32>) outs(%o : tensor<?x?xf32>) {
    ^bb0(%number: i32, %old: f32):
      %c = linalg.index 1 : index
      %row = arith.index_cast %number : i32 to index
      %e = tensor.extract %t[%row, %c] : tensor<?x?xf32>
      %twice = arith.addf %e, %e : f32
      linalg.yield %twice : f32
    } -> tensor<?x?xf32>
    group.yield %r : tensor<?x?xf32>
  }
  return
}

// On a CPU a scan stays an op, on memrefs. Without a schedule of a GPU it is a loop over slices, which are combined with
// those before them.
// CHECK-LABEL: func.func @scan(
// CHECK-SAME: %[[X:.*]]: memref<4x8xf32>, %[[Y:.*]]: memref<4x8xf32>
// CHECK-NOT: memref.alloc
// CHECK: group.scan <mul> %[[X]] along 1 from %{{.*}} reverse outs(%[[Y]] : memref<4x8xf32>) : memref<4x8xf32>
// CHECK-NEXT: return
// RUN: sed -n '/^func.func @[a-z_]*scan/,/^}/p' %s | sed -e '1i module attributes {device.target = "sim:sm_80"} {' -e '$a }' \
// RUN:   | lispier-opt -lispier-inline-groups | FileCheck %s --check-prefix=DEVICE
// DEVICE-LABEL: func.func @scan(
// DEVICE-SAME: %[[X:.*]]: memref<4x8xf32>, %[[Y:.*]]: memref<4x8xf32>
// DEVICE: scf.for %[[I:[^ ]*]] =
// DEVICE: %[[PLACE:.*]] = arith.subi %{{.*}}, %[[I]]
// DEVICE: memref.subview %[[X]][0, %[[PLACE]]] [4, 1]
// DEVICE: arith.mulf
// DEVICE: memref.subview %{{[^ ]*}}[0, %[[PLACE]]] [4, 1]
func.func @scan(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  group.kernel "scan" kind(scan) ins(%x : memref<4x8xf32>) outs(%y : memref<4x8xf32>) {
  ^bb0(%xs: tensor<4x8xf32>, %out: tensor<4x8xf32>):
    %one = arith.constant 1.0 : f32
    %s = group.scan <mul> %xs along 1 from %one reverse outs(%out : tensor<4x8xf32>) : tensor<4x8xf32> -> tensor<4x8xf32>
    group.yield %s : tensor<4x8xf32>
  }
  return
}

// An exclusive one stores what is combined so far before it combines more in the same memory.
// DEVICE-LABEL: func.func @exclusive_scan(
// DEVICE-SAME: %[[X:.*]]: memref<4x8xf32>, %[[Y:.*]]: memref<4x8xf32>
// DEVICE: scf.for %[[I:[^ ]*]] =
// DEVICE: memref.copy %[[SOFAR:[^,]*]], %{{.*}} : memref<4x1xf32
// DEVICE: linalg.generic {{.*}} outs(%[[SOFAR]] : memref<4x1xf32
func.func @exclusive_scan(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  group.kernel "scan" kind(scan) ins(%x : memref<4x8xf32>) outs(%y : memref<4x8xf32>) {
  ^bb0(%xs: tensor<4x8xf32>, %out: tensor<4x8xf32>):
    %zero = arith.constant 0.0 : f32
    %s = group.scan <add> %xs along 1 from %zero exclusive outs(%out : tensor<4x8xf32>) : tensor<4x8xf32> -> tensor<4x8xf32>
    group.yield %s : tensor<4x8xf32>
  }
  return
}
