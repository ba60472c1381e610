//===- Passes.td - from loops to kernels --------------------*- tablegen -*-===//
#ifndef LISPIER_GPU_PASSES
#define LISPIER_GPU_PASSES

include "mlir/Pass/PassBase.td"

// The gpu dialect around kernels, also where the host runs them.

def DropAsyncTokens : Pass<"lispier-drop-async-tokens", "::mlir::ModuleOp"> {
  let summary = "Drop the tokens of gpu ops, whose order is the order of the device's work";
  let description = [{
    Every target has one queue, so that an op that depends on another's token comes after it anyway. `gpu.wait` for the
    host stays. A token that a loop, a branch or a function carries becomes an unused `i1`.
    Example: test/Gpu/drop-async-tokens.mlir
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def HostGpuMemory : Pass<"lispier-host-gpu-memory"> {
  let summary = "Turn gpu dialect memory ops into plain memory ops";
  let description = [{
    On the CPU device memory is host memory, and registering host memory with the device has no effect. Ops become
    synchronous, without tokens. A device.upload becomes its operand, a device.download an allocation and a copy, and a
    device.replay its body.
    Example: test/Gpu/host-gpu-memory.mlir
  }];
  let dependentDialects = ["::lispier::device::DeviceDialect", "::mlir::cf::ControlFlowDialect",
                           "::mlir::gpu::GPUDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect"];
}

// The generic lowering path to a GPU, in the order in which lib/Pipeline/Pipeline.cpp runs it.

def KeepOnDevice : Pass<"lispier-keep-on-device", "::mlir::func::FuncOp"> {
  let summary = "Run sequential ops and strided copies on the device";
  let description = [{
    nn.argmax and nn.sample decompose to sequential loops. On the host these
    would read device memory element by element; a single device thread, in a parallel loop of one iteration, is
    slow, but close to the data. Only ops without a kernel implementation are left here. The same holds for copies from
    the memory of a tensor, unless both sides are contiguous: they become linalg.copy.
    Example: test/Gpu/keep-on-device.mlir
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect"];
}

def LinalgToParallel : Pass<"lispier-linalg-to-parallel", "::mlir::func::FuncOp"> {
  let summary = "Lower linalg on memrefs to scf.parallel with the reductions innermost";
  let description = [{
    Upstream keeps the order of the iterators, so a reduction over an outer
    dimension would wrap a launch in a host loop. Here the parallel dimensions
    come first, the last of them the one that indexes the output's last dimension, and
    the reduction loops are marked `device.reduction`: their output is touched
    by nothing else, which PromoteAccumulators relies on. An op without any
    parallel dimension becomes a loop of one iteration, so that it, too, runs
    where its data is. Code inside gpu.launch is left alone.
    Example: test/Gpu/linalg-to-parallel.mlir
  }];
  let dependentDialects = ["::lispier::device::DeviceDialect", "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::affine::AffineDialect"];
}

def PromoteAccumulators : Pass<"lispier-promote-accumulators"> {
  let summary = "Keep the accumulator of a reduction loop in an iter_args value instead of memory";
  let description = [{
    A loop that updates one element of a memref reads it once before and writes it
    once after. Loops marked `device.reduction` are known to touch the element
    in no other way; for others every other access must provably be to another
    allocation and the loop must run at least once.
    Example: test/Gpu/promote-accumulators.mlir
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def CoarsenReductions : Pass<"lispier-coarsen-reductions", "::mlir::func::FuncOp"> {
  let summary = "Compute a tile of elements per thread for large two-dimensional reductions";
  let description = [{
    A thread that computes one element loads two numbers per multiply-add; one
    that computes 4 by 4 elements loads 8 numbers for 16. Threads at the edge clamp their indices to the last
    element and do not store elements outside. The reduction loop is unrolled. Results with fewer than 64 blocks of
    such threads keep one element per thread; for dynamic sizes the host chooses at run time.
    Example: test/Gpu/coarsen-reductions.mlir
  }];
  let options = [Option<"tile", "tile", "int64_t", "4", "Elements per thread along each dimension">,
                 Option<"unroll", "unroll", "int64_t", "8", "Unroll factor of the reduction loop">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def TileParallel : Pass<"lispier-tile-parallel", "::mlir::func::FuncOp"> {
  let summary = "Split each outermost scf.parallel into blocks of threads";
  let description = [{
    With 256 threads, tiles are 16x16 for two dimensions, 256 for one; if a static
    size is smaller than the tile, the other dimension gets its threads.
    More than three dimensions are first collapsed, starting with the outermost. If the
    tile does not divide a size, a bounds check guards the body.
    Example: test/Gpu/tile-parallel.mlir
  }];
  let options = [Option<"blockThreads", "block-threads", "unsigned", "0",
                        "Threads per block, a power of two; 0 for the target's default, 256 without a target">];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def MapParallelToGrid : Pass<"lispier-map-parallel-to-grid", "::mlir::func::FuncOp"> {
  let summary = "Assign an outermost scf.parallel to blocks and the one directly inside to threads";
  let description = [{
    The last dimension, which is contiguous in memory, becomes x, so that accesses
    coalesce. At most three dimensions are mapped. Deeper loops stay sequential, loops
    with a mapping attribute keep it, and loops that reduce to values stay on the host.
    Example: test/Gpu/map-parallel-to-grid.mlir
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect"];
}

def MergeGpuModules : Pass<"lispier-merge-gpu-modules", "::mlir::ModuleOp"> {
  let summary = "Put all kernels into one gpu.module under unique names";
  let description = [{
    Outlining makes one gpu.module per launch, and two of them may define the same
    name. A single module is loaded once, and its kernels share device functions. In
    kernel names, characters that an assembler rejects become `_` (`forward-f32`).
    Example: test/Gpu/merge-gpu-modules.mlir
  }];
  let options = [Option<"name", "name", "std::string", "\"kernels\"", "Symbol of the merged module">];
  let dependentDialects = ["::mlir::gpu::GPUDialect"];
}

def MergeEqualKernels : Pass<"lispier-merge-equal-kernels", "::mlir::ModuleOp"> {
  let summary = "Launch one kernel in place of several equal ones";
  let description = [{
    Of kernels in one gpu.module that differ in names and locations only, the first stays, and all their launches use
    it. Kernels that nothing launches stay.
    Example: test/Gpu/merge-equal-kernels.mlir
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect"];
}

def InferBlockSize : Pass<"lispier-infer-block-size", "::mlir::ModuleOp"> {
  let summary = "Set a kernel's known_block_size if all its launches agree on it";
  let description = [{
    Outlining does this for the launches that it outlines; this pass handles kernels
    written as gpu.func. With a known block size, full warps need no check for missing lanes, and
    the code generator allocates registers for the actual block. gpu.block_dim becomes a constant.
    Example: test/Gpu/infer-block-size.mlir
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect"];
}

def FlattenKernelArguments : Pass<"lispier-flatten-kernel-arguments", "::mlir::ModuleOp"> {
  let summary = "Pass a dynamic memref to a kernel as one pointer and the sizes it uses";
  let description = [{
    A memref parameter of dynamic shape or layout becomes a memref<T>, which the
    bare-pointer convention passes as one pointer, and an index for the offset,
    each dynamic size and each dynamic stride. A first size that no address and
    no memref.dim needs is left out. Static memrefs are one pointer already.
    A launch's operands are taken from the memref where it is defined, so that
    launches in different branches have the same ones.
    Example: test/Gpu/flatten-kernel-arguments.mlir
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::LLVM::LLVMDialect"];
}

// Inside kernels, before the vendor's conversion.

def PlaceKernelMemory : Pass<"lispier-place-kernel-memory"> {
  let summary = "Choose the memory space of a kernel's allocations: workgroup or private";
  let description = [{
    An alloc or alloca of static shape in workgroup memory becomes a workgroup
    attribution of the enclosing kernel or launch; its dealloc is erased. An alloca
    without a memory space becomes a private one, followed by a cast, because
    on some GPUs the stack is not in the generic address space.
    Example: test/Gpu/place-kernel-memory.mlir
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect"];
}

def InlineDeviceFunctions : Pass<"lispier-inline-device-functions", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Inline the functions that kernels call";
  let description = [{
    All of them, callees first: the lowering of block reductions needs the enclosing kernel,
    and a memref of dynamic sizes cannot be passed as a bare pointer. A
    function with several basic blocks that is called inside a structured op becomes an
    scf.execute_region. Recursion is an error. Upstream's `inline`
    cannot be used, since the gpu dialect does not permit inlining into gpu.func.
    Example: test/Gpu/inline-device-functions.mlir
  }];
  let dependentDialects = ["::mlir::cf::ControlFlowDialect", "::mlir::scf::SCFDialect"];
}

def LowerGroupOps : Pass<"lispier-lower-group-ops", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower reductions over a warp or a block to shuffles of the right width";
  let description = [{
    gpu.subgroup_reduce and gpu.all_reduce become butterflies of gpu.shuffle over
    exactly `warp-width` lanes; the results of a block's warps are combined through shared memory.
    Upstream's all_reduce always takes five steps over 32 lanes, which reduces half of
    a warp of 64. gpu.subgroup_size, _id and num_subgroups become
    arithmetic. A partial last warp is supported. A gpu.shuffle in the source over fewer
    lanes becomes one over the warp with explicit source lanes; with `masks` it stays, since the target
    lowers it with the mask of the group's lanes.
    Example: test/Gpu/lower-group-ops.mlir
  }];
  let options = [
    Option<"warpWidth", "warp-width", "unsigned", "0",
           "Lanes of a warp, a power of two up to 64; 0 for the target's, 32 without a target">,
    Option<"masks", "masks", "bool", "false",
           "Keep shuffles over fewer lanes, for targets with masks; implied by TargetInfo::shuffleMasks">,
    Option<"keepReductions", "keep-reductions", "bool", "false",
           "Keep 32-bit reductions over full warps for the target's passes; implied by TargetInfo::warpReductions">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def LinalgToSequentialLoops : Pass<"lispier-linalg-to-sequential-loops", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Turn linalg ops in kernels into loops of scf";
  let description = [{
    As convert-linalg-to-loops does, which visits all ops of a kernel.
    Example: test/Gpu/linalg-to-sequential-loops.mlir
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def ExpandKernelViews : Pass<"lispier-expand-kernel-views", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Turn subviews and reshapes in kernels into arithmetic on offsets and strides";
  let description = [{
    Applies upstream's patterns, those of expand-strided-metadata, to such ops only: its pass visits all of a kernel's.
    Example: test/Gpu/expand-kernel-views.mlir
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect"];
}

def AddressesBeforeBranches : Pass<"lispier-addresses-before-branches", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Compute addresses of accesses that are alone in a branch of scf.if before it";
  let description = [{
    Of loads and stores of memrefs with dynamic strides. Accesses in the branches of one block share what their
    addresses have in common; in the branches, each would be computed from all strides.
    Example: test/Gpu/addresses-before-branches.mlir
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

def AllowContraction : Pass<"lispier-allow-contraction", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Permit contraction of multiplications and additions in kernels to fused multiply-adds";
  let description = [{
    Adds fastmath<contract> to float arithmetic, as GPU compilers do by default.
    Without it neither vendor's code generator forms an FMA.
    Example: test/Gpu/allow-contraction.mlir
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def LowerKernelVectors : Pass<"lispier-lower-kernel-vectors", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower vector reductions and transfers in kernels to rank 1";
  let description = [{
    Applies upstream's patterns, first those of convert-vector-to-scf that unroll transfers of higher rank, then those
    for multi-dimensional reductions and for transfers, to such ops only: its passes visit all of a kernel's, and the
    one for reductions runs on func.func only.
    Example: test/Gpu/lower-kernel-vectors.mlir
  }];
  let dependentDialects = ["::mlir::vector::VectorDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def PackNarrowVectors : Pass<"lispier-pack-narrow-vectors", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Pass on 16-bit vectors as words, and widen BF16 by words";
  let description = [{
    Vectors of an even number of 16-bit floats that `scf.for` and `scf.if` carry
    become vectors of i32: PTX has registers of 16 bits, which ptxas packs and
    unpacks at each step of a loop. `arith.extf` from BF16 of what is in words,
    as behind a load, or of what a chip rounds by pairs, becomes a shift and a
    mask.
    Example: test/Gpu/pack-narrow-vectors.mlir
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::vector::VectorDialect"];
}

def AlignVectors : Pass<"lispier-align-vectors", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Give vector loads and stores in kernels their natural alignment";
  let description = [{
    A vector of 2^n bytes is assumed to be aligned to its size, up to
    `vector-bytes`, like built-in vector types on GPUs; an explicit alignment
    is kept. Without an alignment a load of four floats becomes four loads.
    Example: test/Gpu/align-vectors.mlir
  }];
  let options = [Option<"vectorBytes", "vector-bytes", "unsigned", "0",
                        "The widest single access in bytes; 0 for the target's, 16 without a target">];
  let dependentDialects = ["::mlir::vector::VectorDialect"];
}

#endif
