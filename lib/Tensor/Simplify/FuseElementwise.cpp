//===- FuseElementwise.cpp - chains of elementwise ops --------------------===//
//
// Before: a linalg op for each op of the source. After: a chain of elementwise ops
// is one linalg.generic, also with the reduction at its end; what is cheaper to
// compute than to read is computed where it is needed. Groups are formed of these
// ops, of which each needs its operands as tensors.
//
//===----------------------------------------------------------------------===//
#include "KeptOrder.h"
#include "lispier/Tensor/Passes.h"
#include "lispier/Tensor/Simplify/TensorRoles.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace lispier {
#define GEN_PASS_DEF_FUSEELEMENTWISE
#include "lispier/Tensor/Passes.h.inc"
} // namespace lispier

using namespace mlir;

namespace lispier {
namespace {
/// To write an element to memory and to read it again takes longer.
constexpr int64_t kMostRepetitionCost = 16;
/// Each operand is a pointer with sizes and strides, of which a GPU's kernel takes 4 KB.
constexpr unsigned kMostOperands = 32;

/// Whether an op is part of what makes `value`, a contraction's or reduction's result, up to elementwise ops: it is
/// best computed where that result is, while it is in registers.
bool belongsToProducer(linalg::LinalgOp op) {
  return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *operand) {
    auto producer = operand->get().getDefiningOp<linalg::LinalgOp>();
    return producer && op.getMatchingIndexingMap(operand).isPermutation() &&
           (roleOf(producer) == TensorRole::Contraction || roleOf(producer) == TensorRole::Other);
  });
}

/// What it costs to compute the producer's elements several times, along loops of the consumer that it lacks, for each
/// of its elements; more than any limit if their number is not known.
int64_t repetitionCost(linalg::GenericOp producer, linalg::GenericOp consumer, OpOperand &operand) {
  AffineMap read = consumer.getMatchingIndexingMap(&operand);
  int64_t times = 1;
  for (auto [loop, size] : llvm::enumerate(consumer.getStaticLoopRanges()))
    if (!read.isFunctionOfDim(loop)) {
      if (ShapedType::isDynamic(size) || size > kMostRepetitionCost)
        return kMostRepetitionCost + 1;
      times *= size;
    }
  return (times - 1) * elementCost(producer);
}

/// Whether the op's elements differ only by their places: each operand has one element that all share.
bool isOfPlaces(linalg::GenericOp op) {
  return llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *operand) {
    return llvm::all_of(op.getMatchingIndexingMap(operand).getResults(), llvm::IsaPred<AffineConstantExpr>);
  });
}

/// What it costs to compute an element of a tensor from those that the consumer reads anyway, element by element; more
/// than `limit` if it needs others, or none.
int64_t costFromOperands(Value tensor, linalg::GenericOp consumer, int64_t limit) {
  auto op = tensor.getDefiningOp<linalg::GenericOp>();
  if (!op || op->getBlock() != consumer->getBlock() || op.getNumDpsInits() != 1 || belongsToProducer(op) ||
      op.getNumReductionLoops() != 0 || !op.getIndexingMapsArray().back().isIdentity())
    return limit + 1;
  int64_t cost = isOfPlaces(op) ? limit + 1 : elementCost(op);
  for (OpOperand *operand : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(operand);
    bool isRead = map.getNumResults() < op.getNumLoops() || // There it is no work of each element.
                  llvm::any_of(
                      consumer.getDpsInputOperands(),
                      [&](OpOperand *own) {
                        return own->get() == operand->get() && consumer.getMatchingIndexingMap(own) == map;
                      });
    if (!isRead && cost <= limit)
      cost += map.isIdentity() ? costFromOperands(operand->get(), consumer, limit - cost) : limit + 1;
  }
  return cost;
}

/// Whether the producer can be computed again in the consumer of what that reads anyway. It takes less than to write
/// and to read an element of its result, with any functions that a formula of a few has: an activation, as its
/// derivative needs it.
bool readsNothingMore(linalg::GenericOp producer, linalg::GenericOp consumer, OpOperand &operand) {
  constexpr int64_t kMostAdditions = 64;
  return consumer.getMatchingIndexingMap(&operand).isIdentity() &&
         costFromOperands(producer->getResult(0), consumer, kMostAdditions) <= kMostAdditions;
}

/// Whether the producer of the operand is to be computed in the consumer, for each of its iterations.
bool pays(linalg::GenericOp producer, linalg::GenericOp consumer, OpOperand &operand) {
  TensorRole role = roleOf(consumer);
  if (role != TensorRole::Elementwise && role != TensorRole::Reduction)
    return false;
  if (readsWindows(consumer, operand))
    return isCheaperThanMemory(producer) && !belongsToProducer(producer) &&
           (elementCost(producer) <= 1 || isOfPlaces(producer));
  bool once = consumer.getMatchingIndexingMap(&operand).isPermutation();
  if (producer->hasOneUse() && once)
    return role == TensorRole::Elementwise || !belongsToProducer(producer);
  if (producer->hasOneUse() && !belongsToProducer(producer) && role == TensorRole::Elementwise &&
      repetitionCost(producer, consumer, operand) <= kMostRepetitionCost)
    return true;
  if (belongsToProducer(producer))
    return false;
  if (role == TensorRole::Elementwise && readsNothingMore(producer, consumer, operand))
    return true;
  if (!isCheaperThanMemory(producer))
    return false;
  // Along dimensions that the producer lacks its value stays the same: there it is no work of each element. What is
  // made of the places of elements, and of numbers that all share, such as a mask or positions, needs no memory.
  return once || elementCost(producer) <= 1 || isOfPlaces(producer);
}

