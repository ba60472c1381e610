// RUN: lispier-opt %s -pass-pipeline="builtin.module(gpu.module(lispier-tensor-map-arguments))" | FileCheck %s

// The descriptor is a pointer; its tiles repeat a pattern every 1024 bytes, and begin there.
// CHECK-LABEL: gpu.func @tile(
// CHECK-SAME: %[[MAP:.*]]: !llvm.ptr)
// CHECK-SAME: llvm.align = 1024 : i64
// CHECK: builtin.unrealized_conversion_cast %[[MAP]] : !llvm.ptr to !nvgpu.tensormap.descriptor
!map = !nvgpu.tensormap.descriptor<tensor = memref<64x64xf16, 3>, swizzle = swizzle_128b, l2promo = none, oob = zero, interleave = none>
gpu.module @kernels {
  gpu.func @tile(%map: !map) workgroup(%tile: memref<64x64xf16, #gpu.address_space<workgroup>>) kernel {
    nvgpu.tma.prefetch.descriptor %map : !map
    gpu.return
  }
}
