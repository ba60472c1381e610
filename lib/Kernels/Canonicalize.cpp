//===- Canonicalize.cpp - canonicalize structured control flow ------------===//
#include "Canonicalize.h"
#include "lispier/Device/ReducedViews.h"
#include "lispier/Kernels/Passes.h"
#include "lispier/NN/TemplateAttributes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace lispier {
#define GEN_PASS_DEF_CANONICALIZE
#include "lispier/Kernels/Passes.h.inc"
} // namespace lispier

using namespace mlir;

namespace {
/// Upstream's pattern that makes a loop carry a tensor's known sizes where the first value is cast to a type without
/// them. It does so also where later values have other sizes, and so miscompiles such loops.
constexpr StringLiteral kUpstreamLoopCasts = "(anonymous namespace)::ForOpTensorCastFolder";

/// Instead of it: only where all values are known to have these sizes.
/// for (x = cast s) { ...; yield cast t } -> cast of: for (x = s) { ...; yield t }, where s and t have one type.
struct FoldLoopCasts : OpRewritePattern<scf::ForOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(scf::ForOp loop, PatternRewriter &rewriter) const override {
    for (auto [init, argument, next] :
         llvm::zip(loop.getInitArgsMutable(), loop.getRegionIterArgs(), loop.getYieldedValues())) {
      auto first = init.get().getDefiningOp<tensor::CastOp>();
      if (!first || first.getSource().getType() == first.getType() ||
          !tensor::preservesStaticInformation(first.getType(), first.getSource().getType()))
        continue;
      auto later = next.getDefiningOp<tensor::CastOp>();
      if (next != argument && (!later || later.getSource().getType() != first.getSource().getType()))
        continue;
      auto castTo = [](OpBuilder &b, Location loc, Type type, Value value) -> Value {
        return tensor::CastOp::create(b, loc, type, value);
      };
      rewriter.replaceOp(loop, scf::replaceAndCastForOpIterArg(rewriter, loop, init, first.getSource(), castTo));
      return success();
    }
    return rewriter.notifyMatchFailure(loop, "carries no value that is always cast from one type");
  }
};

/// if c { yield cast s } else { yield cast t } -> cast of: if c { yield s } else { yield t }, where s and t have one
/// type.
struct FoldIfCasts : OpRewritePattern<scf::IfOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(scf::IfOp op, PatternRewriter &rewriter) const override {
    if (!op.elseBlock())
      return rewriter.notifyMatchFailure(op, "yields no values");
    bool changes = false;
    for (OpResult result : op.getResults()) {
      OpOperand &then = op.thenYield()->getOpOperand(result.getResultNumber());
      OpOperand &otherwise = op.elseYield()->getOpOperand(result.getResultNumber());
      auto first = then.get().getDefiningOp<tensor::CastOp>();
      auto second = otherwise.get().getDefiningOp<tensor::CastOp>();
      Type general = result.getType();
      if (!first || !second || first.getSource().getType() != second.getSource().getType() ||
          first.getSource().getType() == general ||
          !tensor::preservesStaticInformation(general, first.getSource().getType()))
        continue;
      rewriter.modifyOpInPlace(op.thenYield(), [&] { then.set(first.getSource()); });
      rewriter.modifyOpInPlace(op.elseYield(), [&] { otherwise.set(second.getSource()); });
      rewriter.modifyOpInPlace(op, [&] { result.setType(first.getSource().getType()); });
      rewriter.setInsertionPointAfter(op);
      auto cast = tensor::CastOp::create(rewriter, op.getLoc(), general, result);
      rewriter.replaceAllUsesExcept(result, cast, cast);
      changes = true;
    }
    return success(changes);
  }
};

/// Upstream's pattern that makes constant sizes of an expanded cast part of its type. It crashes: it makes the new op
/// of operands that are gone.
constexpr StringLiteral kUpstreamExpandedCasts = "(anonymous namespace)::ConvertToStaticExpandShape";

