// RUN: lispier-opt %s -lispier-keep-read-values | FileCheck %s

// A write between the read and the use: what is read is copied at the read.
// CHECK-LABEL: func.func @written_between(
// CHECK: %[[READ:.*]] = bufferization.to_tensor
// CHECK-NEXT: %[[COPY:.*]] = bufferization.alloc_tensor() copy(%[[READ]])
// CHECK-NEXT: memref.store
// CHECK: tensor.extract %[[COPY]]
func.func @written_between(%m: memref<4xf32>, %e: f32, %i: index) -> f32 {
  %t = bufferization.to_tensor %m restrict : memref<4xf32> to tensor<4xf32>
  memref.store %e, %m[%i] : memref<4xf32>
  %old = tensor.extract %t[%i] : tensor<4xf32>
  return %old : f32
}

// Behind the last use, and before the read: no copy.
// CHECK-LABEL: func.func @written_elsewhere(
// CHECK-NOT: alloc_tensor
// CHECK: return
func.func @written_elsewhere(%m: memref<4xf32>, %e: f32, %i: index) -> f32 {
  memref.store %e, %m[%i] : memref<4xf32>
  %t = bufferization.to_tensor %m restrict : memref<4xf32> to tensor<4xf32>
  %old = tensor.extract %t[%i] : tensor<4xf32>
  memref.store %e, %m[%i] : memref<4xf32>
  return %old : f32
}

// Only the part that is used is copied.
// CHECK-LABEL: func.func @part(
// CHECK: %[[READ:.*]] = bufferization.to_tensor
// CHECK-NEXT: %[[PART:.*]] = tensor.extract_slice %[[READ]]
// CHECK-NEXT: bufferization.alloc_tensor() copy(%[[PART]]) : tensor<2xf32>
func.func @part(%m: memref<4xf32>, %e: f32, %i: index) -> f32 {
  %t = bufferization.to_tensor %m restrict : memref<4xf32> to tensor<4xf32>
  %part = tensor.extract_slice %t[1] [2] [1] : tensor<4xf32> to tensor<2xf32>
  memref.store %e, %m[%i] : memref<4xf32>
  %old = tensor.extract %part[%i] : tensor<2xf32>
  return %old : f32
}

// In a loop, the write of one iteration comes before the use in the next one, unless that reads again.
// CHECK-LABEL: func.func @next_iteration(
// CHECK: %[[READ:.*]] = bufferization.to_tensor
// CHECK-NEXT: bufferization.alloc_tensor() copy(%[[READ]])
// CHECK-NEXT: scf.for
// CHECK: bufferization.to_tensor
// CHECK-NOT: alloc_tensor
// CHECK: return
func.func @next_iteration(%m: memref<4xf32>, %i: index, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %t = bufferization.to_tensor %m restrict : memref<4xf32> to tensor<4xf32>
  scf.for %k = %zero to %n step %one {
    %u = bufferization.to_tensor %m restrict : memref<4xf32> to tensor<4xf32>
    %old = tensor.extract %t[%k] : tensor<4xf32>
    %now = tensor.extract %u[%k] : tensor<4xf32>
    %sum = arith.addf %old, %now : f32
    memref.store %sum, %m[%k] : memref<4xf32>
  }
  return
}

// Only one of two branches writes, and the other one has the use.
// CHECK-LABEL: func.func @branches(
// CHECK-NOT: alloc_tensor
// CHECK: return
func.func @branches(%m: memref<4xf32>, %e: f32, %i: index, %c: i1) -> f32 {
  %t = bufferization.to_tensor %m restrict : memref<4xf32> to tensor<4xf32>
  %r = scf.if %c -> f32 {
    memref.store %e, %m[%i] : memref<4xf32>
    scf.yield %e : f32
  } else {
    %old = tensor.extract %t[%i] : tensor<4xf32>
    scf.yield %old : f32
  }
  return %r : f32
}

