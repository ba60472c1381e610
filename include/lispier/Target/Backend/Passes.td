//===- Passes.td - passes for the kernels of any vendor ----*- tablegen -*-===//
#ifndef LISPIER_TARGET_BACKEND_PASSES
#define LISPIER_TARGET_BACKEND_PASSES

include "mlir/Pass/PassBase.td"

def SharedVectors : Pass<"lispier-shared-vectors", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower vector loads and stores of memory in the gpu dialect's spaces to the LLVM dialect";
  let description = [{
    Upstream's convert-vector-to-llvm runs before the conversion of the gpu dialect, and supports numeric memory spaces
    only.
    Example: test/Target/Backend/shared-vectors.mlir
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def VectorsToLlvm : Pass<"lispier-vectors-to-llvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower the vector ops that the conversion of the gpu dialect does not convert";
  let description = [{
    Slices of vectors of rank 1 become shuffles. If there are other such ops, lispier-shared-vectors and upstream's
    convert-vector-to-llvm convert all; its patterns visit all ops of a kernel.
    Example: test/Target/Backend/vectors-to-llvm.mlir
  }];
  let options = [ListOption<"conversion", "conversion", "::mlir::OpPassManager", "Passes for kernels with such ops">];
}

def FlattenLocations : Pass<"lispier-flatten-locations", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Reduce locations to what upstream's debug scopes support";
  let description = [{
    Before ensure-debug-info-scope-on-llvm-func, without whose scopes LLVM emits no line numbers. That pass is for a
    builtin.module: lispier-nest-module and lispier-unnest-modules are around it.
    Example: test/Target/Backend/flatten-locations.mlir
  }];
}

#endif
