//===- Passes.td - the passes of the component Tiles ------------*- tablegen -*-===//
#ifndef LISPIER_TILES_PASSES
#define LISPIER_TILES_PASSES

include "mlir/Pass/PassBase.td"

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

#endif
