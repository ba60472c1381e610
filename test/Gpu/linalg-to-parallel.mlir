// RUN: lispier-opt %s -lispier-linalg-to-parallel -split-input-file -verify-diagnostics | FileCheck %s

// A reduction over the first dimensions goes inside, so that one op is one launch.
// CHECK-LABEL: func @reduce_outer
// CHECK: scf.parallel (%[[COLUMN:.*]]) =
// CHECK-NEXT: scf.for
// CHECK-NEXT: scf.for
// CHECK: memref.load %{{.*}}[%[[COLUMN]]]
// CHECK: } {device.reduction}
// CHECK-NEXT: } {device.reduction}
func.func @reduce_outer(%a: memref<?x4x?xf32>, %c: memref<?xf32>) {
  linalg.reduce { arith.addf } ins(%a : memref<?x4x?xf32>) outs(%c : memref<?xf32>) dimensions = [0, 1]
  return
}

// -----

// The dimension that walks the last dimension of the output is the last parallel one, so that it becomes x.
// CHECK-LABEL: func @transpose
// CHECK: scf.parallel (%[[I:.*]], %[[J:.*]]) =
// CHECK: %[[V:.*]] = memref.load %{{.*}}[%[[J]], %[[I]]]
// CHECK: memref.store %[[V]], %{{.*}}[%[[I]], %[[J]]]
func.func @transpose(%a: memref<?x?xf32>, %c: memref<?x?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>],
                  iterator_types = ["parallel", "parallel"]}
    ins(%a : memref<?x?xf32>) outs(%c : memref<?x?xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  }
  return
}

// -----

// Without a parallel dimension the work still runs where the data is.
// CHECK-LABEL: func @total
// CHECK: scf.parallel (%{{.*}}) = (%c0{{.*}}) to (%c1{{.*}}) step
// CHECK-NEXT: scf.for
// CHECK-LABEL: func @scalar_fill
// CHECK: scf.parallel
// CHECK-NEXT: memref.store %{{.*}}[] : memref<f32>
func.func @total(%a: memref<64xf32>, %c: memref<f32>) {
  linalg.reduce { arith.addf } ins(%a : memref<64xf32>) outs(%c : memref<f32>) dimensions = [0]
  return
}
func.func @scalar_fill(%c: memref<f32>, %x: f32) {
  linalg.fill ins(%x : f32) outs(%c : memref<f32>)
  return
}

// -----

func.func @tensors(%a: tensor<4xf32>, %x: f32) -> tensor<4xf32> {
  // expected-error @below {{works on tensors; bufferize it before it becomes loops}}
  %r = linalg.fill ins(%x : f32) outs(%a : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
