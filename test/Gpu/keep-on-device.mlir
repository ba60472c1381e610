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
