//===- CoarsenReductions.cpp - several results of a thread ----------------===//
//
// Before: each iteration of a two-dimensional loop sums up one element, and
// loads two numbers for each multiply-add. After: a thread sums up a tile of
// elements, 16 apart so that neighbours still write neighbours, and loads a row
// and a column of numbers for a tile of multiply-adds. Small problems keep the
// fine loop, which has more threads; the host chooses by the sizes.
//
//===----------------------------------------------------------------------===//

#include "lispier/Gpu/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/ParallelLoopMapper.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_COARSENREDUCTIONS
#include "lispier/Gpu/Passes.h.inc"

namespace {
/// Threads of a block along each dimension, as TileParallel lays out 256.
constexpr int64_t kSide = 16;

/// The parts of a body that can be done for a tile of elements at once.
struct Reduction {
  SmallVector<Operation *> before; ///< Addresses and initial values: pure, or loads.
  scf::ForOp loop;                 ///< Carries values; only pure ops and loads inside.
  SmallVector<Operation *> after;  ///< Pure ops, loads and stores; done for elements that exist only.
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
  Coarsening(scf::ParallelOp parallel, const Reduction &reduction, int64_t tile, int64_t unroll)
      : parallel(parallel), reduction(reduction), tile(tile), unroll(unroll), b(parallel.getLoc(), parallel) {}

  /// Writes the coarse loop at the insertion point of `at`.
  void write(OpBuilder::InsertPoint at) {
    b.restoreInsertionPoint(at);
    Value zero = constant(0), one = constant(1);
    // One iteration a thread: as many as there are tiles of tile x tile elements, in groups of 16 x 16.
    SmallVector<Value> counts;
    for (Value size : parallel.getUpperBound()) {
      Value groups = arith::CeilDivUIOp::create(b, size, constant(kSide * tile));
      counts.push_back(arith::MulIOp::create(b, groups, constant(kSide)));
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
    // A step that is a sector of memory wide uses what it fetches before something else takes its place in the cache,
    // and has many loads under way at once.
    if (unroll > 1)
      (void)loopUnrollByFactor(joined, unroll);
  }

private:
  struct Element {
    IRMapping clamped; ///< Reads for elements that do not exist read the last one that does.
    SmallVector<Value> indices;
    bool first = false;
  };

  Value constant(int64_t value) { return arith::ConstantIndexOp::create(b, value); }

  /// Element (r, c) of thread (i, j) is [(i / 16) * 16 * tile + r * 16 + i % 16, the same for c and j].
  void elements(ValueRange thread) {
    SmallVector<SmallVector<Value>, 2> indices(2), clamped(2);
    for (unsigned d = 0; d < 2; ++d) {
      Value group = arith::DivUIOp::create(b, thread[d], constant(kSide));
      Value inside = arith::RemUIOp::create(b, thread[d], constant(kSide));
      Value base = arith::AddIOp::create(b, arith::MulIOp::create(b, group, constant(kSide * tile)), inside);
      Value last = arith::SubIOp::create(b, parallel.getUpperBound()[d], constant(1));
      for (int64_t k = 0; k < tile; ++k) {
        indices[d].push_back(arith::AddIOp::create(b, base, constant(k * kSide)));
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

  /// One loop for all elements; equal loads become one when common subexpressions go.
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
  int64_t tile, unroll;
  ImplicitLocOpBuilder b;
  SmallVector<Element> all;
};

/// Whether there are at least `least` elements in both dimensions, and `blocks` coarse blocks in all: a constant when
/// the sizes are.
Value isLarge(ImplicitLocOpBuilder &b, scf::ParallelOp parallel, int64_t least, int64_t elements) {
  Value rows = parallel.getUpperBound()[0], columns = parallel.getUpperBound()[1];
  auto constant = [&](int64_t value) { return arith::ConstantIndexOp::create(b, value).getResult(); };
  auto atLeast = [&](Value value, int64_t bound) {
    return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::uge, value, constant(bound));
  };
  Value both = b.createOrFold<arith::AndIOp>(atLeast(rows, least), atLeast(columns, least));
  return b.createOrFold<arith::AndIOp>(both, atLeast(b.createOrFold<arith::MulIOp>(rows, columns), elements));
}

void coarsen(scf::ParallelOp parallel, const Reduction &reduction, int64_t tile, int64_t unroll) {
  ImplicitLocOpBuilder b(parallel.getLoc(), parallel);
  int64_t side = kSide * tile;
  constexpr int64_t kBlocks = 64; // fewer leave most of a large GPU idle
  Value large = isLarge(b, parallel, side, kBlocks * side * side);
  std::optional<int64_t> known = getConstantIntValue(large);
  if (known && *known == 0)
    return;
  Coarsening coarsening(parallel, reduction, tile, unroll);
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
    SmallVector<scf::ParallelOp> loops;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto loop = dyn_cast<scf::ParallelOp>(op))
        loops.push_back(loop);
      return isa<scf::ParallelOp, gpu::LaunchOp>(op) ? WalkResult::skip() : WalkResult::advance();
    });
    for (scf::ParallelOp loop : loops)
      if (std::optional<Reduction> reduction = match(loop))
        coarsen(loop, *reduction, tile, unroll);
  }
};
} // namespace
} // namespace lispier
