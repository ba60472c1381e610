// RUN: lispier-opt %s -lispier-keep-on-device | FileCheck %s

// Alone it gets a loop of one iteration; inside a parallel loop it has its place.
// CHECK-LABEL: func @pick
// CHECK: scf.parallel (%{{.*}}) = (%c0{{.*}}) to (%c1{{.*}}) step
// CHECK-NEXT: nn.argmax
// CHECK: scf.parallel (%{{.*}}) = (%{{.*}}) to (%arg2)
// CHECK-NEXT: nn.argmax
// CHECK-NOT: scf.parallel
func.func @pick(%logits: memref<?xf32>, %token: memref<1xi32>, %n: index) {
  %z = arith.constant 0 : index
  %o = arith.constant 1 : index
  nn.argmax %logits into %token : memref<?xf32>, memref<1xi32>
  scf.parallel (%i) = (%z) to (%n) step (%o) {
    nn.argmax %logits into %token : memref<?xf32>, memref<1xi32>
  }
  return
}

// The halves of a tensor are put together by a kernel; what is contiguous, and what is not a tensor's, by a copy.
// CHECK-LABEL: func @halves
func.func @halves(%y: memref<?x64xf32>, %z: memref<?x32xf32>, %n: index) {
  %a = memref.alloc(%n) {group.intermediate} : memref<?x32xf32>
  %mine = memref.alloc(%n) : memref<?x32xf32>
  %left = memref.subview %y[0, 0] [%n, 32] [1, 1] : memref<?x64xf32> to memref<?x32xf32, strided<[64, 1]>>
  // CHECK: linalg.copy
  // CHECK-NEXT: memref.copy
  // CHECK-NEXT: memref.copy
  memref.copy %a, %left : memref<?x32xf32> to memref<?x32xf32, strided<[64, 1]>>
  memref.copy %a, %z : memref<?x32xf32> to memref<?x32xf32>
  memref.copy %mine, %left : memref<?x32xf32> to memref<?x32xf32, strided<[64, 1]>>
  return
}
