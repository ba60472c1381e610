//===- MergeReshapes.cpp - reshapes that keep some dimensions -------------===//
//
// Before: tensor.collapse_shape to one dimension and tensor.expand_shape of it, which is
// how the language reshapes what has sizes that only a call knows. After: one of the
// dimensions that change, where the others are the same numbers before and after. An
// embedding is computed in the shape that it gets, so that what reads it can join it, and
// what is done to the elements of rows that were divided by their statistics, such as a
// group norm's factors of channels, in the shape of these rows.
//
//===----------------------------------------------------------------------===//
#include "MergeReshapes.h"
#include "lispier/Tensor/Simplify/TensorRoles.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace lispier {
namespace {
/// Whether `size` is the number of elements of dimension `d` of the tensor.
bool isSizeOf(OpFoldResult size, Value tensor, int64_t d) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(d))
    return getConstantIntValue(size) == type.getDimSize(d);
  if (SmallVector<OpFoldResult> made = sizesMadeWith(tensor); !made.empty())
    return made[d] == size;
  auto value = dyn_cast<Value>(size);
  if (auto dim = value ? value.getDefiningOp<tensor::DimOp>() : tensor::DimOp())
    return dim.getSource() == tensor && dim.getConstantIndex() == d;
  auto dim = value ? value.getDefiningOp<memref::DimOp>() : memref::DimOp();
  auto read = tensor.getDefiningOp<bufferization::ToTensorOp>();
  return dim && read && dim.getSource() == read.getBuffer() && dim.getConstantIndex() == d;
}

/// The `leading` and `trailing` dimensions alone, and the others as one group.
SmallVector<ReassociationIndices> groups(int64_t rank, int64_t leading, int64_t trailing) {
  SmallVector<ReassociationIndices> result;
  for (int64_t d = 0; d < rank; ++d)
    if (d > leading && d < rank - trailing)
      result.back().push_back(d);
    else
      result.push_back({d});
  return result;
}

struct KeepEqualSizes : OpRewritePattern<tensor::ExpandShapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExpandShapeOp expand, PatternRewriter &rewriter) const override {
    auto collapse = expand.getSrc().getDefiningOp<tensor::CollapseShapeOp>();
    if (!collapse || collapse.getResultType().getRank() != 1)
      return failure();
    Value source = collapse.getSrc();
    int64_t before = collapse.getSrcType().getRank(), after = expand.getResultType().getRank();
    SmallVector<OpFoldResult> sizes = expand.getMixedOutputShape();
    int64_t leading = 0, trailing = 0, fewer = std::min(before, after);
    while (trailing < fewer && isSizeOf(sizes[after - 1 - trailing], source, before - 1 - trailing))
      ++trailing;
    while (leading + trailing < fewer && isSizeOf(sizes[leading], source, leading))
      ++leading;
    if (leading + trailing != fewer - 1 || before == after)
      return failure();
    if (before < after)
      rewriter.replaceOpWithNewOp<tensor::ExpandShapeOp>(expand, expand.getResultType(), source,
                                                         groups(after, leading, trailing), sizes);
    else
      rewriter.replaceOpWithNewOp<tensor::CollapseShapeOp>(expand, expand.getResultType(), source,
                                                           groups(before, leading, trailing));
    return success();
  }
};

