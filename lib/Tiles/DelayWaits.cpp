//===- DelayWaits.cpp - wait for products where sums are used -------------===//
//
// Before: each product of warpgroups is waited for right after it. After: the threads
// compute while products run, as far as the order of the program lets them: scores of
// the next keys, say, are multiplied while a softmax of the last ones is computed.
//
//===----------------------------------------------------------------------===//
#include "DelayWaits.h"
#include "SharedAllocations.h"
#include "lispier/Tile/Tile.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace lispier {
namespace {
/// The rings that fill a kernel's slots, by the slots' memory.
using Rings = llvm::DenseMap<Value, Value>;

/// Gives a thread's numbers other names.
bool isRenaming(Operation *op) { return isa<vector::ToElementsOp, vector::FromElementsOp>(op); }

/// Whether the op may let other data into the slots that a product still reads, or waits itself. `own`: the rings of
/// these slots.
bool endsProducts(Operation *op, const llvm::SmallDenseSet<Value> &own) {
  if (isa<gpu::BarrierOp, tile::WarpgroupWaitOp>(op) || op->hasTrait<OpTrait::IsTerminator>())
    return true;
  return op
      ->walk([&](Operation *inner) {
        if (auto release = dyn_cast<tile::ReleaseOp>(inner); release && !own.contains(release.getRing()))
          return WalkResult::advance();
        if (isa<gpu::BarrierOp, tile::CopyAsyncOp, tile::ReleaseOp, tile::WarpgroupCommitOp, tile::WarpgroupWaitOp>(
                inner))
          return WalkResult::interrupt();
        auto access = dyn_cast<MemoryEffectOpInterface>(inner);
        SmallVector<MemoryEffects::EffectInstance> effects;
        if (access)
          access.getEffects(effects);
        return WalkResult(llvm::any_of(effects,
                                       [](const MemoryEffects::EffectInstance &effect) {
                                         Value memory = effect.getValue();
                                         return memory && isa<MemoryEffects::Write>(effect.getEffect()) &&
                                                isa<MemRefType>(memory.getType()) &&
                                                gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(
                                                    cast<MemRefType>(memory.getType()));
                                       })
                              ? WalkResult::interrupt()
                              : WalkResult::advance());
      })
      .wasInterrupted();
}

bool usesAny(Operation *op, const llvm::SetVector<Operation *> &makers) {
  return op
      ->walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          if (Operation *maker = operand.getDefiningOp(); maker && makers.contains(maker))
            return WalkResult::interrupt();
        return WalkResult::advance();
      })
      .wasInterrupted();
}

/// The rings whose slots the products before the wait read, which nothing has moved yet.
llvm::SmallDenseSet<Value> ringsOf(tile::WarpgroupWaitOp wait, const Rings &rings) {
  llvm::SmallDenseSet<Value> all;
  for (Operation *op = wait->getPrevNode(); op && !isa<tile::WarpgroupFenceOp>(op); op = op->getPrevNode())
    if (auto product = dyn_cast<tile::WarpgroupMmaOp>(op))
      for (Value factor : {Value(product.getA()), Value(product.getB())})
        if (isa<MemRefType>(factor.getType()))
          all.insert(rings.lookup(sharedAllocationOf(factor)));
  return all;
}

void delayWait(tile::WarpgroupWaitOp wait, const Rings &rings) {
  llvm::SetVector<Operation *> moved;
  moved.insert(wait);
  int64_t pending = wait.getPending();
  llvm::SmallDenseSet<Value> own = ringsOf(wait, rings);
  Operation *op = wait->getNextNode();
  for (; op; op = op->getNextNode()) {
    bool uses = usesAny(op, moved);
    if (uses && isRenaming(op)) {
      moved.insert(op);
      continue;
    }
    bool isGroup = isa<tile::WarpgroupCommitOp>(op);
    if (uses || (!isGroup && endsProducts(op, own)))
      break;
    pending += isGroup;
  }
  wait.setPending(pending);
  for (Operation *each : moved)
    each->moveBefore(op);
}
} // namespace

void delayWaits(gpu::GPUFuncOp kernel) {
  Rings rings;
  kernel.walk([&](tile::FillOp fill) { rings[sharedAllocationOf(fill.getSlots())] = fill.getRing(); });
  SmallVector<tile::WarpgroupWaitOp> waits;
  kernel.walk([&](tile::WarpgroupWaitOp wait) { waits.push_back(wait); });
  for (tile::WarpgroupWaitOp wait : llvm::reverse(waits)) // The last first: a wait does not pass another.
    delayWait(wait, rings);
}
} // namespace lispier
