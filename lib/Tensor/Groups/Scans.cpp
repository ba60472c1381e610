//===- Scans.cpp - running results along a dimension ----------------------===//
#include "lispier/Tensor/Groups/Scans.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace lispier {
std::optional<RunningResult> runningResultOf(linalg::LinalgOp op) {
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  if (!generic || generic.getNumDpsInits() != 2 || generic.getNumReductionLoops() != 1)
    return std::nullopt;
  SmallVector<utils::IteratorType> loops = generic.getIteratorTypesArray();
  unsigned loop = llvm::find(loops, utils::IteratorType::reduction) - loops.begin();
  auto has = [&](unsigned result) {
    return generic.getMatchingIndexingMap(generic.getDpsInitOperand(result)).isFunctionOfDim(loop);
  };
  BlockArgument sofar = generic.getMatchingBlockArgument(generic.getDpsInitOperand(1));
  Operation *combiner = generic.getBlock()->getTerminator()->getOperand(1).getDefiningOp();
  bool combines = combiner && combiner->getNumOperands() == 2 && llvm::is_contained(combiner->getOperands(), sofar) &&
                  arith::getNeutralElement(combiner);
  if (!has(0) || has(1) || !combines)
    return std::nullopt;
  return RunningResult{generic, loop, combiner, sofar};
}

namespace {
/// A loop over the places of a dimension, from the first or from the last on.
struct ScanLoop {
  scf::ForOp loop;
  tensor::ExtractSliceOp part;
  linalg::GenericOp step;
  unsigned axis;
  bool isReverse, isExclusive;
  TypedAttr start;
};

std::optional<int64_t> constantOf(Value value) {
  APInt number;
  return matchPattern(value, m_ConstantInt(&number)) ? std::optional(number.getSExtValue()) : std::nullopt;
}

/// Whether a slice has one place of a dimension, and all of the others.
template <typename Slice> std::optional<unsigned> axisOf(Slice slice, RankedTensorType whole, OpFoldResult &place) {
  std::optional<unsigned> axis;
  for (auto [i, offset] : llvm::enumerate(slice.getMixedOffsets())) {
    bool isAll = isConstantIntValue(offset, 0) && isConstantIntValue(slice.getMixedSizes()[i], whole.getDimSize(i));
    if (!isConstantIntValue(slice.getMixedStrides()[i], 1) || (!isAll && axis) ||
        (!isAll && !isConstantIntValue(slice.getMixedSizes()[i], 1)))
      return std::nullopt;
    if (isAll)
      continue;
    axis = i;
    place = offset;
  }
  return axis;
}

/// Whether the place is the loop's own, or, from the end, the last one less it.
std::optional<bool> isReversePlace(OpFoldResult place, scf::ForOp loop, int64_t count) {
  auto value = dyn_cast<Value>(place);
  if (value == loop.getInductionVar())
    return false;
  auto minus = value ? value.getDefiningOp<arith::SubIOp>() : arith::SubIOp();
  if (minus && minus.getRhs() == loop.getInductionVar() && constantOf(minus.getLhs()) == count - 1)
    return true;
  return std::nullopt;
}

/// The number that a tensor has everywhere.
TypedAttr splatOf(Value tensor) {
  Attribute value;
  if (auto fill = tensor.getDefiningOp<linalg::FillOp>())
    return matchPattern(fill.getInputs()[0], m_Constant(&value)) ? dyn_cast<TypedAttr>(value) : TypedAttr();
  DenseElementsAttr elements;
  return matchPattern(tensor, m_Constant(&elements)) && elements.isSplat()
             ? dyn_cast<TypedAttr>(elements.getSplatValue<Attribute>())
             : TypedAttr();
}

/// The tensor without changes of its shape, which drop and add dimensions of size 1.
Value unreshaped(Value tensor) {
  while (Operation *op = tensor.getDefiningOp()) {
    if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op))
      break;
    tensor = op->getOperand(0);
  }
  return tensor;
}

/// Whether the op combines an element of the part with what there is so far, element by element.
bool isStep(linalg::GenericOp step, Value part, Value sofar) {
  if (step.getNumDpsInits() != 1 || step.getNumReductionLoops() || step.hasIndexSemantics() ||
      !llvm::all_of(step.getIndexingMapsArray(), [](AffineMap map) { return map.isIdentity(); }))
    return false;
  Operation *combiner = step.getBlock()->getTerminator()->getOperand(0).getDefiningOp();
  if (!combiner || combiner->getNumOperands() != 2 || !arith::getNeutralElement(combiner))
    return false;
  unsigned reads = 0;
  for (OpOperand &operand : step->getOpOperands()) {
    BlockArgument number = step.getMatchingBlockArgument(&operand);
    bool isSofar = unreshaped(operand.get()) == sofar;
    if (!number.use_empty() &&
        (isSofar ? !number.hasOneUse() || *number.user_begin() != combiner : operand.get() != part))
      return false;
    reads += isSofar && !number.use_empty();
  }
  return reads == 1;
}

