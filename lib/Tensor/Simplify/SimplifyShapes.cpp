//===- SimplifyShapes.cpp - dimensions of size 1, and equal sizes ---------===//
//
// Before: elementwise ops and reductions on tensors of any shape, such as the means
// of rows with a dimension of 1 that :keep left. After: without dimensions of 1, so
// that a mean has the rows of the sum that it comes from, except those that are a
// product's, such as the only row of its result; sizes of results are sizes of
// operands. What groups compare are loops and values, not sizes.
//
//===----------------------------------------------------------------------===//
#include "MergeReshapes.h"
#include "StoredResults.h"
#include "lispier/Group/SizeNames.h"
#include "lispier/Tensor/Passes.h"
#include "lispier/Tensor/Simplify/TensorRoles.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/DenseSet.h"

namespace lispier {
#define GEN_PASS_DEF_SIMPLIFYSHAPES
#include "lispier/Tensor/Passes.h.inc"
} // namespace lispier

using namespace mlir;

namespace lispier {
namespace {
/// Finds whether a dimension of size 1 is one of a product's: of what the product reads or makes, through elementwise
/// ops, reductions of other dimensions, and reshapes that leave it alone. One that :keep has made is not.
class ProductDimension {
public:
  static bool isLoop(linalg::LinalgOp op, unsigned loop) {
    ProductDimension search;
    search.addLoop(op, loop);
    return search.run();
  }
  static bool isOf(Value value, unsigned dimension) {
    ProductDimension search;
    search.add(value, dimension);
    return search.run();
  }

private:
  bool run() {
    while (!found && !open.empty()) {
      auto [value, dimension] = open.pop_back_val();
      if (Operation *made = value.getDefiningOp())
        visit(made, value, dimension);
      for (OpOperand &use : value.getUses())
        visitUse(use, dimension);
    }
    return found;
  }

  void add(Value value, unsigned dimension) {
    if (seen.insert({value, dimension}).second)
      open.push_back({value, dimension});
  }

  /// All dimensions that the loop goes through.
  void addLoop(linalg::LinalgOp op, unsigned loop) {
    if (roleOf(op) == TensorRole::Contraction)
      found = true;
    if (op.getIteratorTypesArray()[loop] != utils::IteratorType::parallel)
      return;
    for (OpOperand &operand : op->getOpOperands())
      for (auto [d, result] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
        if (auto dim = dyn_cast<AffineDimExpr>(result); dim && dim.getPosition() == loop) {
          add(operand.get(), d);
          if (op.isDpsInit(&operand) && op->getNumResults())
            add(op.getTiedOpResult(&operand), d);
        }
  }

  void addLoopOf(linalg::LinalgOp op, OpOperand &operand, unsigned dimension) {
    if (auto dim = dyn_cast<AffineDimExpr>(op.getMatchingIndexingMap(&operand).getResult(dimension)))
      addLoop(op, dim.getPosition());
  }

  /// Of a reshape: from the shape of more dimensions to the other. Of several that become one of size 1, the first is
  /// taken for that one, as the last are those that :keep makes.
  void addJoined(Value joined, ArrayRef<ReassociationIndices> parts, unsigned dimension) {
    auto type = cast<RankedTensorType>(joined.getType());
    for (auto [d, part] : llvm::enumerate(parts))
      if (part[0] == int64_t(dimension) && type.getDimSize(d) == 1)
        add(joined, d);
  }
  void addApart(Value apart, ArrayRef<ReassociationIndices> parts, unsigned dimension) {
    add(apart, parts[dimension][0]);
  }

  void visit(Operation *made, Value value, unsigned dimension) {
    if (auto op = dyn_cast<linalg::LinalgOp>(made))
      addLoopOf(op, *op.getDpsInitOperand(cast<OpResult>(value).getResultNumber()), dimension);
    else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(made))
      addJoined(expand.getSrc(), expand.getReassociationIndices(), dimension);
    else if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(made))
      addApart(collapse.getSrc(), collapse.getReassociationIndices(), dimension);
    else if (auto cast = dyn_cast<tensor::CastOp>(made))
      add(cast.getSource(), dimension);
  }

