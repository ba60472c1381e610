//===- Passes.td - the passes of the component Tiles ------------*- tablegen -*-===//
#ifndef LISPIER_TILES_PASSES
#define LISPIER_TILES_PASSES

include "mlir/Pass/PassBase.td"

def TilesToLinalg : Pass<"lispier-tiles-to-linalg", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower tile programs to linalg ops and loops on buffers, for one thread";
  let description = [{
    Every tile becomes a buffer of the kernel, in the dimensions of more than one element, or is computed where it is
    used. Sums, products and elementwise ops become linalg.generic, of constant sizes and with the elementwise ops
    before them in the body; reads and writes of memory become copies with constant bounds for tiles that are wholly
    inside, and of the part that is inside for the others. Of a row that ends before its tile does, only what is there
    is copied and computed; with read-in-place nothing is copied that is read element by element, unless the program
    writes memory that overlaps it. Loops and branches carry buffers: a tile replaces its
    predecessor in place where that is not read any more. Buffers above 32 KB in total are on the heap. A bit is stored
    as a byte.
    Example: test/Tiles/tiles-to-linalg.mlir
  }];
  let options = [
    Option<"readInPlace", "read-in-place", "bool", /*default=*/"false",
           "Compute with memory itself where a tile of it is read element by element">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def LongVectorsToLinalg : Pass<"lispier-long-vectors-to-linalg", "::mlir::ModuleOp"> {
  let summary = "Lower vectors that registers do not hold to linalg ops and loops on buffers";
  let description = [{
    A function with vectors of more than 4,096 bytes, all ops of which on vectors are those of tile programs, is lowered
    as one is (lispier-tiles-to-linalg). LLVM would take its vectors apart into registers, all at once. Sums of such
    vectors are in no particular order.
    Example: test/Tiles/long-vectors-to-linalg.mlir
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def TileLaunchesToLoops : Pass<"lispier-tile-launches-to-loops", "::mlir::ModuleOp"> {
  let summary = "Run the blocks of a tile program as the iterations of a parallel loop on the host";
  let description = [{
    A tile program that is not distributed has one thread in each block, which meets no other. Its kernel becomes a
    private function of the block's id and the grid's size, followed by the kernel's parameters; a launch becomes an
    scf.parallel over the grid that calls it, blocks with neighbouring x beside each other. Kernels that still call
    functions of their module stay launches.
    Example: test/Tiles/tile-launches-to-loops.mlir
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::scf::SCFDialect"];
}

def ChooseTileConstants : Pass<"lispier-choose-tile-constants", "::mlir::ModuleOp"> {
  let summary = "Take the constants that were tuned for the target, where launches leave them open";
  let description = [{
    Resolves tile.choose: to a number, or to code that compares the classes of the launch's sizes with those of the
    rules for the target. Programs that no launch needs any more are erased. A measured launch is put between calls of
    the runtime's lispier_rt_tune_begin and _end.
    Example: test/Tiles/choose-tile-constants.mlir
  }];
  let options = [ListOption<"targets", "targets", "std::string",
                            "What the target is called: cpu, gpu or sim, its vendor and chips, its abilities">];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::math::MathDialect"];
}

def GuardLanes : Pass<"lispier-guard-lanes", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Let no op of a tile program fail for an element that nothing uses";
  let description = [{
    A tile that is longer than its memory has elements beyond the end, whose numbers are the padding of loads. Where
    they would not be stored, an op that may fail (lispier/Device/FailingLanes.h) gets other operands.
    Example: test/Tiles/guard-lanes.mlir
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::vector::VectorDialect"];
}

// From tile programs to threads, in this order.

def SpecializeAlignment : Pass<"lispier-specialize-alignment", "::mlir::ModuleOp"> {
  let summary = "Make variants of each tile program for memory whose rows are aligned, and for any other";
  let description = [{
    A transfer along contiguous memory gets `tile.vector`, the neighbours that one access may have, if its index is
    known to be a multiple of that; that pointers, sizes and strides of the kernel's parameters are too, each launch
    tests, and takes the kernel NAME_unaligned, whose accesses have `tile.vector = 1`, if one of them is not.
    Example: test/Tiles/specialize-alignment.mlir
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def SpecializeWarps : Pass<"lispier-specialize-warps", "::mlir::ModuleOp"> {
  let summary = "Let a warp of its own copy the tiles that a loop multiplies, in blocks that stay";
  let description = [{
    A tile program with `ring` for a target with products of warpgroups, in which one loop reads tiles of rows of 128
    bytes or a multiple, aligned, and only multiplies them, becomes tile.roles: a ring of `stages`
    slots for each tile, a loop of tile.vacant and tile.fill for one lane of a further warp, and one of tile.filled, the
    products, in flight, and tile.release for the program's warps. What is computed of the sums is made 16 columns at a
    time; results of 16 bits are written by tile.stage and tile.drain, 64 columns at a time. Both loops are in loops
    over the blocks of the program's grid, whose sizes become parameters; launches have at most as many blocks as the
    target has multiprocessors.
    So does one whose loops compute something of their products in each step, such as a softmax: each factor that is
    read from memory, also before the loops, has a ring of its own, whose tiles are waited for before a product and
    released where its result is used. Where products of a step need nothing of each other they come one after the
    other, in the turn (tile.turn) of a group of four warps. Other programs stay as they are.
    Example: test/Tiles/specialize-warps.mlir
  }];
  let dependentDialects = ["::lispier::tile::TileDialect", "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def KeepRows : Pass<"lispier-keep-rows", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Keep rows that several loops of a tile program read in shared memory";
  let description = [{
    In a tile program with `tile.keeps_rows`, loops over one range of constant bounds that read the same tiles of a
    parameter, each at its own position, read them from shared memory, to which all are copied before the first of these
    loops. The copies are all in flight at the same time: what hides them is another block of the multiprocessor. A row
    that a block has no memory for is read by each loop, as before.
    Example: test/Tiles/keep-rows.mlir
  }];
  let dependentDialects = ["::lispier::tile::TileDialect", "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def PipelineTiles : Pass<"lispier-pipeline-tiles", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Copy the tiles that a loop multiplies to shared memory some steps ahead";
  let description = [{
    In a tile program with `stages` above 1, each tile that a loop reads from global memory for a vector.contract gets
    that many slots of shared memory. The copy of a tile is a vector.transfer_read whose only use is a
    vector.transfer_write to a slot, which is distributed as asynchronous copies; tile.commit_copies ends the copies of
    a step, and each step begins with tile.wait_copies and one barrier. Trip counts may be dynamic: copies past the last
    step are predicated. With four stages or more, sums of warpgroups that a loop only carries are marked
    `tile.in_flight`: a step's product may end in the next step, and tiles are copied one step less ahead. A loop stays
    if it writes global memory, or if the address of a tile depends on what the loop carries.
    Example: test/Tiles/pipeline-tiles.mlir
  }];
  let dependentDialects = ["::lispier::tile::TileDialect", "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def SplitProducts : Pass<"lispier-split-products", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Make products of BF16 or TF32 of products of F32 that allow it";
  let description = [{
    By the attribute `tile.precision` of a vector.contract, where the target has matrix instructions for it. The factors
    are rounded, or become sums of two terms, of whose products all but the smallest are added to the same sums. A
    factor that is widened to F32 is one term. Without such instructions the product stays as it is.
    Example: test/Tiles/split-products.mlir
  }];
  let dependentDialects = ["::lispier::tile::TileDialect", "::mlir::arith::ArithDialect",
                           "::mlir::vector::VectorDialect"];
}

def LayOutTiles : Pass<"lispier-lay-out-tiles", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Give each tile of a tile program a layout";
  let description = [{
    A forward analysis begins at layouts that the user wrote, at products, whose instructions fix them, and at accesses
    to memory, in this order of strength; others take the strongest that reaches them. Cheap ops are repeated for each
    layout in which they are used; everything else is moved by tile.convert, as early as may be. Layouts are written as
    the attribute `tile.layout`. The target's warp width and matrix instructions come from `device.target`.
    Example: test/Tiles/lay-out-tiles.mlir
  }];
  let dependentDialects = ["::lispier::tile::TileDialect"];
}

def DistributeTiles : Pass<"lispier-distribute-tiles", "::mlir::ModuleOp"> {
  let summary = "Make of each tile the part of each thread, and of launches launches of whole warps";
  let description = [{
    After lispier-lay-out-tiles. A tile becomes a vector of one dimension, the registers of a thread. Tiles that change
    their layout, and what warps reduce together, go through memref.alloc in the memory of the block, without barriers:
    lispier-share-memory gives it a place and makes them.
    Example: test/Tiles/distribute-tiles.mlir
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect", "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def ShareMemory : Pass<"lispier-share-memory", "::mlir::ModuleOp"> {
  let summary = "Place the shared memory of distributed tile programs, and insert the barriers that it needs";
  let description = [{
    After lispier-distribute-tiles. Allocations in the memory of the block become parts of one dynamic allocation, whose
    size launches pass; those that are not in use at the same time share bytes where there would be many. A barrier is
    inserted before an access if, since the last barrier on some path, another thread may have accessed the same bytes
    and one of the two writes. Slots of pipelined loops have their barriers already.
    Example: test/Tiles/share-memory.mlir
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect"];
}

#endif
