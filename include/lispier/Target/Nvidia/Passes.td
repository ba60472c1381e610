//===- Passes.td - the passes of the NVIDIA target ---------*- tablegen -*-===//
#ifndef LISPIER_TARGET_NVIDIA_PASSES
#define LISPIER_TARGET_NVIDIA_PASSES

include "mlir/Pass/PassBase.td"

def TensorMapArguments : Pass<"lispier-tensor-map-arguments", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Pass tensor maps to kernels as pointers";
  let description = [{
    Parameters of type !nvgpu.tensormap.descriptor become !llvm.ptr, and the kernel's shared memory is aligned as bulk
    tensor copies require.
    Example: test/Target/Nvidia/tensor-map-arguments.mlir
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def PassTensorMaps : Pass<"lispier-pass-tensor-maps", "::mlir::ModuleOp"> {
  let summary = "Give kernels tensor maps of the memory whose tiles they copy as a whole";
  let description = [{
    tile.fill and tile.copy_bulk get a map of their memory, which is a parameter of the kernel; launches make it, for
    rows of 128 bytes.
    Example: test/Target/Nvidia/rings.lisp
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::nvgpu::NVGPUDialect"];
}

def ShuffleByMask : Pass<"lispier-shuffle-by-mask", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Give shuffles over part of a warp the mask of the lane's own group";
  let description = [{
    gpu.shuffle over fewer lanes than a warp, or over a number of lanes known only at run time, becomes nvvm.shfl.sync.
    Upstream's conversion, which lowers the others, would use the mask of the warp's first lanes for every group.
    Example: test/Target/Nvidia/ptx.mlir
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::NVVM::NVVMDialect"];
}

def CompareToBits : Pass<"lispier-compare-to-bits", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower conversions of floats to i1 to comparisons";
  let description = [{
    LLVM 22's NVPTX inverts llvm.fptoui and llvm.fptosi to i1.
    Example: test/Target/Nvidia/compare-to-bits.mlir
  }];
}

def CheckChip : Pass<"lispier-check-chip", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Fail at each op of the nvvm dialect that the chip of `device.target` does not support";
  let description = [{
    LLVM's code generator would abort the process.
    Example: test/Target/Nvidia/check-chip.mlir
  }];
}

def OverlapTilePrograms : Pass<"lispier-overlap-tile-programs", "::mlir::ModuleOp"> {
  let summary = "Let tile programs start before the kernels before them have ended";
  let description = [{
    On chips with programmatic dependent launch: nvvm.griddepcontrol launch_dependents at the entry of each tile
    program, then reads and copies of memory that no kernel of the program writes (ConstantMemory.h), so far as they
    stand before the program's first loop, then nvvm.griddepcontrol wait.
    Example: test/Target/Nvidia/overlap-tile-programs.mlir
  }];
  let dependentDialects = ["::mlir::NVVM::NVVMDialect"];
}

def MarkWaitingKernels : Pass<"lispier-mark-waiting-kernels", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Add the attribute `device.waits` to kernels that wait for their predecessors themselves";
  let description = [{
    These kernels contain nvvm.griddepcontrol wait.
    Example: test/Target/Nvidia/mark-waiting-kernels.mlir
  }];
  let dependentDialects = ["::lispier::device::DeviceDialect"];
}

def PassByValue : Pass<"lispier-pass-by-value", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Let pointers to what launches pass by value be such parameters";
  let description = [{
    Parameters that are arrays by `device.kernel`, which are tensor maps, get llvm.byval, and nvvm.grid_constant, since
    kernels do not change them.
    Example: test/Target/Nvidia/pass-by-value.mlir
  }];
  let dependentDialects = ["::lispier::device::DeviceDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::NVVM::NVVMDialect"];
}

def PreferRegisters : Pass<"lispier-prefer-registers", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Let kernels with mma.sync use the registers of a whole multiprocessor";
  let description = [{
    Sets nvvm.minctasm to 1 if the block size is known, so that ptxas spends registers on loads ahead of products.
    Example: test/Target/Nvidia/prefer-registers.mlir
  }];
  let dependentDialects = ["::mlir::NVVM::NVVMDialect"];
}

def TileOpsToNvvm : Pass<"lispier-tile-ops-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower the tile ops of threads to mma.sync, wgmma, ldmatrix, cp.async and mbarriers";
  let description = [{
    wgmma is inline assembly, since its registers are updated in place. The simulator runs the ops themselves, for which
    `warpgroups` leaves them.
    Example: test/Target/Nvidia/tile-ops-to-nvvm.mlir
  }];
  let options = [Option<"warpgroups", "warpgroups", "bool", "true", "Lower products of warpgroups and rings too">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::NVVM::NVVMDialect", "::mlir::nvgpu::NVGPUDialect", "::mlir::vector::VectorDialect"];
}

def FlushExponentials : Pass<"lispier-flush-exponentials", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower approximate 2^x of f32 to ex2.approx.ftz, whose results below 2^-126 are 0";
  let description = [{
    Approximate quotients by 1 + 2^x, which is no denormal, become div.approx.ftz.
    Example: test/Target/Nvidia/flush-exponentials.mlir
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::vector::VectorDialect"];
}

def LowerPrefetches : Pass<"lispier-lower-prefetches", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower memref.prefetch, as which llvm.intr.prefetch comes, to nvvm.prefetch";
  let description = [{
    Locality 3 prefetches into L1, less into L2. Prefetches of shared memory and of instructions are dropped.
    Example: test/Target/Nvidia/lower-prefetches.mlir
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
}

#endif
