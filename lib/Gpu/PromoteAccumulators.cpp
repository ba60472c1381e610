//===- PromoteAccumulators.cpp - keep accumulators in registers -----------===//
//
// Before: each iteration of a loop loads, updates and stores one element of a
// memref. After: the loop carries the element in iter_args, with one load before
// and one store after it. Inner loops are transformed first, since the load and
// store that remain are then candidates for the outer loop.
//

#include "lispier/Device/DeviceDialect.h"
#include "lispier/Gpu/Passes.h"
#include "mlir/Analysis/AliasAnalysis.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_PROMOTEACCUMULATORS
#include "lispier/Gpu/Passes.h.inc"

namespace {
struct Accumulator {
  memref::StoreOp store;
  SmallVector<memref::LoadOp> loads;
};

bool runsAtLeastOnce(scf::ForOp loop) {
  std::optional<APInt> count = loop.getStaticTripCount();
  return count && !count->isZero();
}

/// Whether `op` neither reads nor writes `memory`.
bool isElsewhere(Operation *op, Value memory, bool marked, AliasAnalysis &aliases) {
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return op->hasTrait<OpTrait::HasRecursiveMemoryEffects>(); // The walk visits the nested ops.
  SmallVector<MemoryEffects::EffectInstance> found;
  effects.getEffects(found);
  return llvm::all_of(found, [&](const MemoryEffects::EffectInstance &effect) {
    Value value = effect.getValue();
    if (!value)
      return false;
    return value != memory && (marked || aliases.alias(value, memory).isNo());
  });
}

/// Returns the load and store of the element that `store` updates in `loop`, if the element can be carried.
std::optional<Accumulator> findAccumulator(scf::ForOp loop, memref::StoreOp store, AliasAnalysis &aliases) {
  bool marked = loop->hasAttr(device::kReduction);
  Accumulator found{store, {}};
  if (!llvm::all_of(store->getOperands().drop_front(), [&](Value v) { return loop.isDefinedOutsideOfLoop(v); }))
    return std::nullopt;
  WalkResult result = loop.getBody()->walk([&](Operation *op) {
    if (op == store)
      return WalkResult::advance();
    if (auto load = dyn_cast<memref::LoadOp>(op); load && load.getMemRef() == store.getMemRef()) {
      bool same = llvm::equal(load.getIndices(), store.getIndices()) && load->getBlock() == store->getBlock() &&
                  load->isBeforeInBlock(store);
      if (same)
        found.loads.push_back(load);
      return same ? WalkResult::advance() : WalkResult::interrupt();
    }
    return isElsewhere(op, store.getMemRef(), marked, aliases) ? WalkResult::advance() : WalkResult::interrupt();
  });
  if (result.wasInterrupted() || found.loads.empty() || !(marked || runsAtLeastOnce(loop)))
    return std::nullopt;
  return found;
}

scf::ForOp carry(RewriterBase &rewriter, scf::ForOp loop, Accumulator accumulator) {
  memref::StoreOp store = accumulator.store;
  rewriter.setInsertionPoint(loop);
  Value initial = memref::LoadOp::create(rewriter, store.getLoc(), store.getMemRef(), store.getIndices());
  Value next = store.getValueToStore(), memory = store.getMemRef();
  SmallVector<Value> indices(store.getIndices());
  Location loc = store.getLoc();
  rewriter.eraseOp(store);
  bool marked = loop->hasAttr(device::kReduction);
  auto newLoop = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, ValueRange(initial), /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &, Location, ArrayRef<BlockArgument>) { return SmallVector<Value>{next}; }));
  if (marked)
    newLoop->setAttr(device::kReduction, rewriter.getUnitAttr());
  Value carried = newLoop.getRegionIterArgs().back();
  for (memref::LoadOp load : accumulator.loads)
    rewriter.replaceOp(load, carried);
  rewriter.setInsertionPointAfter(newLoop);
  memref::StoreOp::create(rewriter, loc, newLoop.getResults().back(), memory, indices);
  return newLoop;
}

struct PromoteAccumulators : impl::PromoteAccumulatorsBase<PromoteAccumulators> {
  void runOnOperation() override {
    auto &aliases = getAnalysis<AliasAnalysis>();
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) { loops.push_back(loop); }); // Post-order: inner loops first.
    IRRewriter rewriter(&getContext());
    for (scf::ForOp loop : loops) {
      for (auto store : llvm::to_vector(loop.getBody()->getOps<memref::StoreOp>()))
        if (std::optional<Accumulator> accumulator = findAccumulator(loop, store, aliases))
          loop = carry(rewriter, loop, *accumulator);
      loop->removeAttr(device::kReduction);
    }
  }
};
} // namespace
} // namespace lispier