/// An embedding that is expanded afterwards has the dimensions of the result itself: its indices are expanded instead,
/// which is no work.
struct GatherInShape : OpRewritePattern<tensor::ExpandShapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExpandShapeOp expand, PatternRewriter &rewriter) const override {
    auto gather = expand.getSrc().getDefiningOp<linalg::GenericOp>();
    if (!gather || !gather->hasOneUse() || gather.getNumDpsInits() != 1 || !gather.hasPureTensorSemantics() ||
        gather.getNumParallelLoops() != gather.getNumLoops() || gather.getBody()->getOps<tensor::ExtractOp>().empty() ||
        !gather.getMatchingIndexingMap(gather.getDpsInitOperand(0)).isIdentity() ||
        gather.payloadUsesValueFromOperand(gather.getDpsInitOperand(0)) ||
        !llvm::all_of(gather.getIndexingMapsArray(), [](AffineMap map) { return map.isProjectedPermutation(); }))
      return failure();
    SmallVector<ReassociationIndices> parts = expand.getReassociationIndices();
    SmallVector<OpFoldResult> sizes = expand.getMixedOutputShape();
    auto isSplit = [&](int64_t loop) { return parts[loop].size() > 1; };
    auto isUnit = [&](int64_t d) { return expand.getResultType().getDimSize(d) == 1; };
    // Dimensions of size 1 are dropped again. One element, whose shape has no parts, gets nothing else.
    if (parts.empty() ||
        llvm::any_of(parts, [&](ArrayRef<int64_t> part) { return part.size() > 1 && llvm::any_of(part, isUnit); }))
      return failure();
    for (auto index : gather.getBody()->getOps<linalg::IndexOp>())
      if (isSplit(index.getDim()))
        return failure();
    int64_t rank = sizes.size();
    SmallVector<Value> inputs;
    SmallVector<AffineMap> maps;
    for (OpOperand *operand : gather.getDpsInputOperands()) {
      SmallVector<AffineExpr> results;
      SmallVector<ReassociationIndices> own;
      SmallVector<OpFoldResult> ownSizes;
      SmallVector<int64_t> shape;
      AffineMap map = gather.getMatchingIndexingMap(operand);
      for (AffineExpr result : map.getResults()) {
        own.emplace_back();
        for (int64_t d : parts[cast<AffineDimExpr>(result).getPosition()]) {
          own.back().push_back(shape.size());
          shape.push_back(expand.getResultType().getDimSize(d));
          ownSizes.push_back(sizes[d]);
          results.push_back(rewriter.getAffineDimExpr(d));
        }
      }
      Value input = operand->get();
      if (results.size() != map.getNumResults()) {
        auto type = cast<RankedTensorType>(input.getType());
        input = tensor::ExpandShapeOp::create(rewriter, expand.getLoc(), type.clone(shape), input, own, ownSizes);
      }
      inputs.push_back(input);
      maps.push_back(AffineMap::get(rank, 0, results, rewriter.getContext()));
    }
    maps.push_back(rewriter.getMultiDimIdentityMap(rank));
    Value empty = tensor::EmptyOp::create(rewriter, gather.getLoc(), sizes, expand.getResultType().getElementType());
    SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
    auto expanded =
        linalg::GenericOp::create(rewriter, gather.getLoc(), empty.getType(), inputs, empty, maps, iterators);
    rewriter.inlineRegionBefore(gather.getRegion(), expanded.getRegion(), expanded.getRegion().end());
    for (auto index : llvm::make_early_inc_range(expanded.getBody()->getOps<linalg::IndexOp>()))
      rewriter.modifyOpInPlace(index, [&] { index.setDim(parts[index.getDim()].front()); });
    rewriter.replaceOp(expand, expanded);
    return success();
  }
};
/// Whether what the op makes has a result of a reduction in it, through elementwise ops alone.
bool usesStatistics(linalg::LinalgOp op) {
  constexpr size_t kMostOps = 16;
  llvm::SmallSetVector<Operation *, 16> seen;
  seen.insert(op);
  for (size_t i = 0; i < seen.size() && seen.size() < kMostOps; ++i)
    for (Value operand : cast<linalg::LinalgOp>(seen[i]).getDpsInputs())
      if (auto made = operand.getDefiningOp<linalg::LinalgOp>()) {
        if (roleOf(made) == TensorRole::Reduction)
          return true;
        if (roleOf(made) == TensorRole::Elementwise)
          seen.insert(made);
      }
  return false;
}

/// Whether an elementwise op on a collapsed tensor is done before it is collapsed: its rows are in the shape of their
/// statistics there, and one kernel can have both.
bool belongsToRows(OpOperand *operand) {
  auto op = dyn_cast<linalg::GenericOp>(operand->getOwner());
  auto collapse = operand->get().getDefiningOp<tensor::CollapseShapeOp>();
  if (!op || !collapse || !collapse->hasOneUse() || roleOf(op) != TensorRole::Elementwise || op.hasIndexSemantics())
    return false;
  auto made = collapse.getSrc().getDefiningOp<linalg::LinalgOp>();
  return made && made->hasOneUse() && roleOf(made) == TensorRole::Elementwise &&
         !llvm::is_contained(collapse.getSrcType().getShape(), 1) && usesStatistics(made);
}
} // namespace

void addMergeReshapes(RewritePatternSet &patterns) {
  linalg::populateFoldReshapeOpsByExpansionPatterns(patterns, belongsToRows);
  patterns.add<KeepEqualSizes, GatherInShape>(patterns.getContext());
}
} // namespace lispier
