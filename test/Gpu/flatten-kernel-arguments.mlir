// RUN: lispier-opt %s -lispier-flatten-kernel-arguments -canonicalize -cse -split-input-file -verify-diagnostics | FileCheck %s

// One pointer, and the sizes that addresses and memref.dim need: the row length of both, the row count of one.
// CHECK-LABEL: func @copy
// CHECK: gpu.launch_func {{.*}} args(%{{.*}} : memref<f32>, %{{.*}} : index, %{{.*}} : index, %{{.*}} : memref<f32>, %{{.*}} : index)
// CHECK: gpu.func @k(%[[A:.*]]: memref<f32>, %[[ROWS:.*]]: index, %[[COLUMNS:.*]]: index, %[[B:.*]]: memref<f32>, %[[WIDTH:.*]]: index) kernel
// CHECK-DAG: memref.reinterpret_cast %[[A]] to offset: [0], sizes: [%[[ROWS]], %[[COLUMNS]]], strides: [%[[COLUMNS]], 1]
// CHECK-DAG: memref.reinterpret_cast %[[B]] to offset: [0], sizes: [%{{.*}}, %[[WIDTH]]], strides: [%[[WIDTH]], 1]
// CHECK: arith.cmpi ult, %{{.*}}, %[[ROWS]]
module attributes {gpu.container_module} {
  func.func @copy(%a: memref<?x?xf32>, %b: memref<?x?xf32>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<?x?xf32>, %b : memref<?x?xf32>)
    return
  }
  gpu.module @m {
    gpu.func @k(%a: memref<?x?xf32>, %b: memref<?x?xf32>) kernel {
      %c0 = arith.constant 0 : index
      %i = gpu.thread_id x
      %n = memref.dim %a, %c0 : memref<?x?xf32>
      %inside = arith.cmpi ult, %i, %n : index
      scf.if %inside {
        %x = memref.load %a[%i, %c0] : memref<?x?xf32>
        memref.store %x, %b[%i, %c0] : memref<?x?xf32>
      }
      gpu.return
    }
  }
}

// -----

// A static memref is one pointer as it is; a view brings its offset and strides.
// CHECK-LABEL: func @view
// CHECK: %{{.*}}, %[[OFFSET:.*]], %{{.*}}:2, %[[STRIDES:.*]]:2 = memref.extract_strided_metadata
// CHECK: args(%{{.*}} : memref<4xf32>, %{{.*}} : memref<f32>, %[[OFFSET]] : index, %[[STRIDES]]#0 : index)
module attributes {gpu.container_module} {
  func.func @view(%a: memref<4xf32>, %b: memref<4x8xf32, strided<[?, 1], offset: ?>>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<4xf32>, %b : memref<4x8xf32, strided<[?, 1], offset: ?>>)
    return
  }
  gpu.module @m {
    gpu.func @k(%a: memref<4xf32>, %b: memref<4x8xf32, strided<[?, 1], offset: ?>>) kernel {
      %i = gpu.thread_id x
      %x = memref.load %a[%i] : memref<4xf32>
      memref.store %x, %b[%i, %i] : memref<4x8xf32, strided<[?, 1], offset: ?>>
      gpu.return
    }
  }
}

// -----

// What a launch passes is taken where the memory is defined, so that launches in branches have the same operands.
// CHECK-LABEL: func @branches
// CHECK: %[[BASE:.*]], %[[OFFSET:.*]], %{{.*}}, %[[STRIDE:.*]] = memref.extract_strided_metadata
// CHECK: scf.if
// CHECK-NEXT: gpu.launch_func @m::@k {{.*}} args(%[[BASE]] : memref<f32>, %[[OFFSET]] : index, %[[STRIDE]] : index)
// CHECK-NEXT: } else {
// CHECK-NEXT: gpu.launch_func @m::@other {{.*}} args(%[[BASE]] : memref<f32>, %[[OFFSET]] : index, %[[STRIDE]] : index)
module attributes {gpu.container_module} {
  func.func @branches(%a: memref<8xf32, strided<[?], offset: ?>>, %condition: i1) {
    %c1 = arith.constant 1 : index
    scf.if %condition {
      gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<8xf32, strided<[?], offset: ?>>)
    } else {
      gpu.launch_func @m::@other blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<8xf32, strided<[?], offset: ?>>)
    }
    return
  }
  gpu.module @m {
    gpu.func @k(%a: memref<8xf32, strided<[?], offset: ?>>) kernel {
      gpu.return
    }
    gpu.func @other(%a: memref<8xf32, strided<[?], offset: ?>>) kernel {
      gpu.return
    }
  }
}

// -----

gpu.module @m {
  // expected-error @below {{takes an unranked memref; cast it to a rank before the launch}}
  gpu.func @k(%a: memref<*xf32>) kernel {
    gpu.return
  }
}
