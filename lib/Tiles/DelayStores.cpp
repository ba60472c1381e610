//===- DelayStores.cpp - write slots after the products -------------------===//
//
// Before: x = read; write x to the slot of a later step; products of this step's slots.
// After: x = read; products; write x. Where there is a branch, if there is a later step,
// around read and write, there are two after that. The step's slots are others than
// those that are written, and the barrier at the beginning of the next step comes after
// both. What a loop in another one reads in its first step is written before it, as
// ever.
//
//===----------------------------------------------------------------------===//
#include "DelayStores.h"
#include "SharedSlot.h"
#include "lispier/Tile/TileSlots.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace lispier {
namespace {
Value storedBy(Operation *store) {
  if (auto ofVector = dyn_cast<vector::StoreOp>(store))
    return ofVector.getValueToStore();
  return cast<memref::StoreOp>(store).getValueToStore();
}

/// The ops of the block that compute where the store goes; nothing if one of them reads memory.
FailureOr<llvm::SetVector<Operation *>> placeOf(Operation *store, Block &block) {
  llvm::SetVector<Operation *> found;
  SmallVector<Value> open(llvm::drop_begin(store->getOperands()));
  while (!open.empty()) {
    Operation *maker = open.pop_back_val().getDefiningOp();
    if (!maker || maker->getBlock() != &block || !found.insert(maker))
      continue;
    if (!isPure(maker) || maker->getNumRegions())
      return failure();
    llvm::append_range(open, maker->getOperands());
  }
  return found;
}

/// The memory that a view is of.
Value slotsOf(Value memory) {
  while (auto view = memory.getDefiningOp<ViewLikeOpInterface>())
    memory = view.getViewSource();
  return memory;
}

/// Whether a loop behind `first` in its block, whose first steps' slots the stores write then, reads one of them.
bool isBeforeLoop(Operation *first, ArrayRef<Operation *> stores) {
  llvm::SmallPtrSet<Value, 4> written;
  for (Operation *store : stores)
    written.insert(slotsOf(store->getOperand(1)));
  for (Operation *next = first->getNextNode(); next; next = next->getNextNode())
    if (isa<scf::ForOp>(next) && next->walk([&](Operation *op) {
                                       bool isRead = llvm::any_of(op->getOperands(), [&](Value operand) {
                                         return written.contains(slotsOf(operand));
                                       });
                                       return isRead ? WalkResult::interrupt() : WalkResult::advance();
                                     })
                                     .wasInterrupted())
      return true;
  return false;
}

void delayStoresOf(scf::IfOp branch, scf::ForOp loop, llvm::SetVector<Operation *> &delayed) {
  Block &block = *branch.thenBlock();
  SmallVector<Operation *> stores;
  llvm::SetVector<Operation *> places;
  SmallVector<Value> values;
  for (Operation &op : block)
    if (op.hasAttr(tile::kToSlot)) {
      FailureOr<llvm::SetVector<Operation *>> place = placeOf(&op, block);
      if (failed(place))
        return;
      places.insert_range(*place);
      stores.push_back(&op);
      values.push_back(storedBy(&op));
    }
  if (stores.empty() || isBeforeLoop(branch, stores))
    return;
  OpBuilder b(branch);
  Location loc = branch.getLoc();
  auto reads = scf::IfOp::create(b, loc, TypeRange(ValueRange(values)), branch.getCondition(), /*withElseRegion=*/true);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  auto writes = scf::IfOp::create(b, loc, branch.getCondition(), /*withElseRegion=*/false);
  for (scf::IfOp each : {reads, writes})
    each->setDiscardableAttrs(branch->getDiscardableAttrDictionary());

  b.setInsertionPointToStart(reads.elseBlock());
  scf::YieldOp::create(b, loc, llvm::map_to_vector(values, [&](Value value) -> Value {
                         return arith::ConstantOp::create(b, loc, b.getZeroAttr(value.getType()));
                       }));
  b.setInsertionPoint(writes.thenYield());
  IRMapping moved;
  for (Operation &op : block)
    if (places.contains(&op))
      b.clone(op, moved);
  for (auto [store, value] : llvm::zip(stores, reads.getResults())) {
    Operation *later = b.clone(*store, moved);
    later->setOperand(0, value);
    delayed.insert(later);
    store->erase();
  }
  branch.thenYield()->setOperands(values);
  reads.getThenRegion().takeBody(branch.getThenRegion());
  branch.erase();
}
/// Of the stores of a loop's body itself, but those of rows that are kept, which the same step reads.
void delayStoresIn(scf::ForOp loop, llvm::SetVector<Operation *> &delayed) {
  SmallVector<Operation *> stores;
  for (Operation &op : *loop.getBody())
    if (op.hasAttr(tile::kToSlot) && !delayed.contains(&op) && !isKeptRow(slotsOf(op.getOperand(1))))
      stores.push_back(&op);
  if (stores.empty() || isBeforeLoop(stores.front(), stores))
    return;
  // What only they use, such as a transposition in registers, would wait for the reads, too.
  llvm::SetVector<Operation *> moved(stores.rbegin(), stores.rend());
  for (Operation *op = stores.back(); op; op = op->getPrevNode())
    if (isa<vector::ToElementsOp, vector::FromElementsOp>(op) && !op->use_empty() &&
        llvm::all_of(op->getUsers(), [&](Operation *user) { return moved.contains(user); }))
      moved.insert(op);
  for (Operation *op : llvm::reverse(moved))
    op->moveBefore(loop.getBody()->getTerminator());
  delayed.insert_range(stores);
}
} // namespace

void delayStores(gpu::GPUFuncOp kernel) {
  SmallVector<scf::IfOp> branches;
  kernel.walk([&](scf::IfOp branch) {
    if (isa<scf::ForOp>(branch->getParentOp()) && !branch->getNumResults() && !branch.elseBlock())
      branches.push_back(branch);
  });
  llvm::SetVector<Operation *> delayed;
  for (scf::IfOp branch : branches)
    delayStoresOf(branch, cast<scf::ForOp>(branch->getParentOp()), delayed);
  kernel.walk([&](scf::ForOp loop) { delayStoresIn(loop, delayed); });
  kernel.walk([&](Operation *op) {
    if (!delayed.contains(op))
      op->removeDiscardableAttr(tile::kToSlot);
  });
}
} // namespace lispier
