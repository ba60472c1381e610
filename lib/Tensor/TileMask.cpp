//===- TileMask.cpp - the positions that a tile of attention sees ---------===//
//
// A mask that compares a position with a sum of numbers of elements and of what the
// call knows, such as a causal one or a window, leaves a range of positions to the
// tokens of a tile. Only these are walked; the mask is still computed.
//
//===----------------------------------------------------------------------===//
#include "TileEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace lispier::tensors {
/// Indices and sums of narrower integers may wrap around, which the sums here do not.
static constexpr unsigned kLeastBits = 32;

/// A sum of loops' indices, each as often as `times` says, and of a number of the whole tile.
struct TileEmitter::IndexSum {
  SmallVector<int64_t> times;
  Value number; ///< An index; null for 0.
};

/// The op of the group that makes the tensor of which a value is an element, by itself.
struct TileEmitter::Origin {
  Region region;
  Value value;                                      ///< In the region.
  SmallVector<std::pair<unsigned, unsigned>> loops; ///< The loops that have the same index: the reader's, the region's.

  std::optional<unsigned> loopOf(unsigned reader) const {
    for (auto [from, to] : loops)
      if (from == reader)
        return to;
    return std::nullopt;
  }
};

std::optional<TileEmitter::Origin> TileEmitter::originOf(Region &region, Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != region.op.getBlock())
    return std::nullopt;
  OpOperand *operand = region.op.getMatchingOpOperand(argument);
  Value tensor = operand->get();
  while (isa_and_nonnull<tensor::CastOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp>(tensor.getDefiningOp()))
    tensor = tensor.getDefiningOp()->getOperand(0); // In the group's dimensions they are the same.
  auto producer = tensor.getDefiningOp<linalg::LinalgOp>();
  if (!producer || producer.getNumParallelLoops() != producer.getNumLoops())
    return std::nullopt;
  unsigned result = cast<OpResult>(tensor).getResultNumber();
  const GroupDimensions::Loops &loops = dimensions.loops(producer);
  ArrayRef<unsigned> written = loops.operands[producer.getDpsInitOperand(result)->getOperandNumber()];
  ArrayRef<unsigned> read = region.loops.operands[operand->getOperandNumber()];
  if (written.size() != read.size() || written.size() != loops.dimensions.size())
    return std::nullopt;
  Origin origin{{producer, loops, TileAxes(loops.dimensions.size()), llvm::DenseMap<Value, Piece>()},
                producer.getBlock()->getTerminator()->getOperand(result),
                {}};
  for (auto [to, from] : llvm::zip(written, read)) {
    origin.region.axes[to] = region.axes[from];
    origin.loops.push_back({from, to});
  }
  return origin;
}

std::optional<TileEmitter::IndexSum> TileEmitter::indexSumOf(Region &region, Value value) {
  IndexSum sum{SmallVector<int64_t>(region.axes.size()), Value()};
  Operation *op = value.getDefiningOp();
  bool isInside = op && op->getBlock() == region.op.getBlock();
  bool mayWrap = !value.getType().isIndex() && value.getType().getIntOrFloatBitWidth() < kLeastBits;
  if (isInside && mayWrap && !op->hasTrait<OpTrait::ConstantLike>())
    return std::nullopt;
  if (isInside && isa<arith::IndexCastOp, arith::ExtSIOp>(op))
    return indexSumOf(region, op->getOperand(0));
  if (auto index = dyn_cast_or_null<linalg::IndexOp>(op); index && isInside) {
    if (std::optional<unsigned> loop = region.loops.ofIterator[index.getDim()])
      sum.times[*loop] = 1;
    return sum;
  }
  if (isInside && isa<arith::AddIOp, arith::SubIOp>(op)) {
    std::optional<IndexSum> first = indexSumOf(region, op->getOperand(0));
    std::optional<IndexSum> second = first ? indexSumOf(region, op->getOperand(1)) : std::nullopt;
    return second ? std::optional(added(*first, *second, isa<arith::SubIOp>(op))) : std::nullopt;
  }
  if (std::optional<Origin> origin = originOf(region, value)) {
    std::optional<IndexSum> made = indexSumOf(origin->region, origin->value);
    if (!made)
      return std::nullopt;
    for (auto [from, to] : origin->loops)
      sum.times[from] += made->times[to];
    sum.number = made->number;
    return sum;
  }
  auto argument = dyn_cast<BlockArgument>(value);
  bool isArgument = argument && argument.getOwner() == region.op.getBlock();
  if (isArgument &&
      !properLoops(region, region.loops.operands[region.op.getMatchingOpOperand(argument)->getOperandNumber()]).none())
    return std::nullopt;
  if (!isArgument && isInside && !op->hasTrait<OpTrait::ConstantLike>())
    return std::nullopt;
  std::optional<Piece> piece = element(region, value);
  if (!piece || !piece->value.getType().isIntOrIndex())
    return std::nullopt;
  sum.number = b.createOrFold<arith::IndexCastOp>(loc, b.getIndexType(), piece->value);
  return sum;
}

TileEmitter::IndexSum TileEmitter::added(const IndexSum &first, const IndexSum &second, bool subtracts) {
  IndexSum sum = first;
  for (auto [times, more] : llvm::zip(sum.times, second.times))
    times += subtracts ? -more : more;
  if (!second.number)
    return sum;
  Value start = first.number ? first.number : index(0);
  sum.number = subtracts ? b.createOrFold<arith::SubIOp>(loc, start, second.number)
                         : b.createOrFold<arith::AddIOp>(loc, start, second.number);
  return sum;
}

