//===- RecomputeRule.cpp - what a gradient computes again ------------------===//
//
// Of (recompute x) nothing is kept: where the gradient first needs a value of it, the
// region stands again, on values of `grad.again`, which keep what is computed there
// from being merged with the forward pass, and before its time. In loops, whose
// adjoint computes an iteration again anyway, the region's ops are some of the body's.
//
//===----------------------------------------------------------------------===//
#include "RecomputeRule.h"
#include "Rules.h"
#include "lispier/Grad/Grad.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace lispier {
namespace {
/// The first op of the adjoint that needs a result of the op; null if none does.
Operation *firstInAdjoint(Operation *op, Operation *lastForward) {
  Operation *first = nullptr;
  for (Operation *user : op->getUsers()) {
    Operation *outer = op->getBlock()->findAncestorOpInBlock(*user);
    if (outer && lastForward->isBeforeInBlock(outer) && (!first || outer->isBeforeInBlock(first)))
      first = outer;
  }
  return first;
}

/// What the op reads that the adjoint has made: it is not computed again before that is there.
SmallVector<Value> madeInAdjoint(Operation *op, Operation *lastForward) {
  return llvm::filter_to_vector(op->getOperands(), [&](Value operand) {
    Operation *made = operand.getDefiningOp();
    return made && made->getBlock() == op->getBlock() && lastForward->isBeforeInBlock(made) &&
           isa<RankedTensorType>(operand.getType());
  });
}
} // namespace

LogicalResult reverseRecompute(Operation *op, Reverse &reverse) {
  auto region = cast<grad::RecomputeOp>(op);
  Operation *first = firstInAdjoint(op, reverse.lastForward);
  SmallVector<Value> cotangents, after;
  for (Value result : op->getResults())
    cotangents.push_back(reverse.take(result));
  if (!first && llvm::none_of(cotangents, [](Value each) { return bool(each); }))
    return success();
  OpBuilder b(reverse.b);
  if (first) {
    b.setInsertionPoint(first);
    after = madeInAdjoint(first, reverse.lastForward);
  } else {
    llvm::copy_if(cotangents, std::back_inserter(after), [](Value each) { return bool(each); });
  }
  llvm::SetVector<Value> used;
  getUsedValuesDefinedAbove(region.getBody(), used);
  IRMapping mapping;
  SmallVector<Operation *> ops;
  for (Value value : used) {
    if (!isa<RankedTensorType>(value.getType()))
      continue;
    ops.push_back(grad::AgainOp::create(b, op->getLoc(), value, after));
    mapping.map(value, ops.back()->getResult(0));
  }
  llvm::append_range(ops, copyForAdjoint(b, region.getBody().front(), mapping));
  for (Operation *copy : ops) {
    copy->walk([](tensor::DimOp size) { // Sizes are known.
      if (auto again = size.getSource().getDefiningOp<grad::AgainOp>())
        size.getSourceMutable().set(again.getValue());
    });
    reverse.active.visit(copy);
  }
  ValueRange yielded = region.getBody().front().getTerminator()->getOperands();
  for (auto [result, value, cotangent] : llvm::zip(op->getResults(), yielded, cotangents)) {
    Value again = mapping.lookupOrDefault(value);
    reverse.add(again, cotangent);
    result.replaceUsesWithIf(again, [&](OpOperand &use) {
      Operation *outer = op->getBlock()->findAncestorOpInBlock(*use.getOwner());
      return outer && reverse.lastForward->isBeforeInBlock(outer);
    });
  }
  return reverse.visit(ops);
}

LogicalResult reverseAgain(Operation *op, Reverse &reverse) {
  reverse.add(op->getOperand(0), reverse.take(op->getResult(0)));
  return success();
}

void inlineRecomputed(Operation *root) {
  root->walk([](grad::RecomputeOp op) {
    IRRewriter rewriter(op);
    Operation *yield = op.getBody().front().getTerminator();
    SmallVector<Value> values(yield->getOperands());
    rewriter.eraseOp(yield);
    rewriter.inlineBlockBefore(&op.getBody().front(), op);
    rewriter.replaceOp(op, values);
  });
}

scf::ForOp splitLoop(scf::ForOp loop, int64_t every) {
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  Value low = loop.getLowerBound(), high = loop.getUpperBound(), step = loop.getStep();
  Type type = low.getType();
  Value chunk;
  if (std::optional<int64_t> each = getConstantIntValue(step))
    chunk = arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, every * *each));
  else
    chunk = arith::MulIOp::create(b, loc, step,
                                  arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, every)).getResult());
  auto outer = scf::ForOp::create(b, loc, low, high, chunk, loop.getInitArgs());
  b.setInsertionPointToEnd(outer.getBody());
  Value end = arith::MinSIOp::create(b, loc, high, arith::AddIOp::create(b, loc, outer.getInductionVar(), chunk));
  auto inner = scf::ForOp::create(b, loc, outer.getInductionVar(), end, step, outer.getRegionIterArgs());
  inner.getRegion().takeBody(loop.getRegion());
  scf::YieldOp::create(b, loc, inner.getResults());
  outer->setAttr(grad::kRecompute, b.getI64IntegerAttr(1));
  return outer;
}
} // namespace lispier