  void visitUse(OpOperand &use, unsigned dimension) {
    Operation *user = use.getOwner();
    if (auto op = dyn_cast<linalg::LinalgOp>(user))
      addLoopOf(op, use, dimension);
    else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(user); expand && use.getOperandNumber() == 0)
      addApart(expand.getResult(), expand.getReassociationIndices(), dimension);
    else if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(user))
      addJoined(collapse.getResult(), collapse.getReassociationIndices(), dimension);
    else if (auto cast = dyn_cast<tensor::CastOp>(user))
      add(cast.getResult(), dimension);
  }

  bool found = false;
  llvm::DenseSet<std::pair<Value, unsigned>> seen;
  SmallVector<std::pair<Value, unsigned>> open;
};

/// Removes loops that windows need: without the loop over the only window, `i * 2 + k`, the loop over its elements
/// would be one over the operand's dimension, which may have more of them.
void keepLoopsOfWindows(linalg::GenericOp op, ArrayRef<int64_t> sizes, SmallVector<unsigned> &dropped) {
  SmallVector<AffineExpr> left = llvm::map_to_vector(llvm::seq(op.getNumLoops()), [&](unsigned loop) {
    bool isDropped = sizes[loop] == 1 && llvm::is_contained(dropped, loop);
    return isDropped ? getAffineConstantExpr(0, op.getContext()) : getAffineDimExpr(loop, op.getContext());
  });
  for (OpOperand &operand : op->getOpOperands())
    for (auto [d, result] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults())) {
      auto loop = dyn_cast<AffineDimExpr>(result.replaceDims(left));
      if (!loop || isa<AffineDimExpr>(result))
        continue;
      int64_t size = sizes[loop.getPosition()];
      if (ShapedType::isDynamic(size) || size != cast<RankedTensorType>(operand.get().getType()).getDimSize(d))
        llvm::erase_if(dropped, [&, read = result](unsigned loop) { return read.isFunctionOfDim(loop); });
    }
}

/// Products keep their dimensions, by which kernels are chosen, and so do the ops that can be in a product's kernel.
SmallVector<unsigned> droppedDims(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || !generic.hasPureTensorSemantics())
    return {};
  TensorRole role = roleOf(generic);
  if (role != TensorRole::Elementwise && role != TensorRole::Reduction)
    return {};
  SmallVector<int64_t> sizes = generic.getStaticLoopRanges();
  SmallVector<unsigned> dropped;
  for (unsigned loop : llvm::seq(generic.getNumLoops()))
    if (sizes[loop] != 1 || !ProductDimension::isLoop(generic, loop))
      dropped.push_back(loop);
  keepLoopsOfWindows(generic, sizes, dropped);
  return dropped;
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

/// What is done to each element of a reshaped product, reduction or join of parts, such as a conversion, is done before
/// it is reshaped: fusion joins ops on the same elements only where no reshape is between them.
struct ReshapeAfterElementwise : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op, PatternRewriter &rewriter) const override {
    bool isUnary = op.getNumDpsInputs() == 1 && op.getNumDpsInits() == 1 && op.hasPureTensorSemantics() &&
                   roleOf(op) == TensorRole::Elementwise && !op.hasIndexSemantics() &&
                   llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) { return map.isIdentity(); }) &&
                   !op.payloadUsesValueFromOperand(op.getDpsInitOperand(0));
    Operation *reshape = isUnary ? op.getDpsInputs()[0].getDefiningOp() : nullptr;
    if (!isReshape(reshape) || !reshape->hasOneUse() || !isWorthwhile(reshape))
      return failure();
    Value source = reshape->getOperand(0);
    for (auto [d, size] : llvm::enumerate(cast<RankedTensorType>(source.getType()).getShape()))
      if (size == 1 && !ProductDimension::isOf(source, d))
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

  static bool isWorthwhile(Operation *reshape) {
    while (isReshape(reshape) && reshape->hasOneUse())
      reshape = reshape->getOperand(0).getDefiningOp();
    auto made = dyn_cast_or_null<linalg::LinalgOp>(reshape);
    if (made && made->hasOneUse() && roleOf(made) == TensorRole::Elementwise && made.hasIndexSemantics())
      return true; // Such as one that joins parts.
    return made && (roleOf(made) == TensorRole::Contraction || roleOf(made) == TensorRole::Reduction);
  }
};

