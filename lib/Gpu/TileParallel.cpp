//===- TileParallel.cpp - scf.parallel -> blocks of threads ---------------===//
//
// Before: scf.parallel over the whole problem. After: an outer scf.parallel over
// tiles and an inner one with constant bounds over the elements of a tile, with a
// guard if the tile can exceed the bounds. MapParallelToGrid, the next pass,
// relies on this nesting: canonicalizing in between would merge the loops.
//

#include "lispier/Device/DeviceDialect.h"
#include "lispier/Gpu/Passes.h"
#include "lispier/TargetInfo/TargetInfo.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/ParallelLoopMapper.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_TILEPARALLEL
#include "lispier/Gpu/Passes.h.inc"

namespace {
constexpr unsigned kMostGridLoops = 3;
/// Blocks that a grid may have along y and z.
constexpr int64_t kMostOuterBlocks = 65535;

/// Trip count of dimension `i` if its bounds and step are constants.
std::optional<int64_t> extent(scf::ParallelOp loop, unsigned i) {
  std::optional<int64_t> low = getConstantIntValue(loop.getLowerBound()[i]);
  std::optional<int64_t> high = getConstantIntValue(loop.getUpperBound()[i]);
  std::optional<int64_t> step = getConstantIntValue(loop.getStep()[i]);
  if (!low || !high || !step || *step <= 0)
    return std::nullopt;
  return llvm::divideCeil(std::max<int64_t>(0, *high - *low), *step);
}

/// The smallest power of two that is at least the extent of dimension `i`, but at most `most`.
int64_t cover(scf::ParallelOp loop, unsigned i, int64_t most) {
  std::optional<int64_t> size = extent(loop, i);
  return size ? std::min<int64_t>(most, llvm::PowerOf2Ceil(std::max<int64_t>(*size, 1))) : most;
}

/// The tile size of each dimension; the product is at most `threads`.
SmallVector<int64_t> tileSizes(scf::ParallelOp loop, int64_t threads) {
  unsigned rank = loop.getNumLoops();
  SmallVector<int64_t> sizes(rank, 1);
  unsigned x = rank - 1;
  if (rank == 1) {
    sizes[x] = threads;
    return sizes;
  }
  unsigned y = rank - 2;
  int64_t side = int64_t(1) << (llvm::Log2_64(threads) / 2); // 16 for 256 threads.
  sizes[y] = cover(loop, y, side);
  sizes[x] = cover(loop, x, sizes[y] == side ? threads / side : threads / sizes[y]);
  if (sizes[x] < threads / side) // x is short, so y gets more threads.
    sizes[y] = cover(loop, y, threads / sizes[x]);
  return sizes;
}

/// Collapses all but the last two dimensions into one.
scf::ParallelOp collapse(RewriterBase &rewriter, scf::ParallelOp loop) {
  unsigned rank = loop.getNumLoops();
  if (rank <= kMostGridLoops)
    return loop;
  std::vector<unsigned> front(rank - 2);
  std::iota(front.begin(), front.end(), 0);
  Operation *before = loop->getPrevNode();
  Block *block = loop->getBlock();
  collapseParallelLoops(rewriter, loop, {front, {rank - 2}, {rank - 1}});
  // The loop was replaced in place: find it after the op that preceded it.
  for (Operation &op : llvm::make_range(before ? std::next(before->getIterator()) : block->begin(), block->end()))
    if (auto made = dyn_cast<scf::ParallelOp>(op))
      return made;
  llvm_unreachable("collapsing a loop leaves a loop");
}

/// Iterations of all but the last two loops; nullopt if only the call knows them.
std::optional<int64_t> outerExtent(scf::ParallelOp loop) {
  std::optional<int64_t> all = 1;
  for (unsigned i = 0; i + 2 < loop.getNumLoops(); ++i) {
    std::optional<int64_t> size = extent(loop, i);
    all = all && size ? std::optional(*all * *size) : std::nullopt;
  }
  return all;
}

struct TileParallel : impl::TileParallelBase<TileParallel> {
  using TileParallelBase::TileParallelBase;

  void runOnOperation() override {
    const TargetInfo *info = device::targetInfoOf(getOperation());
    unsigned threads = blockThreads ? blockThreads : info ? info->defaultBlockThreads : 256;
    if (!llvm::isPowerOf2_32(threads)) {
      getOperation().emitError("block-threads is a power of two, not ") << threads;
      return signalPassFailure();
    }
    SmallVector<scf::ParallelOp> loops;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto loop = dyn_cast<scf::ParallelOp>(op); loop && !loop->hasAttr(gpu::getMappingAttrName()))
        if (loop.getNumReductions() == 0)
          loops.push_back(loop);
      return isa<scf::ParallelOp, gpu::LaunchOp>(op) ? WalkResult::skip() : WalkResult::advance();
    });
    IRRewriter rewriter(&getContext());
    for (scf::ParallelOp loop : loops) {
      // Where only the call knows how many there are, it is for products of several: to take each block's number apart
      // would be work for nothing elsewhere.
      unsigned rank = loop.getNumLoops();
      std::optional<int64_t> outer = outerExtent(loop);
      bool isLong = outer ? *outer > kMostOuterBlocks : rank > kMostGridLoops;
      loop = collapse(rewriter, loop);
      SmallVector<int64_t> sizes = tileSizes(loop, threads);
      if (std::optional<int64_t> rows = rank > 1 ? extent(loop, sizes.size() - 2) : std::nullopt)
        isLong |= llvm::divideCeil(*rows, sizes[sizes.size() - 2]) > kMostOuterBlocks;
      std::vector<unsigned> all(sizes.size());
      std::iota(all.begin(), all.end(), 0);
      scf::ParallelOp tiles = scf::tileParallelLoop(loop, sizes, /*noMinMaxBounds=*/true).first;
      if (isLong)
        collapseParallelLoops(rewriter, tiles, {all});
    }
  }
};
} // namespace
} // namespace lispier
