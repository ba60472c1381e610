//===- CoarsenReductions.cpp - several results per thread -----------------===//
//
// Before: each iteration of a two-dimensional loop computes the sum of one element
// and loads two numbers per multiply-add. After: a thread computes a tile of
// elements, which are 16 apart so that adjacent threads still write adjacent
// elements, and reuses a row and a column of loads for the tile. Small problems
// keep the original loop, which has more threads; the host chooses by the sizes.
//

#include "lispier/Device/DeviceDialect.h"
#include "lispier/Gpu/Passes.h"
#include "lispier/TargetInfo/TargetInfo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/ParallelLoopMapper.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_COARSENREDUCTIONS
#include "lispier/Gpu/Passes.h.inc"

namespace {
/// A loop body split into parts that can each be executed for a tile of elements.
struct Reduction {
  SmallVector<Operation *> before; ///< Pure ops or loads: addresses and initial values.
  scf::ForOp loop;                 ///< Carries values; contains only pure ops and loads.
  SmallVector<Operation *> after;  ///< Pure ops, loads and stores; guarded by the bounds of each element.
};

bool isPureOrLoad(Operation &op) { return isa<memref::LoadOp>(op) || (isPure(&op) && op.getNumRegions() == 0); }

std::optional<Reduction> match(scf::ParallelOp parallel) {
  if (parallel.getNumLoops() != 2 || parallel.getNumReductions() != 0 || parallel->hasAttr(gpu::getMappingAttrName()))
    return std::nullopt;
  for (Value bound :
       llvm::concat<Value>(llvm::to_vector(parallel.getLowerBound()), llvm::to_vector(parallel.getStep())))
    if (!getConstantIntValue(bound))
      return std::nullopt;
  if (!llvm::all_of(parallel.getLowerBound(), [](Value v) { return *getConstantIntValue(v) == 0; }) ||
      !llvm::all_of(parallel.getStep(), [](Value v) { return *getConstantIntValue(v) == 1; }))
    return std::nullopt;
  Reduction found;
  for (Operation &op : parallel.getBody()->without_terminator()) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      bool simple = loop.getNumResults() != 0 && llvm::all_of(loop.getBody()->without_terminator(), isPureOrLoad);
      auto outside = [&](Value v) { return parallel.isDefinedOutsideOfLoop(v); };
      if (found.loop || !simple || !outside(loop.getLowerBound()) || !outside(loop.getUpperBound()) ||
          !outside(loop.getStep()))
        return std::nullopt;
      found.loop = loop;
    } else if (!found.loop && isPureOrLoad(op)) {
      found.before.push_back(&op);
    } else if (found.loop && (isa<memref::StoreOp>(op) || isPureOrLoad(op))) {
      found.after.push_back(&op);
    } else {
      return std::nullopt;
    }
  }
  return found.loop ? std::optional(found) : std::nullopt;
}

class Coarsening {
public:
  Coarsening(scf::ParallelOp parallel, const Reduction &reduction, int64_t side, int64_t tile, int64_t unroll)
      : parallel(parallel), reduction(reduction), side(side), tile(tile), unroll(unroll),
        b(parallel.getLoc(), parallel) {}

  /// Creates the coarse loop at the insertion point `at`.
  void write(OpBuilder::InsertPoint at) {
    b.restoreInsertionPoint(at);
    Value zero = constant(0), one = constant(1);
    // One iteration per thread: the number of tiles of tile x tile elements, in groups of side x side.
    SmallVector<Value> counts;
    for (Value size : parallel.getUpperBound()) {
      Value groups = arith::CeilDivUIOp::create(b, size, constant(side * tile));
      counts.push_back(arith::MulIOp::create(b, groups, constant(side)));
    }
    auto coarse = scf::ParallelOp::create(b, ValueRange{zero, zero}, counts, ValueRange{one, one});
    b.setInsertionPointToStart(coarse.getBody());
    elements(coarse.getInductionVars());
    for (Element &element : all)
      for (Operation *op : reduction.before)
        b.clone(*op, element.clamped);
    scf::ForOp joined = sum();
    for (Element &element : all)
      store(element);
    // Unrolling to the width of a memory sector uses all fetched data before the cache evicts it, and keeps many loads
    // in flight.
    if (unroll > 1)
      (void)loopUnrollByFactor(joined, unroll);
  }

private:
  struct Element {
    IRMapping clamped; ///< Clamps indices, so that reads for elements out of bounds read the last element.
    SmallVector<Value> indices;
    bool first = false;
  };

  Value constant(int64_t value) { return arith::ConstantIndexOp::create(b, value); }

  /// Element (r, c) of thread (i, j) has row (i / side) * side * tile + r * side + i % side; the column likewise from c
  /// and j.
  void elements(ValueRange thread) {
    SmallVector<SmallVector<Value>, 2> indices(2), clamped(2);
    for (unsigned d = 0; d < 2; ++d) {
      Value group = arith::DivUIOp::create(b, thread[d], constant(side));
      Value inside = arith::RemUIOp::create(b, thread[d], constant(side));
      Value base = arith::AddIOp::create(b, arith::MulIOp::create(b, group, constant(side * tile)), inside);
      Value last = arith::SubIOp::create(b, parallel.getUpperBound()[d], constant(1));
      for (int64_t k = 0; k < tile; ++k) {
        indices[d].push_back(arith::AddIOp::create(b, base, constant(k * side)));
        clamped[d].push_back(arith::MinUIOp::create(b, indices[d].back(), last));
      }
    }
    for (int64_t r = 0; r < tile; ++r)
      for (int64_t c = 0; c < tile; ++c) {
        Element element;
        element.indices = {indices[0][r], indices[1][c]};
        element.clamped.map(parallel.getInductionVars(), ValueRange{clamped[0][r], clamped[1][c]});
        all.push_back(std::move(element));
      }
  }