/// Parts of equal sizes that elementwise ops make, inserted one after the other along a dimension, are one elementwise
/// op that chooses among them: its result has the number of the part as a dimension before that one. A kernel then
/// computes all parts from what they are made of, as those of a rotation (RoPE) are, and no part is copied.
struct JoinPartsElementwise : OpRewritePattern<tensor::InsertSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::InsertSliceOp last, PatternRewriter &rewriter) const override {
    SmallVector<tensor::InsertSliceOp> inserts;
    Value whole = last;
    while (auto insert = whole.getDefiningOp<tensor::InsertSliceOp>()) {
      if (insert != last && !insert->hasOneUse())
        return failure();
      inserts.insert(inserts.begin(), insert);
      whole = insert.getDest();
    }
    auto empty = whole.getDefiningOp<tensor::EmptyOp>();
    std::optional<unsigned> axis = empty ? axisOf(inserts, empty) : std::nullopt;
    bool isContinued = llvm::any_of(last->getUses(), [](OpOperand &use) {
      auto next = dyn_cast<tensor::InsertSliceOp>(use.getOwner());
      return next && next.getDest() == use.get();
    });
    if (!axis || isContinued)
      return failure();
    rewriter.replaceOp(last, join(inserts, empty, *axis, rewriter));
    return success();
  }

private:
  /// The dimension along which the inserted parts fill the tensor, one after the other.
  static std::optional<unsigned> axisOf(ArrayRef<tensor::InsertSliceOp> inserts, tensor::EmptyOp empty) {
    int64_t rank = empty.getType().getRank();
    if (inserts.size() < 2 || inserts.size() > unsigned(kMostParts))
      return std::nullopt;
    SmallVector<OpFoldResult> sizes = tensor::InsertSliceOp(inserts[0]).getMixedSizes();
    std::optional<unsigned> axis;
    for (unsigned d = 0; d < rank; ++d)
      if (!isSameSize(sizes[d], empty.getMixedSizes()[d])) {
        if (axis)
          return std::nullopt;
        axis = d;
      }
    if (!axis || isConstantIntValue(sizes[*axis], 1) ||
        !isMultiple(empty.getMixedSizes()[*axis], sizes[*axis], inserts.size()))
      return std::nullopt;
    for (auto [i, each] : llvm::enumerate(inserts)) {
      tensor::InsertSliceOp insert = each;
      auto made = insert.getSource().getDefiningOp<linalg::GenericOp>();
      if (!made || !made.hasPureTensorSemantics() || roleOf(made) != TensorRole::Elementwise ||
          !insert.hasUnitStride() || insert.getSourceType().getRank() != rank ||
          !llvm::equal(insert.getMixedSizes(), sizes, isSameSize))
        return std::nullopt;
      for (auto [d, offset] : llvm::enumerate(insert.getMixedOffsets()))
        if (d == *axis ? !isMultiple(offset, sizes[d], i) : !isConstantIntValue(offset, 0))
          return std::nullopt;
    }
    return axis;
  }

  static bool isMultiple(OpFoldResult number, OpFoldResult size, unsigned times) {
    if (std::optional<int64_t> constant = getConstantIntValue(number)) {
      std::optional<int64_t> known = getConstantIntValue(size);
      return times == 0 ? *constant == 0 : known && *constant == int64_t(times) * *known;
    }
    auto value = dyn_cast<Value>(number);
    if (times == 1)
      return number == size;
    auto sum = value ? value.getDefiningOp<arith::AddIOp>() : arith::AddIOp();
    return sum && ((isMultiple(sum.getLhs(), size, times - 1) && isMultiple(sum.getRhs(), size, 1)) ||
                   (isMultiple(sum.getRhs(), size, times - 1) && isMultiple(sum.getLhs(), size, 1)));
  }

  static Value join(ArrayRef<tensor::InsertSliceOp> inserts, tensor::EmptyOp empty, unsigned axis,
                    PatternRewriter &rewriter) {
    Location loc = tensor::InsertSliceOp(inserts.back()).getLoc();
    SmallVector<OpFoldResult> sizes = tensor::InsertSliceOp(inserts[0]).getMixedSizes();
    sizes.insert(sizes.begin() + axis, rewriter.getIndexAttr(inserts.size()));
    Value place = tensor::EmptyOp::create(rewriter, loc, sizes, empty.getType().getElementType());
    unsigned rank = sizes.size();
    SmallVector<AffineMap> maps(inserts.size(), rewriter.getMultiDimIdentityMap(rank).dropResult(axis));
    maps.push_back(rewriter.getMultiDimIdentityMap(rank));
    SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
    SmallVector<Value> parts =
        llvm::map_to_vector(inserts, [](tensor::InsertSliceOp each) { return Value(each.getSource()); });
    auto choose = [&](OpBuilder &b, Location at, ValueRange arguments) {
      Value number = linalg::IndexOp::create(b, at, axis), chosen = arguments[inserts.size() - 1];
      for (unsigned i = inserts.size() - 1; i-- > 0;) {
        Value own = arith::ConstantIndexOp::create(b, at, i);
        Value isOwn = arith::CmpIOp::create(b, at, arith::CmpIPredicate::eq, number, own);
        chosen = arith::SelectOp::create(b, at, isOwn, arguments[i], chosen);
      }
      linalg::YieldOp::create(b, at, chosen);
    };
    auto joined = linalg::GenericOp::create(rewriter, loc, place.getType(), parts, place, maps, iterators, choose);
    SmallVector<ReassociationIndices> dimensions;
    for (unsigned d = 0; d < rank; ++d)
      if (d == axis + 1)
        dimensions.back().push_back(d);
      else
        dimensions.push_back({d});
    return tensor::CollapseShapeOp::create(rewriter, loc, empty.getType(), joined->getResult(0), dimensions);
  }
};

