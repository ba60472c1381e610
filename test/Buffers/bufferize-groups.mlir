// RUN: lispier-opt %s -lispier-bufferize-tensors | FileCheck %s

#id = affine_map<(d0) -> (d0)>
#reverse = affine_map<(d0) -> (-d0 + 7)>

// A kernel's operands become memrefs and its results go; its body stays on tensors.
// CHECK-LABEL: func.func @scale(
// CHECK-SAME: %[[X:.*]]: memref<8xf32>) -> memref<8xf32>
// CHECK: %[[Y:.*]] = memref.alloc()
// CHECK: group.kernel "scale" kind(elementwise) ins(%[[X]] : memref<8xf32>) outs(%[[Y]] : memref<8xf32>) {
// CHECK: ^bb0(%{{.*}}: tensor<8xf32>, %{{.*}}: tensor<8xf32>):
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<8xf32>)
// CHECK: group.yield %{{.*}} : tensor<8xf32>
// CHECK-NEXT: }
// CHECK: return %[[Y]]
func.func @scale(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %y = group.kernel "scale" kind(elementwise) ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%xs: tensor<8xf32>, %o: tensor<8xf32>):
    %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%xs : tensor<8xf32>) outs(%o : tensor<8xf32>) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %a : f32
      linalg.yield %s : f32
    } -> tensor<8xf32>
    group.yield %r : tensor<8xf32>
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// A later op reads what `outs` held before, so that the kernel has memory of its own; which is not filled with the
// contents of `outs`, as the kernel does not read them.
// CHECK-LABEL: func.func @overwrites(
// CHECK: memref.alloc
// CHECK-NOT: memref.copy
// CHECK: return
func.func @overwrites(%x: tensor<8xf32> {bufferization.writable = true}, %i: index) -> f32 {
  %y = group.kernel "zero" kind(elementwise) outs(%x : tensor<8xf32>) {
  ^bb0(%o: tensor<8xf32>):
    %zero = arith.constant 0.0 : f32
    %r = linalg.fill ins(%zero : f32) outs(%o : tensor<8xf32>) -> tensor<8xf32>
    group.yield %r : tensor<8xf32>
  } -> tensor<8xf32>
  %v = tensor.extract %y[%i] : tensor<8xf32>
  %w = tensor.extract %x[%i] : tensor<8xf32>
  %s = arith.addf %v, %w : f32
  return %s : f32
}

// In place: each element is read before it is written.
// CHECK-LABEL: func.func @in_place(
// CHECK-SAME: %[[X:.*]]: memref<8xf32>
// CHECK-NOT: memref.copy
// CHECK: group.kernel "scale" kind(elementwise) ins(%[[X]] : memref<8xf32>) outs(%[[X]] : memref<8xf32>)
// CHECK-NOT: memref.copy
// CHECK: return
func.func @in_place(%x: tensor<8xf32> {bufferization.writable = true}, %i: index) -> f32 {
  %y = group.kernel "scale" kind(elementwise) ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>) {
  ^bb0(%xs: tensor<8xf32>, %o: tensor<8xf32>):
    %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%xs : tensor<8xf32>) outs(%o : tensor<8xf32>) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %a : f32
      linalg.yield %s : f32
    } -> tensor<8xf32>
    group.yield %r : tensor<8xf32>
  } -> tensor<8xf32>
  %v = tensor.extract %y[%i] : tensor<8xf32>
  return %v : f32
}

// Not in place: another element is read.
// CHECK-LABEL: func.func @reversed(
// CHECK-SAME: %[[X:.*]]: memref<8xf32>
// CHECK: %[[OTHER:.*]] = memref.alloc
// CHECK: group.kernel "reverse" kind(copy) ins(%[[X]] : memref<8xf32>) outs(%[[OTHER]] : memref<8xf32>)
func.func @reversed(%x: tensor<8xf32> {bufferization.writable = true}) -> tensor<8xf32> {
  %y = group.kernel "reverse" kind(copy) ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>) {
  ^bb0(%xs: tensor<8xf32>, %o: tensor<8xf32>):
    %r = linalg.generic {indexing_maps = [#reverse, #id], iterator_types = ["parallel"]} ins(%xs : tensor<8xf32>) outs(%o : tensor<8xf32>) {
    ^bb0(%a: f32, %b: f32):
      linalg.yield %a : f32
    } -> tensor<8xf32>
    group.yield %r : tensor<8xf32>
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}
