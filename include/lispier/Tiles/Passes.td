//===- Passes.td - the passes of the component Tiles ------------*- tablegen -*-===//
#ifndef LISPIER_TILES_PASSES
#define LISPIER_TILES_PASSES

include "mlir/Pass/PassBase.td"

def TilesToLinalg : Pass<"lispier-tiles-to-linalg", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower tile programs to linalg ops and loops on buffers, for one thread";
  let description = [{
    Every tile becomes a buffer of the kernel, in the dimensions of more than one element, or is computed where it is used.
    Sums, products and elementwise ops become linalg.generic, of constant sizes and with the elementwise ops before them in
    the body; reads and writes of memory become copies with constant bounds for tiles that are wholly inside, and of the part
    that is inside for the others. Loops and branches carry buffers: a tile replaces its predecessor in place where that is
    not read any more. Buffers above 32 KB in total are on the heap. A bit is stored as a byte.
    Example: test/Tiles/tiles-to-linalg.mlir
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def TileLaunchesToLoops : Pass<"lispier-tile-launches-to-loops", "::mlir::ModuleOp"> {
  let summary = "Run the blocks of a tile program as the iterations of a parallel loop on the host";
  let description = [{
    A tile program that is not distributed has one thread in each block, which meets no other. Its kernel becomes a private
    function of the block's id and the grid's size, followed by the kernel's parameters; a launch becomes an scf.parallel
    over the grid that calls it, blocks with neighbouring x beside each other. Kernels that still call functions of their
    module stay launches.
    Example: test/Tiles/tile-launches-to-loops.mlir
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::scf::SCFDialect"];
}

def PipelineTiles : Pass<"lispier-pipeline-tiles", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Copy the tiles that a loop multiplies to shared memory some steps ahead";
  let description = [{
    In a tile program with `stages` above 1, each tile that a loop reads from global memory for a vector.contract gets that many
    slots of shared memory. The copy of a tile is a vector.transfer_read whose only use is a vector.transfer_write to a slot,
    which is distributed as asynchronous copies; tile.commit_copies ends the copies of a step, and each step begins with
    tile.wait_copies and one barrier. Trip counts may be dynamic: copies past the last step are predicated. A loop stays
    if it writes global memory, or if the address of a tile depends on what the loop carries.
    Example: test/Tiles/pipeline-tiles.mlir
  }];
  let dependentDialects = ["::lispier::tile::TileDialect", "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

#endif