/// Instead of it: expand(x), where constants say all sizes that a dimension of x becomes, or some if x is a cast of
/// what has the size -> cast(expand(cast x)), with these sizes in the types.
struct ExpandToStaticSizes : OpRewritePattern<tensor::ExpandShapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExpandShapeOp op, PatternRewriter &rewriter) const override {
    auto source = op.getSrc().getDefiningOp<tensor::CastOp>();
    bool forgets = tensor::canFoldIntoConsumerOp(source);
    auto known = forgets ? cast<RankedTensorType>(source.getSource().getType()) : op.getSrcType();
    SmallVector<ReassociationIndices> groups = op.getReassociationIndices();
    SmallVector<OpFoldResult> sizes = op.getMixedOutputShape();
    SmallVector<int64_t> expanded(op.getResultType().getShape()), narrowed(known.getRank(), 1);
    for (auto [dimension, group] : llvm::enumerate(groups)) {
      bool saysAll = llvm::all_of(group, [&](int64_t each) { return getConstantIntValue(sizes[each]).has_value(); });
      bool isKnown = saysAll || !known.isDynamicDim(dimension);
      for (int64_t each : group)
        if (std::optional<int64_t> size = getConstantIntValue(sizes[each]); size && isKnown) {
          expanded[each] = *size;
          sizes[each] = rewriter.getIndexAttr(*size);
        }
      bool isStatic = llvm::none_of(group, [&](int64_t each) { return ShapedType::isDynamic(expanded[each]); });
      for (int64_t each : group)
        narrowed[dimension] = isStatic ? narrowed[dimension] * expanded[each] : ShapedType::kDynamic;
    }
    if (ArrayRef(expanded) == op.getResultType().getShape())
      return rewriter.notifyMatchFailure(op, "has no further size that is constant");
    Location loc = op.getLoc();
    Value narrow = tensor::CastOp::create(rewriter, loc, known.clone(narrowed), op.getSrc());
    Value made =
        tensor::ExpandShapeOp::create(rewriter, loc, op.getResultType().clone(expanded), narrow, groups, sizes);
    rewriter.replaceOpWithNewOp<tensor::CastOp>(op, op.getType(), made);
    return success();
  }
};

/// Upstream's pattern that lets the sums of a product begin with what is added to it. (x y + C) - C, which rounds to a
/// multiple of a unit that C says, would round each step of the sum so.
constexpr StringLiteral kUpstreamProductAdds = "CanonicalizeContractAdd<mlir::arith::AddFOp>";

/// Instead of it: not with a constant.
struct AddToProduct : OpRewritePattern<arith::AddFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::AddFOp add, PatternRewriter &rewriter) const override {
    for (auto [value, other] : {std::pair(add.getLhs(), add.getRhs()), std::pair(add.getRhs(), add.getLhs())}) {
      auto product = value.getDefiningOp<vector::ContractionOp>();
      if (!product || !matchPattern(product.getAcc(), m_PosZeroFloat()) || matchPattern(other, m_Constant()))
        continue;
      auto sum = cast<vector::ContractionOp>(rewriter.clone(*product));
      rewriter.modifyOpInPlace(sum, [&, start = other] { sum.getAccMutable().assign(start); });
      rewriter.replaceOp(add, sum);
      return success();
    }
    return rewriter.notifyMatchFailure(add, "adds no product and what only a run knows");
  }
};

/// Upstream's pattern that collapses what a memref.cast is of. Of a size 0 and an unknown one it makes a size 0, where
/// the op's verifier wants an unknown one.
constexpr StringLiteral kUpstreamCollapsedCasts = "CollapseShapeOpMemRefCastFolder";

/// Instead of it: collapse(cast x) -> cast(collapse x), where no such sizes become one.
struct CollapseBeforeCast : OpRewritePattern<memref::CollapseShapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(memref::CollapseShapeOp op, PatternRewriter &rewriter) const override {
    auto source = op.getSrc().getDefiningOp<memref::CastOp>();
    if (!source || !memref::CastOp::canFoldIntoConsumerOp(source))
      return rewriter.notifyMatchFailure(op, "is of no cast that forgets sizes");
    auto type = cast<MemRefType>(source.getSource().getType());
    for (ArrayRef<int64_t> group : op.getReassociationIndices())
      if (llvm::any_of(group, [&](int64_t i) { return type.getDimSize(i) == 0; }) &&
          llvm::any_of(group, [&](int64_t i) { return type.isDynamicDim(i); }))
        return rewriter.notifyMatchFailure(op, "of a size 0 and an unknown one");
    Value collapsed =
        memref::CollapseShapeOp::create(rewriter, op.getLoc(), source.getSource(), op.getReassociationIndices());
    rewriter.replaceOpWithNewOp<memref::CastOp>(op, op.getType(), collapsed);
    return success();
  }
};

