// RUN: lispier-opt %s -lispier-long-vectors-to-linalg -canonicalize -cse | FileCheck %s
// LLVM alone takes seconds for these vectors.
// RUN: lispier --from=module --emit=asm %s -o %t.s

// Ops take the forms of tile programs: reads and writes of memory, sums, multiply-adds. What a loop carries has one
// buffer, which is too large for the stack.
// CHECK-LABEL: func.func @sums
// CHECK-NOT: vector<
// CHECK: memref.alloc() {{.*}} : memref<65536xf32>
// CHECK: scf.for
// CHECK: linalg.generic {{.*}} outs(%[[SUMS:[a-z0-9_]+]] : memref<65536xf32>)
// CHECK: math.exp
// CHECK: math.fma
// CHECK: linalg.copy ins(%[[SUMS]] :
// CHECK: iterator_types = ["reduction"]
// CHECK: arith.addf
// CHECK: iterator_types = ["reduction"]
// CHECK: arith.maximumf
// CHECK: memref.dealloc
// CHECK: return
func.func @sums(%x: memref<?xf32>, %y: memref<?xf32>, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : vector<65536xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> vector<65536xf32> {
    %v = vector.load %x[%i] : memref<?xf32>, vector<65536xf32>
    %e = math.exp %v : vector<65536xf32>
    %t = vector.fma %e, %v, %s : vector<65536xf32>
    scf.yield %t : vector<65536xf32>
  }
  vector.store %r, %y[%c0] : memref<?xf32>, vector<65536xf32>
  %sum = vector.reduction <add>, %r : vector<65536xf32> into f32
  %max = vector.reduction <maximumf>, %r : vector<65536xf32> into f32
  %d = arith.subf %max, %sum : f32
  return %d : f32
}

// Vectors that fit in registers stay there.
// CHECK-LABEL: func.func @short
// CHECK: arith.addf {{.*}} : vector<1024xf32>
func.func @short(%x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %v = vector.load %x[%c0] : memref<?xf32>, vector<1024xf32>
  %s = arith.addf %v, %v : vector<1024xf32>
  vector.store %s, %x[%c0] : memref<?xf32>, vector<1024xf32>
  return
}

// So does a function with an op that tile programs do not have, or with vectors in a parallel loop.
// CHECK-LABEL: func.func @shuffled
// CHECK: vector.shuffle
func.func @shuffled(%x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %v = vector.load %x[%c0] : memref<?xf32>, vector<2048xf32>
  %s = vector.shuffle %v, %v [1, 0] : vector<2048xf32>, vector<2048xf32>
  vector.store %s, %x[%c0] : memref<?xf32>, vector<2xf32>
  return
}

// CHECK-LABEL: func.func @parallel
// CHECK: vector.load
func.func @parallel(%x: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %v = vector.load %x[%i] : memref<?xf32>, vector<2048xf32>
    vector.store %v, %x[%c0] : memref<?xf32>, vector<2048xf32>
  }
  return
}
