//===- KernelDestinations.cpp - kernels that overwrite an operand ---------===//
#include "KernelDestinations.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace lispier {
bool mayOverwrite(group::KernelOp kernel, OpOperand &operand, unsigned result) {
  Value yielded = kernel.yieldOp().getResults()[result];
  auto made = yielded.getDefiningOp<linalg::GenericOp>();
  if (operand.get().getType() != kernel->getResult(result).getType() || !made ||
      made.getNumParallelLoops() != made.getNumLoops())
    return false;
  // Other results of the kernel are made by the same op, or before it.
  for (Value other : kernel.yieldOp().getResults())
    if (Operation *op = other.getDefiningOp(); !op || (op != made && !op->isBeforeInBlock(made)))
      return false;
  AffineMap written = made.getIndexingMapMatchingResult(cast<OpResult>(yielded));
  return llvm::all_of(kernel.argumentOf(operand).getUses(), [&](OpOperand &use) {
    return isa<tensor::DimOp>(use.getOwner()) ||
           (use.getOwner() == made && made.isDpsInput(&use) && made.getMatchingIndexingMap(&use) == written);
  });
}

void overwriteOperand(group::KernelOp kernel, OpOperand &operand, unsigned result, Value place, IRRewriter &rewriter) {
  BlockArgument input = kernel.argumentOf(operand), init = kernel.initArgument(result);
  rewriter.setInsertionPointToStart(&kernel.getBody().front());
  Operation *made = kernel.yieldOp().getResults()[result].getDefiningOp();
  // What is computed before the operand is read lies elsewhere.
  SmallVector<OpOperand *> begins;
  for (OpOperand &use : init.getUses())
    if (auto op = dyn_cast<linalg::LinalgOp>(use.getOwner()); op && op.isDpsInit(&use) && op != made)
      begins.push_back(&use);
  if (!begins.empty()) {
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, kernel.getLoc(), init);
    Value elsewhere = tensor::EmptyOp::create(rewriter, kernel.getLoc(), sizes, getElementTypeOrSelf(init.getType()));
    for (OpOperand *use : begins)
      use->set(elsewhere);
  }
  rewriter.replaceAllUsesWith(input, init);
  kernel.getInitsMutable()[result].set(place);
  unsigned number = operand.getOperandNumber();
  kernel.getInputsMutable().erase(number);
  kernel.getBody().front().eraseArgument(number);
}
} // namespace lispier
