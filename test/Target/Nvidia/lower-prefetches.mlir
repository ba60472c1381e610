// RUN: lispier-opt %s -lispier-lower-prefetches | FileCheck %s

gpu.module @kernels {
  // CHECK-LABEL: llvm.func @prefetches(
  // CHECK-SAME: %[[M:[^:]*]]: !llvm.ptr, %[[SHARED:[^:]*]]: !llvm.ptr<3>
  llvm.func @prefetches(%m: !llvm.ptr, %shared: !llvm.ptr<3>, %i: i64) attributes {nvvm.kernel} {
    %n = llvm.mlir.constant(1 : i32) : i32
    // A kernel's parameter is global memory.
    // CHECK: %[[AT:.*]] = llvm.getelementptr %[[M]]
    // CHECK: %[[GLOBAL:.*]] = llvm.addrspacecast %[[AT]] : !llvm.ptr to !llvm.ptr<1>
    // CHECK: nvvm.prefetch level = L2, %[[GLOBAL]]
    %at = llvm.getelementptr %m[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    "llvm.intr.prefetch"(%at) <{rw = 0 : i32, hint = 2 : i32, cache = 1 : i32}> : (!llvm.ptr) -> ()
    // CHECK: nvvm.prefetch level = L1
    "llvm.intr.prefetch"(%at) <{rw = 0 : i32, hint = 3 : i32, cache = 1 : i32}> : (!llvm.ptr) -> ()
    // Other memory without a space stays generic.
    // CHECK: %[[OWN:.*]] = llvm.alloca
    // CHECK: nvvm.prefetch level = L1, %[[OWN]] : !llvm.ptr
    %own = llvm.alloca %n x f32 : (i32) -> !llvm.ptr
    "llvm.intr.prefetch"(%own) <{rw = 0 : i32, hint = 3 : i32, cache = 1 : i32}> : (!llvm.ptr) -> ()
    // Shared memory has no cache, and instructions are not prefetched.
    // CHECK-NOT: prefetch
    "llvm.intr.prefetch"(%shared) <{rw = 0 : i32, hint = 3 : i32, cache = 1 : i32}> : (!llvm.ptr<3>) -> ()
    "llvm.intr.prefetch"(%at) <{rw = 0 : i32, hint = 3 : i32, cache = 0 : i32}> : (!llvm.ptr) -> ()
    llvm.return
  }
}