  /// Creates one loop for all elements; CSE later merges equal loads.
  scf::ForOp sum() {
    scf::ForOp loop = reduction.loop;
    SmallVector<Value> inits;
    for (Element &element : all)
      for (Value init : loop.getInitArgs())
        inits.push_back(element.clamped.lookupOrDefault(init));
    auto joined = scf::ForOp::create(b, loop.getLowerBound(), loop.getUpperBound(), loop.getStep(), inits);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(joined.getBody());
    unsigned carried = loop.getNumResults();
    SmallVector<Value> next;
    for (auto [i, element] : llvm::enumerate(all)) {
      element.clamped.map(loop.getInductionVar(), joined.getInductionVar());
      element.clamped.map(loop.getRegionIterArgs(), joined.getRegionIterArgs().slice(i * carried, carried));
      for (Operation &op : loop.getBody()->without_terminator())
        b.clone(op, element.clamped);
      for (Value value : loop.getYieldedValues())
        next.push_back(element.clamped.lookupOrDefault(value));
      element.clamped.map(loop.getResults(), joined.getResults().slice(i * carried, carried));
    }
    scf::YieldOp::create(b, next);
    return joined;
  }

  void store(Element &element) {
    Value exists;
    for (unsigned d = 0; d < 2; ++d) {
      Value inside =
          arith::CmpIOp::create(b, arith::CmpIPredicate::ult, element.indices[d], parallel.getUpperBound()[d]);
      exists = exists ? arith::AndIOp::create(b, exists, inside).getResult() : inside;
    }
    auto guarded = scf::IfOp::create(b, exists);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(guarded.thenBlock());
    for (Operation *op : reduction.after)
      b.clone(*op, element.clamped);
  }

  scf::ParallelOp parallel;
  const Reduction &reduction;
  int64_t side, tile, unroll; ///< side: threads of a block along each dimension.
  ImplicitLocOpBuilder b;
  SmallVector<Element> all;
};

/// Whether both dimensions have at least `least` elements and there are at least kBlocks coarse blocks; a constant if
/// the sizes are constant.
Value isLarge(ImplicitLocOpBuilder &b, scf::ParallelOp parallel, int64_t least, int64_t elements) {
  Value rows = parallel.getUpperBound()[0], columns = parallel.getUpperBound()[1];
  auto constant = [&](int64_t value) { return arith::ConstantIndexOp::create(b, value).getResult(); };
  auto atLeast = [&](Value value, int64_t bound) {
    return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::uge, value, constant(bound));
  };
  Value both = b.createOrFold<arith::AndIOp>(atLeast(rows, least), atLeast(columns, least));
  return b.createOrFold<arith::AndIOp>(both, atLeast(b.createOrFold<arith::MulIOp>(rows, columns), elements));
}

void coarsen(scf::ParallelOp parallel, const Reduction &reduction, int64_t blockSide, int64_t tile, int64_t unroll) {
  ImplicitLocOpBuilder b(parallel.getLoc(), parallel);
  int64_t side = blockSide * tile;
  constexpr int64_t kBlocks = 64; // Fewer leave most of a large GPU idle.
  Value large = isLarge(b, parallel, side, kBlocks * side * side);
  std::optional<int64_t> known = getConstantIntValue(large);
  if (known && *known == 0)
    return;
  Coarsening coarsening(parallel, reduction, blockSide, tile, unroll);
  if (known) {
    coarsening.write(b.saveInsertionPoint());
    parallel.erase();
    return;
  }
  auto choice = scf::IfOp::create(b, large, /*withElseRegion=*/true);
  coarsening.write({choice.thenBlock(), choice.thenBlock()->begin()});
  parallel->moveBefore(choice.elseBlock(), choice.elseBlock()->begin());
}

struct CoarsenReductions : impl::CoarsenReductionsBase<CoarsenReductions> {
  using CoarsenReductionsBase::CoarsenReductionsBase;

  void runOnOperation() override {
    const TargetInfo *info = device::targetInfoOf(getOperation());
    // As lispier-tile-parallel divides the block: 16 x 16 threads of 256.
    int64_t side = int64_t(1) << (llvm::Log2_64(info ? info->defaultBlockThreads : 256) / 2);
    SmallVector<scf::ParallelOp> loops;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto loop = dyn_cast<scf::ParallelOp>(op))
        loops.push_back(loop);
      return isa<scf::ParallelOp, gpu::LaunchOp>(op) ? WalkResult::skip() : WalkResult::advance();
    });
    for (scf::ParallelOp loop : loops)
      if (std::optional<Reduction> reduction = match(loop))
        coarsen(loop, *reduction, side, tile, unroll);
  }
};
} // namespace
} // namespace lispier
