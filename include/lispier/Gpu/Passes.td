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
    On the CPU a device allocation is host memory and an upload is a copy; registering host
    memory with the device means nothing. Ops become synchronous: tokens disappear. A step that may be replayed is its
    body.
    Example: test/Gpu/host-gpu-memory.mlir
  }];
  let dependentDialects = ["::lispier::device::DeviceDialect", "::mlir::cf::ControlFlowDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect"];
}

// The generic lowering path to a GPU, in the order in which lib/Pipeline/Pipeline.cpp runs it.

def KeepOnDevice : Pass<"lispier-keep-on-device", "::mlir::func::FuncOp"> {
  let summary = "Put ops that are one sequence into a loop of one iteration, which becomes a launch";
  let description = [{
    nn.argmax and nn.sample decompose to sequential loops. On the host these
    would read the device's memory element by element; one thread of the device
    is slow, but beside its data. Templates, which come before, are the fast way.
    Example: test/Gpu/keep-on-device.mlir
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def LinalgToParallel : Pass<"lispier-linalg-to-parallel", "::mlir::func::FuncOp"> {
  let summary = "Lower linalg on memrefs to scf.parallel with the reductions innermost";
  let description = [{
    Upstream keeps the order of the iterators, so a reduction over an outer
    dimension would wrap a launch in a host loop. Here the parallel dimensions
    come first, the one that walks the output's last dimension last of them, and
    the reduction loops are marked `device.reduction`: their output is touched
    by nothing else, which PromoteAccumulators relies on. An op without any
    parallel dimension becomes a loop of one iteration, so that it, too, runs
    where its data is. Code inside gpu.launch is left alone.
    Example: test/Gpu/linalg-to-parallel.mlir
  }];
  let dependentDialects = ["::lispier::device::DeviceDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::affine::AffineDialect"];
}

def PromoteAccumulators : Pass<"lispier-promote-accumulators"> {
  let summary = "Carry what a reduction loop loads and stores each time in an iter_args value";
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
  let summary = "Let a thread sum up a tile of elements of a large two-dimensional result";
  let description = [{
    A thread that sums up one element loads two numbers for a multiply-add; one
    that sums up 4 by 4 loads 8 for 16. Elements that do not exist read what the
    last one reads, and are not stored. The loop of the sums is unrolled. Results smaller than 64 blocks of coarse
    threads keep the fine loop; where the sizes are not known, the host chooses.
    Example: test/Gpu/coarsen-reductions.mlir
  }];
  let options = [Option<"tile", "tile", "int64_t", "4", "Elements of a thread along each dimension">,
                 Option<"unroll", "unroll", "int64_t", "8", "Steps of the sum done at once">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def TileParallel : Pass<"lispier-tile-parallel", "::mlir::func::FuncOp"> {
  let summary = "Split each outermost scf.parallel into blocks of threads";
  let description = [{
    Two dimensions become tiles of 16x16 for 256 threads, one dimension tiles of
    256; a dimension that is known to be shorter leaves its threads to the other.
    More than three dimensions are collapsed from the left first. A size that
    the tile does not divide gets a bounds guard around the body.
    Example: test/Gpu/tile-parallel.mlir
  }];
  let options = [Option<"blockThreads", "block-threads", "unsigned", "0",
                        "Threads of one block, a power of two; 0 for the target's, 256 where none is named">];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def MapParallelToGrid : Pass<"lispier-map-parallel-to-grid", "::mlir::func::FuncOp"> {
  let summary = "Assign an outermost scf.parallel to blocks and the one directly inside to threads";
  let description = [{
    The last dimension is contiguous in memory, so it becomes x, the one that
    coalesces. At most three dimensions. Deeper loops stay sequential, loops
    that someone has mapped already keep their mapping, and loops that reduce to
    values stay on the host.
    Example: test/Gpu/map-parallel-to-grid.mlir
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect"];
}

def MergeGpuModules : Pass<"lispier-merge-gpu-modules", "::mlir::ModuleOp"> {
  let summary = "Put all kernels into one gpu.module under unique names";
  let description = [{
    Outlining makes one gpu.module a launch, and two may hold the same name. One
    module is loaded once, and its kernels share their device functions. Kernel
    names that an assembler would refuse (`forward-f32`) are spelled with `_`.
    Example: test/Gpu/merge-gpu-modules.mlir
  }];
  let options = [Option<"name", "name", "std::string", "\"kernels\"", "Symbol of the one module">];
  let dependentDialects = ["::mlir::gpu::GPUDialect"];
}

def InferBlockSize : Pass<"lispier-infer-block-size", "::mlir::ModuleOp"> {
  let summary = "Tell a kernel its block size when all launches agree on it";
  let description = [{
    Outlining does so for the launches it outlines; this is for kernels that
    were written as such. Whole warps need no test of which lanes exist, and
    registers are given out for the block there is. gpu.block_dim becomes a
    constant where the size is known.
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
    Example: test/Gpu/flatten-kernel-arguments.mlir
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::LLVM::LLVMDialect"];
}

// Inside kernels, before the vendor's conversion.

def PlaceKernelMemory : Pass<"lispier-place-kernel-memory"> {
  let summary = "Give memory that a kernel allocates its place: shared by the block, or private to the thread";
  let description = [{
    An alloc or alloca of static shape in workgroup memory becomes a workgroup
    attribution of the kernel or launch around it; its dealloc goes. An alloca
    without a memory space becomes a private one, seen through a cast, because
    not every GPU keeps the stack in the generic address space.
    Example: test/Gpu/place-kernel-memory.mlir
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect"];
}

def InlineDeviceFunctions : Pass<"lispier-inline-device-functions", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Inline the functions that kernels call";
  let description = [{
    All of them, from the innermost: reductions of a block must see their kernel,
    and a memref of unknown sizes cannot be handed over by bare pointers. A
    function of several blocks that is called inside a structured op becomes an
    scf.execute_region. One that calls itself is an error. Upstream's `inline`
    leaves gpu.func alone, since the gpu dialect does not allow code into it.
    Example: test/Gpu/inline-device-functions.mlir
  }];
  let dependentDialects = ["::mlir::cf::ControlFlowDialect", "::mlir::scf::SCFDialect"];
}

def LowerGroupOps : Pass<"lispier-lower-group-ops", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower reductions over a warp or a block to shuffles of the right width";
  let description = [{
    gpu.subgroup_reduce and gpu.all_reduce become butterflies of gpu.shuffle over
    exactly `warp-width` lanes; a block reduces its warps through shared memory.
    Upstream's all_reduce always takes five steps of 32 lanes, which is half the
    truth where a warp has 64. gpu.subgroup_size, _id and num_subgroups become
    arithmetic. A partial last warp is handled. A shuffle of the user's over fewer
    lanes becomes one over the warp, in which each lane knows whom it reads; with `masks` it stays, since the target
    names a group's lanes.
    Example: test/Gpu/lower-group-ops.mlir
  }];
  let options = [
    Option<"warpWidth", "warp-width", "unsigned", "0",
           "Lanes of a warp, a power of two up to 64; 0 for the target's, 32 where none is named">,
    Option<"masks", "masks", "bool", "false",
           "Leave shuffles over fewer lanes to the target, which has masks for them; also where the target says so">,
    Option<"keepReductions", "keep-reductions", "bool", "false",
           "Leave reductions of 32-bit numbers over full warps to the target's own passes; also where the target says so">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def AllowContraction : Pass<"lispier-allow-contraction", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Let a product and a sum in a kernel become one fused multiply-add";
  let description = [{
    Adds fastmath<contract> to float arithmetic, as GPU compilers do by default.
    Without it neither vendor's code generator forms an FMA.
    Example: test/Gpu/allow-contraction.mlir
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def LowerKernelVectors : Pass<"lispier-lower-kernel-vectors", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Bring vector ops in kernels down to one row: loads, stores, reductions";
  let description = [{
    Upstream's patterns for reductions of several dimensions and for transfers;
    its pass for the former runs on func.func only. Transfers of higher rank are
    unrolled by convert-vector-to-scf before.
    Example: test/Gpu/lower-kernel-vectors.mlir
  }];
  let dependentDialects = ["::mlir::vector::VectorDialect", "::mlir::memref::MemRefDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def AlignVectors : Pass<"lispier-align-vectors", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Give vector loads and stores in kernels their natural alignment";
  let description = [{
    A vector of 2^n bytes is taken to lie at a multiple of its size, up to
    `vector-bytes`, as built-in vector types do on GPUs; an alignment that is
    written down stays. Without it a load of four floats is four loads.
    Example: test/Gpu/align-vectors.mlir
  }];
  let options = [Option<"vectorBytes", "vector-bytes", "unsigned", "0",
                        "The widest single access in bytes; 0 for the target's, 16 where none is named">];
  let dependentDialects = ["::mlir::vector::VectorDialect"];
}

#endif
