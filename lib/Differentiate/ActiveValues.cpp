//===- ActiveValues.cpp - what a gradient can flow through ----------------===//
#include "ActiveValues.h"
#include "lispier/Grad/Grad.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace lispier {
bool hasGradient(Type type) {
  return isa<FloatType>(type) || (isa<RankedTensorType>(type) && isa<FloatType>(getElementTypeOrSelf(type)));
}

/// The memref that a value is a view of; the value itself if it is none.
static Value viewed(Value value) {
  while (auto view = value.getDefiningOp<ViewLikeOpInterface>())
    value = view.getViewSource();
  return value;
}

bool ActiveValues::contains(Value value) const {
  return isa<BaseMemRefType>(value.getType()) ? !memory.empty() && memory.contains(viewed(value))
                                              : active.contains(value);
}

/// Notes the memory that an op may write, if it may write an active value.
void ActiveValues::findStored(Operation *op) {
  if (isMemoryEffectFree(op) || !dependsOnActive(op))
    return;
  op->walk([&](Operation *inside) {
    for (Value operand : inside->getOperands())
      if (isa<BaseMemRefType>(operand.getType()))
        memory.insert(viewed(operand));
  });
}

/// Whether an operand is active, or a value that the op's regions use.
bool ActiveValues::dependsOnActive(Operation *op) const {
  return op
      ->walk([&](Operation *inside) {
        return llvm::any_of(inside->getOperands(), [&](Value operand) { return contains(operand); })
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

void ActiveValues::visit(Operation *op) {
  if (isa<grad::StopOp>(op))
    return;
  if (isa<scf::ForOp>(op))
    return visitLoop(op);
  if (auto branches = dyn_cast<scf::IfOp>(op)) {
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        for (Operation &inside : block)
          visit(&inside);
        for (auto [result, yielded] : llvm::zip(op->getResults(), block.getTerminator()->getOperands()))
          if (contains(yielded))
            insert(result);
      }
    return;
  }
  findStored(op);
  if (op->getNumResults() == 0 || !dependsOnActive(op))
    return;
  for (Value result : op->getResults())
    insert(result);
}

/// What a loop carries is active if its first value is, or what an iteration makes of active values.
void ActiveValues::visitLoop(Operation *op) {
  auto loop = cast<scf::ForOp>(op);
  auto carry = [&](ValueRange values) {
    bool changed = false;
    for (auto [carried, value] : llvm::zip(loop.getRegionIterArgs(), values))
      if (contains(value) && !contains(carried)) {
        insert(carried);
        changed = true;
      }
    return changed;
  };
  carry(loop.getInitArgs());
  size_t stored;
  do {
    stored = memory.size();
    for (Operation &inside : loop.getBody()->without_terminator())
      visit(&inside);
  } while (carry(loop.getYieldedValues()) || memory.size() > stored);
  for (auto [carried, result] : llvm::zip(loop.getRegionIterArgs(), loop.getResults()))
    if (contains(carried))
      insert(result);
}
} // namespace lispier
