// RUN: lispier-opt %s -pass-pipeline='builtin.module(func.func(lispier-fuse-elementwise),lispier-bufferize-tensors)' | FileCheck %s

// Two elementwise ops become one loop nest over one new buffer, which belongs to the caller.
// CHECK-LABEL: func.func @scale_and_shift(
// CHECK-SAME: memref<8xf32>) -> memref<8xf32>
// CHECK: %[[OUT:.*]] = memref.alloc() {alignment = 64 : i64, group.intermediate} : memref<8xf32>
// CHECK: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK-NOT: dealloc
// CHECK: return %[[OUT]]
#map = affine_map<(d0) -> (d0)>
func.func @scale_and_shift(%x: tensor<8xf32>) -> tensor<8xf32> {
  %two = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %m = arith.mulf %i, %two : f32
    linalg.yield %m : f32
  } -> tensor<8xf32>
  %b = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %m = arith.addf %i, %two : f32
    linalg.yield %m : f32
  } -> tensor<8xf32>
  return %b : tensor<8xf32>
}

// A tensor's memory is freed after its last use; memory that the program manages itself is left alone.
// CHECK-LABEL: func.func @caller(
// CHECK: %[[OWN:.*]] = memref.alloc() : memref<8xf32>
// CHECK: %[[RESULT:.*]] = call @scale_and_shift
// CHECK: %[[VALUE:.*]] = memref.load %[[RESULT]]
// CHECK: memref.dealloc %[[OWN]]
// CHECK: %[[BASE:[^,]*]],{{.*}} = memref.extract_strided_metadata %[[RESULT]]
// CHECK: memref.dealloc %[[BASE]]
// CHECK-NOT: memref.dealloc
// CHECK: return
func.func @caller(%x: tensor<8xf32>, %i: index) -> f32 {
  %c0 = arith.constant 0 : index
  %own = memref.alloc() : memref<8xf32>
  %y = call @scale_and_shift(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %v = tensor.extract %y[%c0] : tensor<8xf32>
  memref.store %v, %own[%i] : memref<8xf32>
  %w = memref.load %own[%c0] : memref<8xf32>
  memref.dealloc %own : memref<8xf32>
  return %w : f32
}

// Functions without tensors are not touched, even where they seem to leak.
// CHECK-LABEL: func.func @manual(
// CHECK: memref.alloc
// CHECK-NOT: dealloc
// CHECK: return
func.func @manual() -> memref<8xf32> {
  %m = memref.alloc() : memref<8xf32>
  return %m : memref<8xf32>
}

// What a call returns as a memref is the program's, and what it returns as a tensor is freed.
// CHECK-LABEL: func.func private @programs_own(
// CHECK-NEXT: %[[SUM:.*]] = memref.alloc()
// CHECK-NOT: memref.alloc
// CHECK: return %{{.*}}, %[[SUM]]
func.func private @programs_own(%m: memref<4xf32>) -> (memref<4xf32>, tensor<4xf32>) {
  %x = bufferization.to_tensor %m restrict : memref<4xf32> to tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %sum = linalg.add ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %m, %sum : memref<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @uses(
// CHECK: %[[R:.*]]:2 = call @programs_own
// CHECK-NOT: cf.assert
// CHECK: memref.dealloc %[[R]]#0
// CHECK: %[[BASE:[^,]*]],{{.*}} = memref.extract_strided_metadata %[[R]]#1
// CHECK: memref.dealloc %[[BASE]]
// CHECK-NOT: memref.dealloc
// CHECK: return
func.func @uses(%m: memref<4xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %r:2 = call @programs_own(%m) : (memref<4xf32>) -> (memref<4xf32>, tensor<4xf32>)
  %v = tensor.extract %r#1[%c0] : tensor<4xf32>
  memref.dealloc %r#0 : memref<4xf32>
  return %v : f32
}

// A part that lacks the second of two dimensions of size 1; MLIR would take a subview of lower rank to lack the first.
// CHECK-LABEL: func.func @unit_dimensions(
// CHECK: %[[PART:.*]] = memref.subview %{{.*}}[0, 0, %{{.*}}, 0] [1, 7, 1, %{{.*}}] {{.*}} to memref<1x7x1x?xf32, strided<[?, ?, ?, 1], offset: ?>>
// CHECK: memref.collapse_shape %[[PART]] {{\[\[}}0], [1, 2], [3]] : {{.*}} into memref<1x7x?xf32, strided<[?, ?, 1], offset: ?>>
func.func @unit_dimensions(%x: tensor<1x7x4x?xf32>, %i: index, %n: index) -> f32 {
  %part = tensor.extract_slice %x[0, 0, %i, 0] [1, 7, 1, %n] [1, 1, 1, 1] : tensor<1x7x4x?xf32> to tensor<1x7x?xf32>
  %zero = arith.constant 0 : index
  %v = tensor.extract %part[%zero, %i, %i] : tensor<1x7x?xf32>
  return %v : f32
}
