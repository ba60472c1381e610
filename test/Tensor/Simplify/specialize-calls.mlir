// RUN: lispier-opt %s -convert-elementwise-to-linalg -lispier-specialize-calls | FileCheck %s

// A private function has the numbers that each call gives alike, as constants.
// CHECK-LABEL: func.func private @scaled(
// CHECK-SAME: %{{.*}}: tensor<4xf32>, %[[N:.*]]: index, %[[M:.*]]: index)
// CHECK-DAG: %[[TWELVE:.*]] = arith.constant 12 : index
// CHECK: call @sizes(%[[TWELVE]], %[[M]])
func.func private @sizes(index, index)
func.func private @scaled(%x: tensor<4xf32>, %n: index, %m: index) -> tensor<4xf32> {
  call @sizes(%n, %m) : (index, index) -> ()
  %n12 = arith.constant 12 : index
  %y = call @scaled(%x, %n12, %m) : (tensor<4xf32>, index, index) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func @scales(%x: tensor<4xf32>) -> tensor<4xf32> {
  %n = arith.constant 12 : index
  %m = arith.constant 3 : index
  %y = call @scaled(%x, %n, %m) : (tensor<4xf32>, index, index) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// It has the sizes that all calls give, of tensors and of memory, and hands them on; its callers get those of results.
// CHECK-LABEL: func.func @gives(
// CHECK: call @takes({{.*}}) : (tensor<4x?xf32>, memref<8xf32>) -> tensor<4x?xf32>
func.func @gives(%a: tensor<4x3xf32>, %b: tensor<4x5xf32>, %m: memref<8xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %x = tensor.cast %a : tensor<4x3xf32> to tensor<?x?xf32>
  %y = tensor.cast %b : tensor<4x5xf32> to tensor<?x?xf32>
  %n = memref.cast %m : memref<8xf32> to memref<?xf32>
  %p = call @takes(%x, %n) : (tensor<?x?xf32>, memref<?xf32>) -> tensor<?x?xf32>
  %q = call @takes(%y, %n) : (tensor<?x?xf32>, memref<?xf32>) -> tensor<?x?xf32>
  return %p, %q : tensor<?x?xf32>, tensor<?x?xf32>
}
// CHECK-LABEL: func.func private @takes(
// CHECK-SAME: tensor<4x?xf32>, %{{.*}}: memref<8xf32>) -> tensor<4x?xf32>
// CHECK: call @last({{.*}}) : (tensor<4x?xf32>, memref<8xf32>) -> tensor<4x?xf32>
func.func private @takes(%x: tensor<?x?xf32>, %m: memref<?xf32>) -> tensor<?x?xf32> {
  %y = call @last(%x, %m) : (tensor<?x?xf32>, memref<?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
// CHECK-LABEL: func.func private @last(
// CHECK-SAME: tensor<4x?xf32>, %{{.*}}: memref<8xf32>) -> tensor<4x?xf32>
func.func private @last(%x: tensor<?x?xf32>, %m: memref<?xf32>) -> tensor<?x?xf32> {
  %y = math.exp %x : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// Other programs may call what is not private; what one call does not know no call gives.
// CHECK-LABEL: func.func @public(%{{.*}}: tensor<?xf32>) -> tensor<?xf32>
func.func @public(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = math.exp %x : tensor<?xf32>
  return %y : tensor<?xf32>
}
// CHECK-LABEL: func.func private @differs(%{{.*}}: tensor<?xf32>) -> tensor<?xf32>
func.func private @differs(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = math.exp %x : tensor<?xf32>
  return %y : tensor<?xf32>
}
func.func @calls(%a: tensor<4xf32>, %x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %y = tensor.cast %a : tensor<4xf32> to tensor<?xf32>
  %p = call @public(%y) : (tensor<?xf32>) -> tensor<?xf32>
  %q = call @differs(%y) : (tensor<?xf32>) -> tensor<?xf32>
  %r = call @differs(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %p, %q, %r : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// A loop carries the sizes of the first value, if the next one has those of the one before: what a function writes, is
// inserted into, is as large as, or is chosen of such values.
// CHECK-LABEL: func.func @loops(
// CHECK: scf.while {{.*}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK: ^bb0(%{{.*}}: tensor<4x8xf32>)
// CHECK: call @writes({{.*}}) : (tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK: scf.for {{.*}} -> (tensor<4x8xf32>)
func.func @loops(%a: tensor<4x8xf32>, %n: index, %go: i1, %row: tensor<1x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = tensor.cast %a : tensor<4x8xf32> to tensor<?x?xf32>
  %y = scf.while (%v = %x, %more = %go) : (tensor<?x?xf32>, i1) -> tensor<?x?xf32> {
    scf.condition(%more) %v : tensor<?x?xf32>
  } do {
  ^bb0(%v: tensor<?x?xf32>):
    %w = func.call @writes(%v) : (tensor<?x?xf32>) -> tensor<?x?xf32>
    %z = scf.for %i = %c0 to %n step %c1 iter_args(%u = %w) -> tensor<?x?xf32> {
      %width = tensor.dim %u, %c1 : tensor<?x?xf32>
      %height = tensor.dim %u, %c0 : tensor<?x?xf32>
      %inserted = tensor.insert_slice %row into %u[%i, 0] [1, %width] [1, 1] : tensor<1x?xf32> into tensor<?x?xf32>
      %empty = tensor.empty(%height, %width) : tensor<?x?xf32>
      %chosen = scf.if %go -> tensor<?x?xf32> {
        %e = linalg.exp ins(%inserted : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
        scf.yield %e : tensor<?x?xf32>
      } else {
        scf.yield %inserted : tensor<?x?xf32>
      }
      scf.yield %chosen : tensor<?x?xf32>
    }
    scf.yield %z, %go : tensor<?x?xf32>, i1
  }
  return %y : tensor<?x?xf32>
}
func.func private @writes(%x: tensor<?x?xf32> {group.inout}) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %y = tensor.insert %zero into %x[%c0, %c0] : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// A loop whose tensor grows carries one of any size.
// CHECK-LABEL: func.func @grows(
// CHECK: scf.for {{.*}} -> (tensor<?xf32>)
func.func @grows(%a: tensor<4xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = tensor.cast %a : tensor<4xf32> to tensor<?xf32>
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> tensor<?xf32> {
    %size = tensor.dim %v, %c0 : tensor<?xf32>
    %more = arith.addi %size, %c1 : index
    %empty = tensor.empty(%more) : tensor<?xf32>
    scf.yield %empty : tensor<?xf32>
  }
  return %y : tensor<?xf32>
}

// A gradient has the sizes of its argument, and so has the place that it is added to; the function is differentiated
// with these sizes.
// CHECK-LABEL: func.func @learns(
// CHECK: grad.call @loss({{.*}} : tensor<4xbf16>) wrt [0] into(%{{.*}} : tensor<4xf32>) -> tensor<f32>, tensor<4xf32>
// CHECK-LABEL: func.func private @loss(%{{.*}}: tensor<4xbf16>) -> tensor<f32>
func.func @learns(%w: tensor<4xbf16>, %d: tensor<4xf32>) -> tensor<?xf32> {
  %x = tensor.cast %w : tensor<4xbf16> to tensor<?xbf16>
  %into = tensor.cast %d : tensor<4xf32> to tensor<?xf32>
  %loss, %dw = grad.call @loss(%x : tensor<?xbf16>) wrt [0] into(%into : tensor<?xf32>) -> tensor<f32>, tensor<?xf32>
  return %dw : tensor<?xf32>
}
func.func private @loss(%x: tensor<?xbf16>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %s = linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> ()>], iterator_types = ["reduction"]} ins(%x : tensor<?xbf16>) outs(%z : tensor<f32>) {
  ^bb0(%i: bf16, %o: f32):
    %0 = arith.extf %i : bf16 to f32
    %1 = arith.addf %0, %o : f32
    linalg.yield %1 : f32
  } -> tensor<f32>
  return %s : tensor<f32>
}