/// A part of 16-bit floats that are widened is taken before they are: each op that reads the part widens it itself, and
/// the wider tensor is not made.
struct SliceBeforeWidening : OpRewritePattern<tensor::ExtractSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExtractSliceOp slice, PatternRewriter &rewriter) const override {
    auto widening = slice.getSource().getDefiningOp<linalg::GenericOp>();
    if (!widening || !widening.hasPureTensorSemantics() || widening.getNumDpsInputs() != 1 ||
        widening.getNumDpsInits() != 1 || widening.getNumReductionLoops() != 0 ||
        !llvm::all_of(widening.getIndexingMapsArray(), [](AffineMap map) { return map.isIdentity(); }))
      return failure();
    auto wide = widening.getBody()->getTerminator()->getOperand(0).getDefiningOp<arith::ExtFOp>();
    if (!wide || wide.getIn() != widening.getBody()->getArgument(0))
      return failure();
    auto part = tensor::ExtractSliceOp::create(
        rewriter, slice.getLoc(), slice.getType().clone(getElementTypeOrSelf(widening.getInputs()[0].getType())),
        widening.getInputs()[0], slice.getMixedOffsets(), slice.getMixedSizes(), slice.getMixedStrides());
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, slice.getLoc(), part);
    Value place = tensor::EmptyOp::create(rewriter, slice.getLoc(), sizes, slice.getType().getElementType());
    unsigned rank = part.getType().getRank();
    SmallVector<AffineMap> maps(2, rewriter.getMultiDimIdentityMap(rank));
    SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
    auto after = linalg::GenericOp::create(rewriter, widening.getLoc(), place.getType(), part.getResult(), place, maps,
                                           iterators);
    rewriter.cloneRegionBefore(widening.getRegion(), after.getRegion(), after.getRegion().end());
    rewriter.replaceOp(slice, after);
    return success();
  }
};

