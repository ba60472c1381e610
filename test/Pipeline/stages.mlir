// Each stage's result can be printed and read back.
// RUN: lispier --emit=tensor --from=module %s | FileCheck %s --check-prefix=TENSOR
// TENSOR: group.kernel
// TENSOR-SAME: memref

// RUN: lispier --emit=loops --from=module %s -o %t.loops.mlir
// RUN: FileCheck %s --check-prefix=LOOPS --input-file=%t.loops.mlir
// LOOPS-NOT: linalg
// LOOPS: scf.{{for|parallel}}

// RUN: lispier --emit=target --from=loops %t.loops.mlir -o %t.target.mlir
// RUN: FileCheck %s --check-prefix=TARGET --input-file=%t.target.mlir
// TARGET: llvm.func @double
// TARGET-NOT: scf

// RUN: lispier --emit=llvm --from=target %t.target.mlir | FileCheck %s --check-prefix=LLVM
// LLVM: define {{.*}} @double
// LLVM: <{{[0-9]+}} x float>
// RUN: lispier --emit=asm --from=target %t.target.mlir | FileCheck %s --check-prefix=ASM
// ASM: double:
// RUN: lispier --emit=obj --from=module %s -o %t.o
// RUN: llvm-nm %t.o | FileCheck %s --check-prefix=OBJ
// OBJ: T double

// RUN: lispier --emit=loops --from=module --print-ir-after=lispier-bufferize-tensors %s 2>&1 >%t.out | FileCheck %s --check-prefix=AFTER
// AFTER: IR Dump After {{.*}}lispier-bufferize-tensors
// AFTER-NOT: IR Dump After
// RUN: not lispier --emit=loops --from=module --print-ir-after=lispier-buferize-tensors %s 2>&1 | FileCheck %s --check-prefix=NEAR
// NEAR: error[pass-unknown]: the pass `lispier-buferize-tensors` does not run here
// NEAR: hint: did you mean `lispier-bufferize-tensors`?
// RUN: lispier --emit=target --from=module --print-pipeline %s 2>&1 >%t.out | FileCheck %s --check-prefix=PIPELINE
// PIPELINE: builtin.module({{.*}}lispier-check-translatable)
// RUN: lispier --emit=target --from=module --time-passes %s 2>&1 >%t.out | FileCheck %s --check-prefix=TIME
// TIME-DAG: parse
// TIME-DAG: lower
// TIME-DAG: BufferizeTensors
// TIME: Total

#map = affine_map<(d0) -> (d0)>
func.func @double(%x: tensor<256xf32>) -> tensor<256xf32> {
  %e = tensor.empty() : tensor<256xf32>
  %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : tensor<256xf32>) outs(%e : tensor<256xf32>) {
  ^bb0(%i: f32, %o: f32):
    %s = arith.addf %i, %i : f32
    linalg.yield %s : f32
  } -> tensor<256xf32>
  return %y : tensor<256xf32>
}
