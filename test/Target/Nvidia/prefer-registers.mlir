// RUN: lispier-opt %s -pass-pipeline="builtin.module(gpu.module(lispier-prefer-registers))" | FileCheck %s

// A kernel with mma.sync and a known block size gets minctasm = 1; an explicit value is kept.
// CHECK: llvm.func @product({{.*}}nvvm.minctasm = 1 : i32
// CHECK: llvm.func @own({{.*}}nvvm.minctasm = 2 : i32
// CHECK-NOT: nvvm.minctasm
gpu.module @kernels {
  llvm.func @product(%a: vector<2xf16>) attributes {gpu.kernel, nvvm.kernel, nvvm.maxntid = array<i32: 128, 1, 1>} {
    %d = nvvm.mma.sync A[%a, %a] B[%a] C[%a, %a] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 8>} : (vector<2xf16>, vector<2xf16>, vector<2xf16>) -> !llvm.struct<(vector<2xf16>, vector<2xf16>)>
    llvm.return
  }
  llvm.func @own(%a: vector<2xf16>) attributes {gpu.kernel, nvvm.kernel, nvvm.maxntid = array<i32: 128, 1, 1>, nvvm.minctasm = 2 : i32} {
    %d = nvvm.mma.sync A[%a, %a] B[%a] C[%a, %a] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 8>} : (vector<2xf16>, vector<2xf16>, vector<2xf16>) -> !llvm.struct<(vector<2xf16>, vector<2xf16>)>
    llvm.return
  }
  llvm.func @none() attributes {gpu.kernel, nvvm.kernel, nvvm.maxntid = array<i32: 128, 1, 1>} { llvm.return }
}