/// Computes a producer of the op in it; returns the new op, or null if there is none that pays.
linalg::GenericOp fuseProducer(linalg::GenericOp consumer, const KeptOrder &order, IRRewriter &rewriter) {
  for (OpOperand *operand : consumer.getDpsInputOperands()) {
    auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
    if (!producer || producer->getBlock() != consumer->getBlock() || producer.getNumDpsInits() != 1 ||
        producer.getNumDpsInputs() + consumer.getNumDpsInputs() > kMostOperands + 1 ||
        !linalg::areElementwiseOpsFusable(operand) || !pays(producer, consumer, *operand) ||
        !order.mayMoveBefore(producer, consumer))
      continue;
    rewriter.setInsertionPoint(consumer);
    if (!producer->hasOneUse()) // A producer with other uses would become a further result.
      operand->set(rewriter.clone(*producer)->getResult(0));
    FailureOr<linalg::ElementwiseOpFusionResult> fused = linalg::fuseElementwiseOps(rewriter, operand);
    if (failed(fused))
      continue;
    for (Value result : consumer->getResults())
      rewriter.replaceAllUsesWith(result, fused->replacements.lookup(result));
    rewriter.eraseOp(consumer);
    return cast<linalg::GenericOp>(fused->fusedOp);
  }
  return nullptr;
}

/// The only op of an elementwise op's body, if it is one of `Op` on the only operand, element by element.
template <typename Op> Op onlyOp(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 || op.getNumReductionLoops() != 0 ||
      !llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) { return map.isIdentity(); }))
    return nullptr;
  auto only = op.getBody()->getTerminator()->getOperand(0).getDefiningOp<Op>();
  return only && only->getOperand(0) == op.getBody()->getArgument(0) ? only : Op();
}

/// round(widen x) -> x: a value of 16 bits that was widened for a sum and is a product's factor, too. It may be
/// reshaped in between.
void foldRounding(linalg::GenericOp op, IRRewriter &rewriter) {
  if (!onlyOp<arith::TruncFOp>(op))
    return;
  SmallVector<Operation *> reshapes;
  Value wide = op.getInputs()[0];
  while (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(wide.getDefiningOp())) {
    reshapes.push_back(wide.getDefiningOp());
    wide = reshapes.back()->getOperand(0);
  }
  auto widening = wide.getDefiningOp<linalg::GenericOp>();
  Type element = getElementTypeOrSelf(op.getResult(0));
  if (!widening || !onlyOp<arith::ExtFOp>(widening) || getElementTypeOrSelf(widening.getInputs()[0]) != element)
    return;
  rewriter.setInsertionPoint(op);
  Value narrow = widening.getInputs()[0];
  for (Operation *reshape : llvm::reverse(reshapes)) {
    Operation *again = rewriter.clone(*reshape);
    again->setOperand(0, narrow);
    again->getResult(0).setType(cast<RankedTensorType>(reshape->getResult(0).getType()).clone(element));
    narrow = again->getResult(0);
  }
  rewriter.replaceOp(op, narrow);
}

struct FuseElementwise : impl::FuseElementwiseBase<FuseElementwise> {
  using FuseElementwiseBase::FuseElementwiseBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    generalize(rewriter);
    getOperation()->walk([&](linalg::GenericOp op) { foldRounding(op, rewriter); });
    KeptOrder order(getOperation());
    SmallVector<linalg::GenericOp> ops;
    getOperation()->walk([&](linalg::GenericOp op) {
      if (op.hasPureTensorSemantics())
        ops.push_back(op);
    });
    uint64_t operandsRead = 0;
    for (linalg::GenericOp op : ops)
      while (linalg::GenericOp fused = fuseProducer(op, order, rewriter)) {
        op = fused;
        operandsRead += op->getNumOperands();
      }
    if (countWork)
      emitRemark(getOperation().getLoc()) << operandsRead << " operands read";
    if (!getOperation().walk([](linalg::GenericOp) { return WalkResult::interrupt(); }).wasInterrupted())
      return;
    RewritePatternSet cleanUp(&getContext()); // Operands that became equal, and producers without a use.
    linalg::populateEraseUnusedOperandsAndResultsPatterns(cleanUp);
    if (failed(applyPatternsGreedily(getOperation(), std::move(cleanUp))))
      signalPassFailure();
  }

  /// Named ops other than fills and products become generic ones.
  void generalize(IRRewriter &rewriter) {
    SmallVector<linalg::LinalgOp> named;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (op.hasPureTensorSemantics() &&
          !isa<linalg::GenericOp, linalg::FillOp, linalg::ContractionOpInterface>(op.getOperation()) &&
          !linalg::isaConvolutionOpInterface(op))
        named.push_back(op);
    });
    for (linalg::LinalgOp op : named) {
      rewriter.setInsertionPoint(op);
      (void)linalg::generalizeNamedOp(rewriter, op); // One that has no generic form stays as it is.
    }
  }
};
} // namespace
} // namespace lispier
