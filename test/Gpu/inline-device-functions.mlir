// RUN: lispier-opt %s -pass-pipeline='builtin.module(gpu.module(lispier-inline-device-functions,symbol-dce))' -split-input-file -verify-diagnostics | FileCheck %s

// Functions of functions, and memrefs of unknown sizes, which no bare pointer hands over.
// CHECK-LABEL: gpu.func @kernel
// CHECK-NOT: call
// CHECK: memref.load
// CHECK: gpu.all_reduce
// CHECK-NOT: func.func
gpu.module @m {
  gpu.func @kernel(%a: memref<?xf32>, %out: memref<?xf32>) kernel {
    %i = gpu.thread_id x
    %s = func.call @outer(%a, %i) : (memref<?xf32>, index) -> f32
    memref.store %s, %out[%i] : memref<?xf32>
    gpu.return
  }
  func.func @outer(%a: memref<?xf32>, %i: index) -> f32 {
    %x = memref.load %a[%i] : memref<?xf32>
    %s = func.call @inner(%x) : (f32) -> f32
    return %s : f32
  }
  func.func @inner(%x: f32) -> f32 {
    %s = gpu.all_reduce add %x {} : (f32) -> f32
    return %s : f32
  }
}

// -----

// Blocks within a structured op.
// CHECK-LABEL: gpu.func @blocks
// CHECK: scf.if
// CHECK: scf.execute_region -> i32
// CHECK: cf.cond_br
// CHECK-NOT: call
gpu.module @m {
  gpu.func @blocks(%a: memref<?xi32>, %c: i1, %v: i32) kernel {
    scf.if %c {
      %i = gpu.thread_id x
      %s = func.call @absolute(%v) : (i32) -> i32
      memref.store %s, %a[%i] : memref<?xi32>
    }
    gpu.return
  }
  func.func private @absolute(%v: i32) -> i32 {
    %zero = arith.constant 0 : i32
    %less = arith.cmpi slt, %v, %zero : i32
    cf.cond_br %less, ^negative, ^positive
  ^negative:
    %minus = arith.subi %zero, %v : i32
    return %minus : i32
  ^positive:
    return %v : i32
  }
}

// -----

gpu.module @m {
  gpu.func @kernel(%n: i32) kernel {
    func.call @here(%n) : (i32) -> ()
    gpu.return
  }
  func.func private @here(%n: i32) {
    func.call @there(%n) : (i32) -> ()
    return
  }
  func.func private @there(%n: i32) {
    // expected-error @below {{of `here` is recursive, and kernels have no stack for recursion; write a loop}}
    func.call @here(%n) : (i32) -> ()
    return
  }
}
