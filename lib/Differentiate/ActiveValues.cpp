//===- ActiveValues.cpp - what a gradient can flow through ----------------===//
#include "ActiveValues.h"
#include "lispier/Grad/Grad.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace lispier {
bool hasGradient(Type type) {
  return isa<FloatType>(type) || (isa<RankedTensorType>(type) && isa<FloatType>(getElementTypeOrSelf(type)));
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
  do
    for (Operation &inside : loop.getBody()->without_terminator())
      visit(&inside);
  while (carry(loop.getYieldedValues()));
  for (auto [carried, result] : llvm::zip(loop.getRegionIterArgs(), loop.getResults()))
    if (contains(carried))
      insert(result);
}
} // namespace lispier