/// Also where a cast has forgotten the size 0: the cast is folded after bufferization, by upstream's patterns.
bool hasNoElements(Value tensor) {
  if (llvm::is_contained(cast<ShapedType>(tensor.getType()).getShape(), 0))
    return true;
  auto forgetful = tensor.getDefiningOp<tensor::CastOp>();
  return forgetful && hasNoElements(forgetful.getSource());
}

/// A part of a tensor without elements -> a tensor without elements. Once casts are folded, and the size 0 is known,
/// the op does not verify: no offset is inside.
struct SliceNothing : OpRewritePattern<tensor::ExtractSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExtractSliceOp op, PatternRewriter &rewriter) const override {
    if (!hasNoElements(op.getSource()) && !hasNoElements(op.getResult()))
      return rewriter.notifyMatchFailure(op, "may have elements");
    SmallVector<OpFoldResult> sizes;
    llvm::SmallBitVector dropped = op.getDroppedDims();
    for (auto [dimension, size] : llvm::enumerate(op.getMixedSizes()))
      if (!dropped.test(dimension))
        sizes.push_back(size);
    Value empty = tensor::EmptyOp::create(rewriter, op.getLoc(), sizes, op.getType().getElementType());
    rewriter.replaceOpWithNewOp<tensor::CastOp>(op, op.getType(), empty);
    return success();
  }
};

/// Nothing inserted into a tensor, or a tensor of nothing -> the tensor.
struct InsertNothing : OpRewritePattern<tensor::InsertSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::InsertSliceOp op, PatternRewriter &rewriter) const override {
    if (!hasNoElements(op.getSource()) && !hasNoElements(op.getDest()))
      return rewriter.notifyMatchFailure(op, "may insert elements");
    rewriter.replaceOp(op, op.getDest());
    return success();
  }
};

/// A slice of lower rank lacks dimensions of size 1. Where sizes become known of which more are 1, they do not say any
/// more which ones it lacks, and upstream's patterns take other ones than were meant. These make a slice of full rank,
/// and a reshape, before the sizes are folded into the op.
bool becomesAmbiguous(ArrayRef<OpFoldResult> sizes, int64_t rank) {
  int64_t lacking = int64_t(sizes.size()) - rank;
  auto isOne = [](OpFoldResult size) { return isConstantIntValue(size, 1); };
  return lacking > 0 && llvm::count_if(sizes, isOne) > lacking &&
         llvm::any_of(sizes, [&](OpFoldResult size) { return isa<Value>(size) && isOne(size); });
}

/// The sizes of a slice, and how its dimensions are those of a part that lacks some.
struct FullRank {
  template <typename Op> explicit FullRank(Op op) {
    llvm::SmallBitVector dropped = op.getDroppedDims();
    groups = lispier::device::groupsOfKept(dropped);
    Builder b(op.getContext());
    for (auto [d, size] : llvm::enumerate(op.getMixedSizes())) {
      std::optional<int64_t> known = getConstantIntValue(size);
      sizes.push_back(known ? OpFoldResult(b.getIndexAttr(*known)) : size);
      shape.push_back(known.value_or(ShapedType::kDynamic));
      if (!dropped.test(d))
        kept.push_back(shape.back());
    }
  }

  SmallVector<OpFoldResult> sizes;
  SmallVector<int64_t> shape, kept;
  SmallVector<ReassociationIndices> groups;
};

struct ExtractFullRank : OpRewritePattern<tensor::ExtractSliceOp> {
  explicit ExtractFullRank(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/10) {}

