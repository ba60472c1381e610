// RUN: lispier-opt %s -pass-pipeline="builtin.module(gpu.module(lispier-serialize-kernels))" | FileCheck %s
// RUN: not lispier-opt %s -pass-pipeline="builtin.module(gpu.module(lispier-serialize-kernels{format=hsaco}))" 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: sed s/device.target/other.target/ %s | not lispier-opt -allow-unregistered-dialect -lispier-serialize-kernels 2>&1 | FileCheck %s --check-prefix=NAMELESS

// Each module of its target; of a kernel stays how it is called. What is bytes already is left alone.
// CHECK: gpu.module @nvidia attributes {device.code = #device.code<format = "ptx", bytes = "{{.*}}.target sm_90a{{.*}}.entry k(
// CHECK-NEXT: llvm.func @k(!llvm.ptr, i64) attributes {device.kernel = {{.*}}, gpu.kernel, nvvm.kernel}
// CHECK-NEXT: }
// CHECK: gpu.module @amd attributes {device.code = #device.code<format = "hsaco", bytes = "\7FELF
// CHECK: gpu.module @done attributes {device.code = #device.code<format = "ptx", bytes = "text">
// FORMAT: error: no hsaco can be made for cuda
// NAMELESS: error: has no target: the attribute device.target names it
gpu.module @nvidia attributes {device.target = "cuda:sm_90a"} {
  llvm.mlir.global internal constant @seven(7 : i64) {addr_space = 0 : i32} : i64
  llvm.func @k(%out: !llvm.ptr, %n: i64) attributes {gpu.kernel, nvvm.kernel, device.kernel = #device.kernel<parameters = [!llvm.ptr, i64]>} {
    %p = llvm.mlir.addressof @seven : !llvm.ptr
    %seven = llvm.load %p : !llvm.ptr -> i64
    %sum = llvm.add %seven, %n : i64
    llvm.store %sum, %out : i64, !llvm.ptr
    llvm.return
  }
}
gpu.module @amd attributes {device.target = "rocm:gfx942"} {
  llvm.func @k(%n: i64) attributes {gpu.kernel, rocdl.kernel} { llvm.return }
}
gpu.module @done attributes {device.target = "cuda:sm_80", device.code = #device.code<format = "ptx", bytes = "text">} {
  llvm.func @k() attributes {gpu.kernel}
}
