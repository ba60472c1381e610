// REQUIRES: ptxas
// RUN: lispier-opt %s -lispier-emit-gpu='target=cuda:sm_90a format=cubin output=%t.cubin' -o /dev/null
// RUN: llvm-readelf --file-headers --syms %t.cubin | FileCheck %s
// RUN: lispier-opt %s -lispier-emit-gpu='target=cuda:sm_80 format=fatbin output=%t.fatbin' -o /dev/null
// RUN: od -A n -t x4 -N 4 %t.fatbin | FileCheck %s --check-prefix=FATBIN

// CHECK: Class: ELF64
// CHECK: Machine: NVIDIA CUDA architecture
// CHECK: FUNC GLOBAL {{.*}} fill
// A fat binary begins with its magic number.
// FATBIN: ba55ed50
gpu.module @kernels {
  gpu.func @fill(%a: memref<256xf32>, %x: f32) kernel {
    %i = gpu.thread_id x
    memref.store %x, %a[%i] : memref<256xf32>
    gpu.return
  }
}