  LogicalResult matchAndRewrite(tensor::ExtractSliceOp op, PatternRewriter &rewriter) const override {
    if (!becomesAmbiguous(op.getMixedSizes(), op.getType().getRank()))
      return rewriter.notifyMatchFailure(op, "lacks what its sizes say");
    FullRank full(op);
    Value part = tensor::ExtractSliceOp::create(rewriter, op.getLoc(), op.getType().clone(full.shape), op.getSource(),
                                                op.getMixedOffsets(), full.sizes, op.getMixedStrides());
    Value reduced = tensor::CollapseShapeOp::create(rewriter, op.getLoc(), part, full.groups);
    rewriter.replaceOpWithNewOp<tensor::CastOp>(op, op.getType(), reduced);
    return success();
  }
};

struct ViewFullRank : OpRewritePattern<memref::SubViewOp> {
  explicit ViewFullRank(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/10) {}

  LogicalResult matchAndRewrite(memref::SubViewOp op, PatternRewriter &rewriter) const override {
    if (!becomesAmbiguous(op.getMixedSizes(), op.getType().getRank()))
      return rewriter.notifyMatchFailure(op, "lacks what its sizes say");
    FullRank full(op);
    Value part = memref::SubViewOp::create(rewriter, op.getLoc(), op.getSource(), op.getMixedOffsets(), full.sizes,
                                           op.getMixedStrides());
    Value reduced = memref::CollapseShapeOp::create(rewriter, op.getLoc(), part, full.groups);
    rewriter.replaceOpWithNewOp<memref::CastOp>(op, op.getType(), reduced);
    return success();
  }
};

struct InsertFullRank : OpRewritePattern<tensor::InsertSliceOp> {
  explicit InsertFullRank(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/10) {}

  LogicalResult matchAndRewrite(tensor::InsertSliceOp op, PatternRewriter &rewriter) const override {
    RankedTensorType type = op.getSourceType();
    if (!becomesAmbiguous(op.getMixedSizes(), type.getRank()))
      return rewriter.notifyMatchFailure(op, "lacks what its sizes say");
    FullRank full(op);
    Value reduced = tensor::CastOp::create(rewriter, op.getLoc(), type.clone(full.kept), op.getSource());
    Value part =
        tensor::ExpandShapeOp::create(rewriter, op.getLoc(), type.clone(full.shape), reduced, full.groups, full.sizes);
    rewriter.replaceOpWithNewOp<tensor::InsertSliceOp>(op, part, op.getDest(), op.getMixedOffsets(), full.sizes,
                                                       op.getMixedStrides());
    return success();
  }
};
} // namespace

FrozenRewritePatternSet lispier::kernels::canonicalizationPatterns(MLIRContext *context) {
  RewritePatternSet all(context);
  for (Dialect *dialect : context->getLoadedDialects())
    dialect->getCanonicalizationPatterns(all);
  for (RegisteredOperationName op : context->getRegisteredOperations())
    op.getCanonicalizationPatterns(all, context);
  llvm::erase_if(all.getNativePatterns(), [](const auto &pattern) {
    StringRef name = pattern->getDebugName();
    return llvm::is_contained({kUpstreamLoopCasts, kUpstreamExpandedCasts, kUpstreamProductAdds}, name) ||
           name.ends_with(kUpstreamCollapsedCasts);
  });
  all.add<FoldIfCasts, FoldLoopCasts, ExpandToStaticSizes, AddToProduct, CollapseBeforeCast, SliceNothing,
          InsertNothing, ExtractFullRank, ViewFullRank, InsertFullRank>(context);
  return FrozenRewritePatternSet(std::move(all));
}

void lispier::kernels::canonicalize(Operation *function, const FrozenRewritePatternSet &patterns) {
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  (void)applyPatternsGreedily(function, patterns, config); // Like upstream's, it need not converge.
}

namespace {
struct Canonicalize : lispier::impl::CanonicalizeBase<Canonicalize> {
  LogicalResult initialize(MLIRContext *context) override {
    patterns = lispier::kernels::canonicalizationPatterns(context);
    return success();
  }

  void runOnOperation() override {
    if (!getOperation()->hasAttr(lispier::nn::kTemplate))
      lispier::kernels::canonicalize(getOperation(), patterns);
  }

  FrozenRewritePatternSet patterns; // Copies of the pass share the patterns.
};
} // namespace
