//===- MapParallelToGrid.cpp - scf.parallel -> gpu mapping attributes -----===//
//
// scf.parallel declares that iterations are independent, but not where they run.
// This pass adds the mapping attributes that convert-parallel-loops-to-gpu, the
// next pass, follows.
//
//===----------------------------------------------------------------------===//

#include "lispier/Gpu/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/ParallelLoopMapper.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_MAPPARALLELTOGRID
#include "lispier/Gpu/Passes.h.inc"

namespace {
constexpr unsigned kGridRank = 3;
enum class Level { Blocks, Threads, Sequential };

gpu::Processor processor(Level level, unsigned axis) {
  switch (level) {
  case Level::Blocks:
    return static_cast<gpu::Processor>(static_cast<unsigned>(gpu::Processor::BlockX) + axis);
  case Level::Threads:
    return static_cast<gpu::Processor>(static_cast<unsigned>(gpu::Processor::ThreadX) + axis);
  case Level::Sequential:
    return gpu::Processor::Sequential;
  }
  llvm_unreachable("all levels are above");
}

LogicalResult mapLoop(scf::ParallelOp loop, Level level) {
  unsigned rank = loop.getNumLoops();
  if (level != Level::Sequential && rank > kGridRank)
    return loop.emitOpError("has ") << rank << " dimensions; a grid has at most " << kGridRank
                                    << ", collapse some first";
  AffineMap identity = AffineMap::getMultiDimIdentityMap(1, loop.getContext());
  SmallVector<gpu::ParallelLoopDimMappingAttr> mapping;
  for (unsigned i = 0; i < rank; ++i)
    mapping.push_back(
        gpu::ParallelLoopDimMappingAttr::get(loop.getContext(), processor(level, rank - 1 - i), identity, identity));
  if (failed(gpu::setMappingAttr(loop, mapping)))
    return failure();
  Level next = level == Level::Blocks ? Level::Threads : Level::Sequential;
  for (auto inner : llvm::to_vector(loop.getBody()->getOps<scf::ParallelOp>()))
    if (failed(mapLoop(inner, next)))
      return failure();
  return success();
}

struct MapParallelToGrid : impl::MapParallelToGridBase<MapParallelToGrid> {
  void runOnOperation() override {
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      auto loop = dyn_cast<scf::ParallelOp>(op);
      if (loop && !loop->hasAttr(gpu::getMappingAttrName()) && loop.getNumReductions() == 0)
        if (failed(mapLoop(loop, Level::Blocks)))
          signalPassFailure();
      // Loops inside a mapped loop stay sequential; loops inside a launch are mapped already.
      return loop || isa<gpu::LaunchOp>(op) ? WalkResult::skip() : WalkResult::advance();
    });
  }
};
} // namespace
} // namespace lispier