/// The largest or smallest value of the sum in the tile, but for the indices of the loop `without`.
Value TileEmitter::extreme(const Region &region, const IndexSum &sum, unsigned without, bool isLargest) {
  Value value = sum.number ? sum.number : index(0);
  for (auto [loop, times] : llvm::enumerate(sum.times)) {
    if (loop == without || times == 0)
      continue;
    const TileAxis &axis = region.axes[loop];
    Value at = axis.start ? axis.start : index(0);
    if (axis.size != kPoint && (times > 0) == isLargest)
      at = b.createOrFold<arith::AddIOp>(loc, at, index(axis.size - 1));
    if (std::abs(times) != 1)
      at = b.createOrFold<arith::MulIOp>(loc, at, index(std::abs(times)));
    value = times > 0 ? b.createOrFold<arith::AddIOp>(loc, value, at) : b.createOrFold<arith::SubIOp>(loc, value, at);
  }
  return value;
}

/// Narrows the range to indices of `loop` for which `condition` can hold.
void TileEmitter::narrow(Region &region, Value condition, unsigned loop, LoopRange &range) {
  if (std::optional<Origin> origin = originOf(region, condition)) {
    if (std::optional<unsigned> own = origin->loopOf(loop))
      narrow(origin->region, origin->value, *own, range);
    return;
  }
  Operation *op = condition.getDefiningOp();
  if (!op || op->getBlock() != region.op.getBlock())
    return;
  if (isa<arith::AndIOp>(op)) {
    narrow(region, op->getOperand(0), loop, range);
    return narrow(region, op->getOperand(1), loop, range);
  }
  auto compare = dyn_cast<arith::CmpIOp>(op);
  std::optional<IndexSum> left = compare ? indexSumOf(region, compare.getLhs()) : std::nullopt;
  std::optional<IndexSum> right = left ? indexSumOf(region, compare.getRhs()) : std::nullopt;
  if (!right)
    return;
  // index <predicate> the rest of right - left; or the rest of left - right <predicate> index.
  IndexSum rest = added(*right, *left, /*subtracts=*/true);
  bool isSwapped = rest.times[loop] == 1;
  if (isSwapped)
    rest = added(*left, *right, /*subtracts=*/true);
  else if (rest.times[loop] != -1)
    return;
  using Predicate = arith::CmpIPredicate;
  Predicate predicate = compare.getPredicate();
  if (isSwapped && predicate != Predicate::eq)
    predicate = predicate == Predicate::slt   ? Predicate::sgt
                : predicate == Predicate::sle ? Predicate::sge
                : predicate == Predicate::sgt ? Predicate::slt
                : predicate == Predicate::sge ? Predicate::sle
                                              : Predicate::ne;
  auto after = [&](Value value) { return b.createOrFold<arith::AddIOp>(loc, value, index(1)); };
  auto limit = [&](Value &side, Value to, bool isEnd) {
    if (side)
      to = isEnd ? b.createOrFold<arith::MinSIOp>(loc, side, to) : b.createOrFold<arith::MaxSIOp>(loc, side, to);
    side = to;
  };
  if (predicate == Predicate::slt || predicate == Predicate::sle || predicate == Predicate::eq) {
    Value largest = extreme(region, rest, loop, /*isLargest=*/true);
    limit(range.end, predicate == Predicate::slt ? largest : after(largest), /*isEnd=*/true);
  }
  if (predicate == Predicate::sgt || predicate == Predicate::sge || predicate == Predicate::eq) {
    Value smallest = extreme(region, rest, loop, /*isLargest=*/false);
    limit(range.begin, predicate == Predicate::sgt ? after(smallest) : smallest, /*isEnd=*/false);
  }
}

/// Narrows the range to indices of `loop` at which `value` can be another than -inf.
void TileEmitter::narrowToCounted(Region &region, Value value, unsigned loop, LoopRange &range) {
  if (std::optional<Origin> origin = originOf(region, value)) {
    if (std::optional<unsigned> own = origin->loopOf(loop))
      narrowToCounted(origin->region, origin->value, *own, range);
    return;
  }
  auto select = value.getDefiningOp<arith::SelectOp>();
  if (!select || select->getBlock() != region.op.getBlock() || !matchPattern(select.getFalseValue(), m_NegInfFloat()))
    return;
  narrow(region, select.getCondition(), loop, range);
  narrowToCounted(region, select.getTrueValue(), loop, range);
}

LoopRange TileEmitter::countedRange(Region &region, Value value, unsigned loop, int64_t step) {
  LoopRange range;
  narrowToCounted(region, value, loop, range);
  if (range.begin) { // Tiles begin at multiples of the step.
    Value first = b.createOrFold<arith::MaxSIOp>(loc, range.begin, index(0));
    range.begin =
        b.createOrFold<arith::MulIOp>(loc, b.createOrFold<arith::DivUIOp>(loc, first, index(step)), index(step));
  }
  if (range.end)
    range.end = b.createOrFold<arith::MinSIOp>(loc, range.end, size(region.loops.dimensions[loop]));
  return range;
}
} // namespace lispier::tensors
