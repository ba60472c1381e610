//===- SimplifyShapes.cpp - dimensions of size 1, and equal sizes ---------===//
//
// Before: elementwise ops and reductions on tensors of any shape, such as the means
// of rows with a dimension of 1 that :keep left. After: without dimensions of 1, so
// that a mean has the rows of the sum that it comes from; sizes of results are
// sizes of operands. What groups compare are loops and values, not sizes.
//
//===----------------------------------------------------------------------===//
#include "TensorRoles.h"
#include "lispier/Tensor/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace lispier {
#define GEN_PASS_DEF_SIMPLIFYSHAPES
#include "lispier/Tensor/Passes.h.inc"
} // namespace lispier

using namespace mlir;

namespace lispier {
namespace {
/// Products keep their dimensions, by which kernels are chosen.
SmallVector<unsigned> droppedDims(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || !generic.hasPureTensorSemantics())
    return {};
  TensorRole role = roleOf(generic);
  if (role != TensorRole::Elementwise && role != TensorRole::Reduction)
    return {};
  return llvm::to_vector(llvm::seq<unsigned>(0, generic.getNumLoops()));
}

/// A reduction that lost its dimensions is elementwise, but still combines its init with what it computes. The init
/// becomes an input: as a destination it would be read again wherever fusion computes an element more than once.
struct InitBecomesInput : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op, PatternRewriter &rewriter) const override {
    if (op.getNumParallelLoops() != op.getNumLoops() || op.getNumDpsInits() != 1 || !op.hasPureTensorSemantics())
      return failure();
    OpOperand &init = *op.getDpsInitOperand(0);
    auto fill = init.get().getDefiningOp<linalg::FillOp>();
    if (!fill || !op.payloadUsesValueFromOperand(&init))
      return failure();
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    maps.insert(maps.end() - 1, maps.back());
    SmallVector<Value> inputs = llvm::to_vector(op.getDpsInputs());
    inputs.push_back(init.get());
    auto elementwise = linalg::GenericOp::create(rewriter, op.getLoc(), op.getResultTypes(), inputs,
                                                 ValueRange(fill.getOutputs()), maps, op.getIteratorTypesArray());
    Block *body = op.getBody();
    Value last = body->getArguments().back();
    BlockArgument input = body->insertArgument(body->getNumArguments() - 1, last.getType(), op.getLoc());
    rewriter.replaceAllUsesWith(last, input);
    rewriter.inlineRegionBefore(op.getRegion(), elementwise.getRegion(), elementwise.getRegion().end());
    rewriter.replaceOp(op, elementwise);
    return success();
  }
};

/// What is done to each element of a reshaped product or reduction, such as a conversion, is done before it is
/// reshaped: fusion joins ops on the same elements only where no reshape is between them.
struct ReshapeAfterElementwise : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op, PatternRewriter &rewriter) const override {
    bool isUnary = op.getNumDpsInputs() == 1 && op.getNumDpsInits() == 1 && op.hasPureTensorSemantics() &&
                   roleOf(op) == TensorRole::Elementwise && !op.hasIndexSemantics() &&
                   llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) { return map.isIdentity(); }) &&
                   !op.payloadUsesValueFromOperand(op.getDpsInitOperand(0));
    Operation *reshape = isUnary ? op.getDpsInputs()[0].getDefiningOp() : nullptr;
    if (!isReshape(reshape) || !reshape->hasOneUse() || !isOfProductOrReduction(reshape))
      return failure();
    Value source = reshape->getOperand(0);
    if (llvm::is_contained(cast<RankedTensorType>(source.getType()).getShape(), 1))
      return failure(); // These dimensions are dropped.
    Type element = getElementTypeOrSelf(op->getResult(0));
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, op.getLoc(), source);
    Value empty = tensor::EmptyOp::create(rewriter, op.getLoc(), sizes, element);
    auto type = cast<RankedTensorType>(empty.getType());
    SmallVector<AffineMap> maps(2, rewriter.getMultiDimIdentityMap(type.getRank()));
    SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
    auto before = linalg::GenericOp::create(rewriter, op.getLoc(), type, source, empty, maps, iterators);
    rewriter.inlineRegionBefore(op.getRegion(), before.getRegion(), before.getRegion().end());
    Operation *after = rewriter.clone(*reshape);
    after->setOperand(0, before->getResult(0));
    after->getResult(0).setType(cast<RankedTensorType>(op->getResult(0).getType()));
    rewriter.replaceOp(op, after);
    return success();
  }

private:
  static bool isReshape(Operation *op) { return isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op); }

  static bool isOfProductOrReduction(Operation *reshape) {
    while (isReshape(reshape) && reshape->hasOneUse())
      reshape = reshape->getOperand(0).getDefiningOp();
    auto made = dyn_cast_or_null<linalg::LinalgOp>(reshape);
    return made && (roleOf(made) == TensorRole::Contraction || roleOf(made) == TensorRole::Reduction);
  }
};

struct SimplifyShapes : impl::SimplifyShapesBase<SimplifyShapes> {
  void runOnOperation() override {
    if (!getOperation().walk([](linalg::LinalgOp op) { return WalkResult::interrupt(); }).wasInterrupted())
      return;
    linalg::ControlDropUnitDims control;
    control.controlFn = droppedDims;
    RewritePatternSet patterns(&getContext());
    linalg::populateFoldUnitExtentDimsPatterns(patterns, control);
    patterns.add<InitBecomesInput, ReshapeAfterElementwise>(&getContext());
    linalg::FillOp::getCanonicalizationPatterns(patterns, &getContext()); // A reshaped fill is a fill.
    memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
    tensor::populateReassociativeReshapeFoldingPatterns(patterns);
    tensor::populateFoldTensorEmptyPatterns(patterns); // Destinations are made in the shape that is left.
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
} // namespace lispier