// Two allocations do not overlap, two arguments may where nobody calls the function, and a view does.
// CHECK-LABEL: func.func @overlap(
// CHECK-COUNT-2: bufferization.alloc_tensor() copy
// CHECK-NOT: alloc_tensor
// CHECK: return
func.func @overlap(%a: memref<4xf32>, %b: memref<4xf32>, %e: f32, %i: index) -> (f32, f32, f32) {
  %m = memref.alloc() : memref<4xf32>
  %n = memref.alloc() : memref<4xf32>
  %of_a = bufferization.to_tensor %a restrict : memref<4xf32> to tensor<4xf32>
  %of_m = bufferization.to_tensor %m restrict : memref<4xf32> to tensor<4xf32>
  %of_n = bufferization.to_tensor %n restrict : memref<4xf32> to tensor<4xf32>
  %view = memref.subview %m[%i] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1], offset: ?>>
  memref.store %e, %b[%i] : memref<4xf32>
  memref.store %e, %view[%i] : memref<2xf32, strided<[1], offset: ?>>
  %x = tensor.extract %of_a[%i] : tensor<4xf32>
  %y = tensor.extract %of_m[%i] : tensor<4xf32>
  %z = tensor.extract %of_n[%i] : tensor<4xf32>
  return %x, %y, %z : f32, f32, f32
}

// Arguments are as the calls say, and a call writes what the callee writes.
// CHECK-LABEL: func.func private @called(
// CHECK-NOT: alloc_tensor
// CHECK: return
func.func private @called(%a: memref<4xf32>, %b: memref<4xf32>, %e: f32, %i: index) -> f32 {
  %t = bufferization.to_tensor %a restrict : memref<4xf32> to tensor<4xf32>
  memref.store %e, %b[%i] : memref<4xf32>
  %old = tensor.extract %t[%i] : tensor<4xf32>
  return %old : f32
}
func.func private @unknown(memref<4xf32>)
// CHECK-LABEL: func.func @caller(
// CHECK: %[[A:.*]] = bufferization.to_tensor
// CHECK-NEXT: %[[B:.*]] = bufferization.to_tensor
// CHECK-NEXT: bufferization.alloc_tensor() copy(%[[B]])
// CHECK-NOT: alloc_tensor
// CHECK: %[[C:.*]] = bufferization.to_tensor
// CHECK-NEXT: bufferization.alloc_tensor() copy(%[[C]])
func.func @caller(%e: f32, %i: index) -> (f32, f32, f32) {
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  %of_a = bufferization.to_tensor %a restrict : memref<4xf32> to tensor<4xf32>
  %of_b = bufferization.to_tensor %b restrict : memref<4xf32> to tensor<4xf32>
  %r = func.call @called(%a, %b, %e, %i) : (memref<4xf32>, memref<4xf32>, f32, index) -> f32
  %x = tensor.extract %of_a[%i] : tensor<4xf32>
  %y = tensor.extract %of_b[%i] : tensor<4xf32>
  %c = memref.alloc() : memref<4xf32>
  %of_c = bufferization.to_tensor %c restrict : memref<4xf32> to tensor<4xf32>
  func.call @unknown(%c) : (memref<4xf32>) -> ()
  %z = tensor.extract %of_c[%i] : tensor<4xf32>
  return %x, %y, %z : f32, f32, f32
}

// The memref is read before the store, where the tensor would already be made in it: the store is a copy. So it is if
// the memref is written while the tensor is in use.
// CHECK-LABEL: func.func @stored(
// CHECK: memref.copy
// CHECK: memref.copy
// CHECK-NOT: memref.copy
// CHECK: bufferization.materialize_in_destination
#map = affine_map<(d0) -> (d0)>
func.func @stored(%e: f32, %i: index) -> (f32, f32) {
  %m = memref.alloc() : memref<4xf32>
  %n = memref.alloc() : memref<4xf32>
  %o = memref.alloc() : memref<4xf32>
  %empty = tensor.empty() : tensor<4xf32>
  %first = linalg.fill ins(%e : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %old = memref.load %m[%i] : memref<4xf32>
  bufferization.materialize_in_destination %first in restrict writable %m : (tensor<4xf32>, memref<4xf32>) -> ()
  %second = linalg.fill ins(%e : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  bufferization.materialize_in_destination %second in restrict writable %n : (tensor<4xf32>, memref<4xf32>) -> ()
  memref.store %old, %n[%i] : memref<4xf32>
  %after = tensor.extract %second[%i] : tensor<4xf32>
  %third = linalg.fill ins(%e : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  bufferization.materialize_in_destination %third in restrict writable %o : (tensor<4xf32>, memref<4xf32>) -> ()
  return %old, %after : f32, f32
}
