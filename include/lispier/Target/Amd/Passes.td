//===- Passes.td - the passes of the AMD target ------------*- tablegen -*-===//
#ifndef LISPIER_TARGET_AMD_PASSES
#define LISPIER_TARGET_AMD_PASSES

include "mlir/Pass/PassBase.td"

def ReadLaunchSizes : Pass<"lispier-read-launch-sizes", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Read gpu.block_dim and gpu.grid_dim from the arguments that the driver adds to a launch";
  let description = [{
    Upstream's conversion calls the device library for sizes that are not
    constant. The library reads them from the implicit kernel arguments of code
    object version 5; this pass emits those loads instead. A kernel without a
    known block size gets the attribute that permits the largest block; the code
    generator would assume at most 256 threads otherwise.
    Example: test/Target/Amd/read-launch-sizes.mlir
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::ROCDL::ROCDLDialect"];
}

def ShuffleUpByIndex : Pass<"lispier-shuffle-up-by-index", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Turn gpu.shuffle up into a shuffle by lane index";
  let description = [{
    Upstream's conversion treats a negative source lane as valid and reads the
    last lane. After this pass a lane without a source lane keeps its own value,
    and its result is not valid, as on other targets.
    Example: test/Target/Amd/shuffle-up-by-index.mlir
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ReduceByDpp : Pass<"lispier-reduce-by-dpp", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Reduce over a warp by data-parallel primitives (DPP)";
  let description = [{
    gpu.subgroup_reduce over the whole warp becomes upstream's amdgpu.dpp: up to
    six instructions with operands from other lanes. Each shuffle would be a
    round trip to the LDS unit, with a wait.
    Example: test/Target/Amd/reduce-by-dpp.mlir
  }];
  let options = [Option<"chip", "chip", "std::string", "\"gfx942\"", "The chip, such as gfx942">,
                 Option<"warpWidth", "warp-width", "unsigned", "64", "Lanes of its warps: 32 or 64">];
  let dependentDialects = ["::mlir::amdgpu::AMDGPUDialect", "::mlir::arith::ArithDialect",
                           "::mlir::ROCDL::ROCDLDialect"];
}

def TileOpsToAmdgpu : Pass<"lispier-tile-ops-to-amdgpu", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower the tile ops of threads to MFMA or WMMA, and copies through registers";
  let description = [{
    LLVM's scheduler would move stores to slots, and the waits for what they store, between the first products:
    `keep-stores` keeps them behind all. The simulator has no schedule.
    Example: test/Target/Amd/tile-ops-to-amdgpu.mlir
  }];
  let options = [Option<"keepStores", "keep-stores", "bool", "true", "Keep stores to slots behind products">];
  let dependentDialects = ["::mlir::amdgpu::AMDGPUDialect", "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

#endif
