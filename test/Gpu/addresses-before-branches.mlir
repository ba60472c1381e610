// RUN: lispier-opt %s -lispier-addresses-before-branches -split-input-file | FileCheck %s

// Two elements of one row under tests of their own: the row's address is computed once, before the branches.
// CHECK-LABEL: gpu.func @row
// CHECK-SAME: %[[MEMORY:.*]]: memref<f32>, %[[OFFSET:.*]]: index, %[[N:.*]]: index, %[[STRIDE:.*]]: index, %[[I:.*]]: index, %[[J:.*]]: index,
// CHECK: %[[IN_ROWS:.*]] = arith.muli %[[I]], %[[STRIDE]] : index
// CHECK: %[[ROW:.*]] = arith.addi %[[OFFSET]], %[[IN_ROWS]] : index
// CHECK: %[[FIRST:.*]] = arith.addi %[[ROW]], %[[J]] : index
// CHECK: %[[FLAT:.*]] = memref.reinterpret_cast %[[MEMORY]] to offset: [0], sizes: [%[[N]]], strides: [1] : memref<f32> to memref<?xf32>
// CHECK: scf.if
// CHECK: memref.load %[[FLAT]][%[[FIRST]]] : memref<?xf32>
// CHECK-NOT: arith.muli
// CHECK: %[[NEXT:.*]] = arith.addi %[[J]], %{{.*}} : index
// CHECK-NOT: arith.muli
// CHECK: %[[SECOND:.*]] = arith.addi %[[ROW]], %[[NEXT]] : index
// CHECK: scf.if %{{.*}} {
// CHECK-NEXT: memref.store %{{.*}}, %[[FLAT]][%[[SECOND]]] : memref<?xf32>
gpu.module @m {
  gpu.func @row(%memory: memref<f32>, %offset: index, %n: index, %stride: index, %i: index, %j: index, %a: i1, %b: i1)
      kernel {
    %zero = arith.constant 0.0 : f32
    %view = memref.reinterpret_cast %memory to offset: [%offset], sizes: [%n, %n], strides: [%stride, 1]
        : memref<f32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
    %x = scf.if %a -> f32 {
      %y = memref.load %view[%i, %j] : memref<?x?xf32, strided<[?, 1], offset: ?>>
      scf.yield %y : f32
    } else {
      scf.yield %zero : f32
    }
    scf.if %b {
      %one = arith.constant 1 : index
      %next = arith.addi %j, %one : index
      memref.store %x, %view[%i, %next] : memref<?x?xf32, strided<[?, 1], offset: ?>>
    }
    gpu.return
  }
}

// -----

// A branch with more than one access, indices that only the branch knows, and memory of known strides stay as they are.
// CHECK-LABEL: gpu.func @others
// CHECK-COUNT-2: memref.load %{{.*}}[%{{.*}}, %{{.*}}] : memref<?x?xf32, strided<[?, 1], offset: ?>>
// CHECK: memref.load %{{.*}}[%{{.*}}, %{{.*}}] : memref<?x?xf32, strided<[?, 1], offset: ?>>
// CHECK: memref.load %{{.*}}[%{{.*}}, %{{.*}}] : memref<4x4xf32>
gpu.module @m {
  gpu.func @others(%memory: memref<f32>, %static: memref<4x4xf32>, %offset: index, %n: index, %stride: index,
                   %i: index, %a: i1) kernel {
    %zero = arith.constant 0.0 : f32
    %view = memref.reinterpret_cast %memory to offset: [%offset], sizes: [%n, %n], strides: [%stride, 1]
        : memref<f32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
    %two = scf.if %a -> f32 {
      %x = memref.load %view[%i, %i] : memref<?x?xf32, strided<[?, 1], offset: ?>>
      %y = memref.load %view[%i, %n] : memref<?x?xf32, strided<[?, 1], offset: ?>>
      %sum = arith.addf %x, %y : f32
      scf.yield %sum : f32
    } else {
      scf.yield %zero : f32
    }
    %unknown = scf.if %a -> f32 {
      %place = arith.divui %i, %n : index
      %x = memref.load %view[%place, %i] : memref<?x?xf32, strided<[?, 1], offset: ?>>
      scf.yield %x : f32
    } else {
      scf.yield %zero : f32
    }
    scf.if %a {
      %x = memref.load %static[%i, %i] : memref<4x4xf32>
      %sum = arith.addf %two, %unknown : f32
      %all = arith.addf %sum, %x : f32
      memref.store %all, %memory[] : memref<f32>
    }
    gpu.return
  }
}
