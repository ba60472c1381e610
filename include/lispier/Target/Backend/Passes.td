//===- Passes.td - passes for the kernels of any vendor ----*- tablegen -*-===//
#ifndef LISPIER_TARGET_BACKEND_PASSES
#define LISPIER_TARGET_BACKEND_PASSES

include "mlir/Pass/PassBase.td"

def SharedVectors : Pass<"lispier-shared-vectors", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower vector loads and stores of memory in the gpu dialect's spaces to the LLVM dialect";
  let description = [{
    Upstream's conversion of vectors runs before that of the gpu dialect, and knows spaces by number only.
    Example: test/Target/Backend/shared-vectors.mlir
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def AddLineScopes : Pass<"lispier-add-line-scopes", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Give kernels of the LLVM dialect the scopes without which code has no line numbers";
  let description = [{ Example: test/Target/Backend/add-line-scopes.mlir }];
  let options = [Option<"sections", "sections", "bool", "true",
                        "Tables in sections of their own (DWARF); else directives of the assembler alone">];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif
