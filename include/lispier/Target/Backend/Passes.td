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
}

def AddLineScopes : Pass<"lispier-add-line-scopes", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Add debug scopes to kernels in the LLVM dialect, without which LLVM emits no line numbers";
  let description = [{ Example: test/Target/Backend/add-line-scopes.mlir }];
  let options = [Option<"sections", "sections", "bool", "true",
                        "Emit DWARF sections; else only .loc directives">];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif
