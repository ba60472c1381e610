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

def ShuffleUpByIndex : Pass<"lispier-shuffle-up-by-index", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Write gpu.shuffle up as a shuffle from the lane below";
  let description = [{
    Upstream's conversion calls a negative lane valid and reads the last one.
    Lanes that have none below keep their value, which is not valid, as
    everywhere else.
    Example: test/Target/Amd/shuffle-up-by-index.mlir
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ReduceByDpp : Pass<"lispier-reduce-by-dpp", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Reduce over a warp by operands of other lanes";
  let description = [{
    gpu.subgroup_reduce over the whole warp becomes upstream's amdgpu.dpp: six
    instructions, where shuffles are as many trips through the unit of shared
    memory, each waited for.
    Example: test/Target/Amd/reduce-by-dpp.mlir
  }];
  let options = [Option<"chip", "chip", "std::string", "\"gfx942\"", "The chip, as --target= has it">,
                 Option<"warpWidth", "warp-width", "unsigned", "64", "Lanes of its warps: 32 or 64">];
  let dependentDialects = ["::mlir::amdgpu::AMDGPUDialect", "::mlir::arith::ArithDialect",
                           "::mlir::ROCDL::ROCDLDialect"];
}

def TileOpsToAmdgpu : Pass<"lispier-tile-ops-to-amdgpu", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower the tile ops of threads to MFMA or WMMA, and copies through registers";
  let description = [{ Example: test/Target/Amd/tile-ops-to-amdgpu.mlir }];
  let dependentDialects = ["::mlir::amdgpu::AMDGPUDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

#endif