/// A product reads a factor as it is in memory, by its map, not a transposition of it.
struct ReadTransposed : OpRewritePattern<linalg::ContractOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::ContractOp op, PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics())
      return failure();
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    bool changes = false;
    for (OpOperand *factor : op.getDpsInputOperands()) {
      auto turned = factor->get().getDefiningOp<linalg::GenericOp>();
      if (!turned || !isTransposition(turned))
        continue;
      AffineMap read = turned.getMatchingIndexingMap(turned.getDpsInputOperand(0)),
                write = turned.getMatchingIndexingMap(turned.getDpsInitOperand(0));
      AffineMap &own = maps[factor->getOperandNumber()];
      own = read.compose(inversePermutation(write)).compose(own);
      rewriter.modifyOpInPlace(op, [&] { factor->set(turned.getDpsInputs()[0]); });
      changes = true;
    }
    if (!changes)
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps)); });
    return success();
  }

private:
  static bool isTransposition(linalg::GenericOp op) {
    return op.hasPureTensorSemantics() && op.getNumDpsInputs() == 1 && op.getNumDpsInits() == 1 &&
           op.getNumParallelLoops() == op.getNumLoops() &&
           llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) { return map.isPermutation(); }) &&
           op.getBody()->getTerminator()->getOperand(0) == op.getBody()->getArgument(0);
  }
};

/// Whether more sizes are 1 than there are dimensions that a part of this rank lacks, so that sizes do not say which
/// ones it lacks.
bool isAmbiguous(ArrayRef<OpFoldResult> sizes, int64_t rank) {
  int64_t lacking = int64_t(sizes.size()) - rank;
  return lacking > 0 && llvm::count_if(sizes, [](OpFoldResult size) { return isConstantIntValue(size, 1); }) > lacking;
}

/// A pattern that makes a reshape part of a slice, except where it is ambiguous then: upstream's canonicalization of
/// the memref.subview that such a slice becomes takes other dimensions.
struct UnambiguousSlice : RewritePattern {
  explicit UnambiguousSlice(std::unique_ptr<RewritePattern> pattern)
      : RewritePattern(pattern->getRootKind()->getStringRef(), pattern->getBenefit(), pattern->getContext()),
        inner(std::move(pattern)) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
      if (auto expand = insert.getSource().getDefiningOp<tensor::ExpandShapeOp>();
          expand && isAmbiguous(insert.getMixedSizes(), expand.getSrcType().getRank()))
        return rewriter.notifyMatchFailure(op, "would be ambiguous");
    if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
      if (auto extract = collapse.getSrc().getDefiningOp<tensor::ExtractSliceOp>();
          extract && isAmbiguous(extract.getMixedSizes(), collapse.getResultType().getRank()))
        return rewriter.notifyMatchFailure(op, "would be ambiguous");
    return inner->matchAndRewrite(op, rewriter);
  }

  std::unique_ptr<RewritePattern> inner;
};

struct SimplifyShapes : impl::SimplifyShapesBase<SimplifyShapes> {
  void runOnOperation() override {
    if (!getOperation().walk([](linalg::LinalgOp op) { return WalkResult::interrupt(); }).wasInterrupted())
      return;
    linalg::ControlDropUnitDims control;
    control.controlFn = droppedDims;
    RewritePatternSet patterns(&getContext());
    linalg::populateFoldUnitExtentDimsPatterns(patterns, control);
    patterns.add<InitBecomesInput, ReshapeAfterElementwise, JoinPartsElementwise, SliceBeforeWidening, ReadTransposed>(
        &getContext());
    addStoreBeforeReshape(patterns);
    addMergeReshapes(patterns);
    linalg::FillOp::getCanonicalizationPatterns(patterns, &getContext()); // A reshaped fill is a fill.
    memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
    RewritePatternSet slices(&getContext());
    tensor::populateReassociativeReshapeFoldingPatterns(slices);
    for (std::unique_ptr<RewritePattern> &pattern : slices.getNativePatterns())
      patterns.add(std::make_unique<UnambiguousSlice>(std::move(pattern)));
    tensor::populateFoldTensorEmptyPatterns(patterns); // Destinations are made in the shape that is left.
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
} // namespace lispier