std::optional<ScanLoop> scanLoopOf(scf::ForOp loop) {
  if (loop.getNumResults() != 2 || !loop.getResult(1).use_empty() || constantOf(loop.getLowerBound()) != 0 ||
      constantOf(loop.getStep()) != 1)
    return std::nullopt;
  auto whole = dyn_cast<RankedTensorType>(loop.getResult(0).getType());
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  auto insert = yield.getOperand(0).getDefiningOp<tensor::InsertSliceOp>();
  auto step = unreshaped(yield.getOperand(1)).getDefiningOp<linalg::GenericOp>();
  Value sofar = loop.getRegionIterArg(1);
  if (!whole || !whole.hasStaticShape() || !insert || !step || insert.getDest() != loop.getRegionIterArg(0) ||
      !loop.getRegionIterArg(0).hasOneUse())
    return std::nullopt;
  Value stored = unreshaped(insert.getSource());
  bool isExclusive = stored == sofar;
  auto found = llvm::find_if(step.getDpsInputs(), [&](Value input) { return unreshaped(input) != sofar; });
  auto part =
      found == step.getDpsInputs().end() ? tensor::ExtractSliceOp() : (*found).getDefiningOp<tensor::ExtractSliceOp>();
  if ((!isExclusive && stored != step.getResult(0)) || !part || !isStep(step, part, sofar) ||
      !loop.isDefinedOutsideOfLoop(part.getSource()) || part.getSourceType().getShape() != whole.getShape())
    return std::nullopt;
  OpFoldResult from, to;
  std::optional<unsigned> axis = axisOf(part, part.getSourceType(), from);
  if (!axis || axisOf(insert, whole, to) != axis)
    return std::nullopt;
  int64_t count = whole.getDimSize(*axis);
  std::optional<bool> isReverse = isReversePlace(from, loop, count);
  TypedAttr start = splatOf(loop.getInitArgs()[1]);
  if (constantOf(loop.getUpperBound()) != count || !isReverse || isReversePlace(to, loop, count) != isReverse || !start)
    return std::nullopt;
  return ScanLoop{loop, part, step, *axis, *isReverse, isExclusive, start};
}

/// The tensor from its end along the axis.
Value reversed(OpBuilder &b, Location loc, Value tensor, unsigned axis) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Value empty = tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
  SmallVector<utils::IteratorType> loops(type.getRank(), utils::IteratorType::parallel);
  auto made = linalg::GenericOp::create(b, loc, type, ValueRange(), empty, b.getMultiDimIdentityMap(type.getRank()),
                                        loops, [&](OpBuilder &inside, Location, ValueRange) {
                                          SmallVector<Value> places;
                                          for (int64_t i = 0; i < type.getRank(); ++i)
                                            places.push_back(linalg::IndexOp::create(inside, loc, i));
                                          Value last =
                                              arith::ConstantIndexOp::create(inside, loc, type.getDimSize(axis) - 1);
                                          places[axis] = arith::SubIOp::create(inside, loc, last, places[axis]);
                                          Value element = tensor::ExtractOp::create(inside, loc, tensor, places);
                                          linalg::YieldOp::create(inside, loc, element);
                                        });
  return made.getResult(0);
}

void formRunningResult(const ScanLoop &scan, IRRewriter &rewriter) {
  scf::ForOp loop = scan.loop;
  linalg::GenericOp step = scan.step;
  Location loc = step.getLoc();
  rewriter.setInsertionPoint(loop);
  auto whole = cast<RankedTensorType>(loop.getResult(0).getType());
  int64_t rank = whole.getRank();
  Value part = scan.part->getResult(0), source = scan.part->getOperand(0);
  if (scan.isReverse)
    source = reversed(rewriter, loc, source, scan.axis);
  SmallVector<int64_t> left(whole.getShape());
  left.erase(left.begin() + scan.axis);
  Value number = arith::ConstantOp::create(rewriter, loc, scan.start);
  Value sums = tensor::EmptyOp::create(rewriter, loc, left, scan.start.getType());
  Value starts[] = {tensor::EmptyOp::create(rewriter, loc, whole.getShape(), whole.getElementType()),
                    linalg::FillOp::create(rewriter, loc, number, sums).getResult(0)};
  AffineMap all = rewriter.getMultiDimIdentityMap(rank);
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  loops[scan.axis] = utils::IteratorType::reduction;
  auto made = linalg::GenericOp::create(
      rewriter, loc, {whole, starts[1].getType()}, source, starts, {all, all, all.dropResult(scan.axis)}, loops,
      [&](OpBuilder &inside, Location, ValueRange numbers) {
        IRMapping mapping;
        for (OpOperand &operand : step->getOpOperands())
          mapping.map(step.getMatchingBlockArgument(&operand), numbers[operand.get() == part ? 0 : 2]);
        for (Operation &op : step.getBlock()->without_terminator())
          inside.clone(op, mapping);
        Value next = mapping.lookupOrDefault(step.getBlock()->getTerminator()->getOperand(0));
        linalg::YieldOp::create(inside, loc, {scan.isExclusive ? numbers[2] : next, next});
      });
  Value result = made.getResult(0);
  rewriter.replaceAllUsesWith(loop.getResult(0), scan.isReverse ? reversed(rewriter, loc, result, scan.axis) : result);
  rewriter.eraseOp(loop);
}
} // namespace

void formRunningResults(func::FuncOp function, IRRewriter &rewriter) {
  SmallVector<ScanLoop> found;
  function.walk([&](scf::ForOp loop) {
    if (std::optional<ScanLoop> scan = scanLoopOf(loop))
      found.push_back(*scan);
  });
  for (const ScanLoop &scan : found)
    formRunningResult(scan, rewriter);
}
} // namespace lispier
