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

// The halves of a tensor are put together by a kernel, and those of memory of the device; what is contiguous, and what is
// memory of the host, by a copy.
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
  // CHECK: linalg.copy
  %device = gpu.alloc (%n) : memref<?x32xf32>
  memref.copy %device, %left : memref<?x32xf32> to memref<?x32xf32, strided<[64, 1]>>
  return
}

// So are halves that a loop carries. A row of a tensor of rows is contiguous.
// CHECK-LABEL: func @carried
func.func @carried(%y: memref<8x64xf32>, %n: index) {
  %z = arith.constant 0 : index
  %o = arith.constant 1 : index
  %a = memref.alloc() {group.intermediate} : memref<8x32xf32>
  %b = memref.alloc() {group.intermediate} : memref<8x32xf32>
  %left = memref.subview %y[0, 0] [8, 32] [1, 1] : memref<8x64xf32> to memref<8x32xf32, strided<[64, 1]>>
  %0:2 = scf.for %i = %z to %n step %o iter_args(%c = %a, %d = %b) -> (memref<8x32xf32>, memref<8x32xf32>) {
    // CHECK: linalg.copy
    memref.copy %c, %left : memref<8x32xf32> to memref<8x32xf32, strided<[64, 1]>>
    // CHECK: memref.copy
    %row = memref.subview %c[%i, 0] [1, 32] [1, 1] : memref<8x32xf32> to memref<32xf32, strided<[1], offset: ?>>
    %other = memref.subview %d[%i, 0] [1, 32] [1, 1] : memref<8x32xf32> to memref<32xf32, strided<[1], offset: ?>>
    memref.copy %row, %other : memref<32xf32, strided<[1], offset: ?>> to memref<32xf32, strided<[1], offset: ?>>
    scf.yield %d, %c : memref<8x32xf32>, memref<8x32xf32>
  }
  // CHECK: linalg.copy
  memref.copy %0#1, %left : memref<8x32xf32> to memref<8x32xf32, strided<[64, 1]>>
  return
}
