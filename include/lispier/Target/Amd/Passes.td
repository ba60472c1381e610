//===- Passes.td - the passes of the AMD target ------------*- tablegen -*-===//
#ifndef LISPIER_TARGET_AMD_PASSES
#define LISPIER_TARGET_AMD_PASSES

include "mlir/Pass/PassBase.td"

def ReadLaunchSizes : Pass<"lispier-read-launch-sizes", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Read gpu.block_dim and gpu.grid_dim from the arguments that the driver adds to a launch";
  let description = [{
    Upstream's conversion calls the device library for sizes that are no
    constants. The library reads them from the implicit kernel arguments of code
    object version 5, and so does the code this pass writes. Kernels without a
    known block size are marked to accept the largest block; the code generator
    would assume 256 threads otherwise.
    Example: test/Target/Amd/read-launch-sizes.mlir
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::ROCDL::ROCDLDialect"];
}

#endif
