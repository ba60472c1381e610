//===- MaskRange.cpp - the positions that a block of attention sees -------===//
#include "MaskRange.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace lispier::tensors {
namespace {
/// Indices and sums of narrower integers may wrap around, which the sums here do not.
constexpr unsigned kLeastBits = 32;

/// A sum of loops' indices, each as often as `times` says, and of a number of the whole block.
struct IndexSum {
  SmallVector<int64_t> times;
  Value number; ///< An index; null for 0.
};

class RangeReader {
public:
  RangeReader(OpBuilder &b, Location loc) : b(b), loc(loc) {}

  /// Narrows the range to indices of `loop` at which `value` can be another than `masked`.
  void narrowToSeen(MaskSite &site, Value value, Masked masked, unsigned loop, SeenRange &range);

private:
  using Partial = SeenRange::Partial;
  void narrow(MaskSite &site, Value condition, unsigned loop, SeenRange &range);
  void addPartial(SeenRange &range, Partial partial, Value bound);
  std::optional<IndexSum> indexSumOf(MaskSite &site, Value value);
  IndexSum added(const IndexSum &first, const IndexSum &second, bool subtracts);
  Value extreme(const MaskSite &site, const IndexSum &sum, unsigned without, bool isLargest);
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  Value add(Value left, Value right) { return b.createOrFold<arith::AddIOp>(loc, left, right); }
  Value subtract(Value left, Value right) { return b.createOrFold<arith::SubIOp>(loc, left, right); }
  void limit(Value &side, Value to, bool isEnd) {
    if (side)
      to = isEnd ? b.createOrFold<arith::MinSIOp>(loc, side, to) : b.createOrFold<arith::MaxSIOp>(loc, side, to);
    side = to;
  }

  OpBuilder &b;
  Location loc;
};

std::optional<unsigned> loopOf(const MaskSite::Origin &origin, unsigned reader) {
  for (auto [from, to] : origin.loops)
    if (from == reader)
      return to;
  return std::nullopt;
}

std::optional<IndexSum> RangeReader::indexSumOf(MaskSite &site, Value value) {
  IndexSum sum{SmallVector<int64_t>(site.loopCount()), Value()};
  Operation *op = value.getDefiningOp();
  bool isInside = op && op->getBlock() == site.op.getBlock();
  bool isConstant = op && op->hasTrait<OpTrait::ConstantLike>();
  bool mayWrap = !value.getType().isIndex() && value.getType().getIntOrFloatBitWidth() < kLeastBits;
  if (isInside && mayWrap && !isConstant)
    return std::nullopt;
  if (isInside && isa<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>(op))
    return indexSumOf(site, op->getOperand(0));
  if (auto at = dyn_cast_or_null<linalg::IndexOp>(op); at && isInside) {
    if (std::optional<unsigned> loop = site.loopOf(at.getDim()))
      sum.times[*loop] = 1;
    return sum;
  }
  if (isInside && isa<arith::AddIOp, arith::SubIOp>(op)) {
    std::optional<IndexSum> first = indexSumOf(site, op->getOperand(0));
    std::optional<IndexSum> second = first ? indexSumOf(site, op->getOperand(1)) : std::nullopt;
    return second ? std::optional(added(*first, *second, isa<arith::SubIOp>(op))) : std::nullopt;
  }
  if (std::optional<MaskSite::Origin> origin = site.originOf(value)) {
    std::optional<IndexSum> made = indexSumOf(*origin->site, origin->value);
    if (!made)
      return std::nullopt;
    for (auto [from, to] : origin->loops)
      sum.times[from] += made->times[to];
    sum.number = made->number;
    return sum;
  }
  if (isInside && !isConstant)
    return std::nullopt;
  Value number = site.number(value);
  if (!number || !number.getType().isIntOrIndex())
    return std::nullopt;
  sum.number = b.createOrFold<arith::IndexCastOp>(loc, b.getIndexType(), number);
  return sum;
}

IndexSum RangeReader::added(const IndexSum &first, const IndexSum &second, bool subtracts) {
  IndexSum sum = first;
  for (auto [times, more] : llvm::zip(sum.times, second.times))
    times += subtracts ? -more : more;
  if (!second.number)
    return sum;
  Value start = first.number ? first.number : index(0);
  sum.number = subtracts ? subtract(start, second.number) : add(start, second.number);
  return sum;
}

/// The largest or smallest value of the sum in the block, but for the indices of the loop `without`.
Value RangeReader::extreme(const MaskSite &site, const IndexSum &sum, unsigned without, bool isLargest) {
  Value value = sum.number ? sum.number : index(0);
  for (auto [loop, times] : llvm::enumerate(sum.times)) {
    if (loop == without || times == 0)
      continue;
    Value at = site.indexAt(loop, /*isLast=*/(times > 0) == isLargest);
    if (std::abs(times) != 1)
      at = b.createOrFold<arith::MulIOp>(loc, at, index(std::abs(times)));
    value = times > 0 ? add(value, at) : subtract(value, at);
  }
  return value;
}

/// Adds indices at which a condition may not hold for some elements.
void RangeReader::addPartial(SeenRange &range, Partial partial, Value bound) {
  if (range.partial == Partial::None) {
    range.partial = partial;
    range.bound = bound;
  } else if (range.partial != partial) {
    range.partial = Partial::All;
  } else if (partial == Partial::All || isSameNumber(range.bound, bound)) {
    return;
  } else if (partial == Partial::From) {
    range.bound = b.createOrFold<arith::MinSIOp>(loc, range.bound, bound);
  } else if (partial == Partial::Before) {
    range.bound = b.createOrFold<arith::MaxSIOp>(loc, range.bound, bound);
  }
}

/// Narrows the range to indices of `loop` for which `condition` can hold.
void RangeReader::narrow(MaskSite &site, Value condition, unsigned loop, SeenRange &range) {
  if (std::optional<MaskSite::Origin> origin = site.originOf(condition)) {
    if (std::optional<unsigned> own = loopOf(*origin, loop))
      return narrow(*origin->site, origin->value, *own, range);
    return addPartial(range, Partial::All, {});
  }
  Operation *op = condition.getDefiningOp();
  if (!op || op->getBlock() != site.op.getBlock())
    return addPartial(range, Partial::All, {});
  if (isa<arith::AndIOp>(op)) {
    narrow(site, op->getOperand(0), loop, range);
    return narrow(site, op->getOperand(1), loop, range);
  }
  auto compare = dyn_cast<arith::CmpIOp>(op);
  std::optional<IndexSum> left = compare ? indexSumOf(site, compare.getLhs()) : std::nullopt;
  std::optional<IndexSum> right = left ? indexSumOf(site, compare.getRhs()) : std::nullopt;
  if (!right)
    return addPartial(range, Partial::All, {});
  // index <predicate> the rest of right - left; or the rest of left - right <predicate> index.
  IndexSum rest = added(*right, *left, /*subtracts=*/true);
  bool isSwapped = rest.times[loop] == 1;
  if (isSwapped)
    rest = added(*left, *right, /*subtracts=*/true);
  else if (rest.times[loop] != -1)
    return addPartial(range, Partial::All, {});
  using Predicate = arith::CmpIPredicate;
  Predicate predicate = compare.getPredicate();
  if (isSwapped && predicate != Predicate::eq)
    predicate = predicate == Predicate::slt   ? Predicate::sgt
                : predicate == Predicate::sle ? Predicate::sge
                : predicate == Predicate::sgt ? Predicate::slt
                : predicate == Predicate::sge ? Predicate::sle
                                              : Predicate::ne;
  bool isLess = predicate == Predicate::slt || predicate == Predicate::sle,
       isGreater = predicate == Predicate::sgt || predicate == Predicate::sge, isEqual = predicate == Predicate::eq;
  // The first number above which, or from which on, a condition ends.
  int64_t beyond = predicate == Predicate::sle || predicate == Predicate::sgt || isEqual;
  auto bound = [&](bool isLargest) {
    Value most = extreme(site, rest, loop, isLargest);
    return beyond ? add(most, index(1)) : most;
  };
  if (isLess || isEqual)
    limit(range.end, bound(/*isLargest=*/true), /*isEnd=*/true);
  if (isGreater || isEqual)
    limit(range.begin, isEqual ? extreme(site, rest, loop, /*isLargest=*/false) : bound(/*isLargest=*/false),
          /*isEnd=*/false);
  if (isLess)
    addPartial(range, Partial::From, bound(/*isLargest=*/false));
  else if (isGreater)
    addPartial(range, Partial::Before, bound(/*isLargest=*/true));
  else
    addPartial(range, Partial::All, {});
}

/// The operands of `op` each of which decides: if it is what is given with it, the result is `masked`.
SmallVector<std::pair<Value, Masked>> decidingOperands(Operation *op, Masked masked) {
  using Operands = SmallVector<std::pair<Value, Masked>>;
  auto isPositive = [](Value value) {
    APFloat number(0.0);
    return matchPattern(value, m_ConstantFloat(&number)) && !number.isNegative() && !number.isZero();
  };
  bool isZero = masked == Masked::Zero;
  return llvm::TypeSwitch<Operation *, Operands>(op)
      .Case<arith::ExtFOp, arith::TruncFOp>([&](auto cast) { return Operands{{cast.getIn(), masked}}; })
      .Case<math::ExpOp, math::Exp2Op>(
          [&](auto power) { return isZero ? Operands{{power.getOperand(), Masked::NegativeInfinity}} : Operands(); })
      .Case([&](arith::MulFOp product) {
        Operands operands;
        for (auto [one, other] : {std::pair(product.getLhs(), product.getRhs()), {product.getRhs(), product.getLhs()}})
          if (isZero || isPositive(other))
            operands.push_back({one, masked});
        return operands;
      })
      .Case([&](arith::DivFOp quotient) {
        return isZero || isPositive(quotient.getRhs()) ? Operands{{quotient.getLhs(), masked}} : Operands();
      })
      .Case([&](arith::AddFOp sum) {
        return isZero ? Operands() : Operands{{sum.getLhs(), masked}, {sum.getRhs(), masked}};
      })
      .Case([&](arith::SubFOp difference) { return isZero ? Operands() : Operands{{difference.getLhs(), masked}}; })
      .Default([](Operation *) { return Operands(); });
}

void RangeReader::narrowToSeen(MaskSite &site, Value value, Masked masked, unsigned loop, SeenRange &range) {
  if (std::optional<MaskSite::Origin> origin = site.originOf(value)) {
    if (std::optional<unsigned> own = loopOf(*origin, loop))
      narrowToSeen(*origin->site, origin->value, masked, *own, range);
    return;
  }
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != site.op.getBlock())
    return;
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    auto isMasked = [&](Value value) {
      return masked == Masked::Zero ? matchPattern(value, m_AnyZeroFloat()) : matchPattern(value, m_NegInfFloat());
    };
    if (isMasked(select.getTrueValue())) // Whatever the condition is.
      return narrowToSeen(site, select.getFalseValue(), masked, loop, range);
    if (!isMasked(select.getFalseValue()))
      return;
    narrow(site, select.getCondition(), loop, range);
    range.conditions.push_back(select.getCondition());
    return narrowToSeen(site, select.getTrueValue(), masked, loop, range);
  }
  for (auto [operand, what] : decidingOperands(op, masked))
    narrowToSeen(site, operand, what, loop, range);
}
} // namespace

bool isSameNumber(Value a, Value b) {
  Operation *one = a.getDefiningOp(), *other = b.getDefiningOp();
  return a == b || (one && other && isPure(one) && one->getNumRegions() == 0 && one->getName() == other->getName() &&
                    one->getRawDictionaryAttrs() == other->getRawDictionaryAttrs() &&
                    one->getPropertiesAsAttribute() == other->getPropertiesAsAttribute() &&
                    cast<OpResult>(a).getResultNumber() == cast<OpResult>(b).getResultNumber() &&
                    one->getNumOperands() == other->getNumOperands() &&
                    llvm::all_of(llvm::zip(one->getOperands(), other->getOperands()),
                                 [](auto each) { return isSameNumber(std::get<0>(each), std::get<1>(each)); }));
}

SeenRange seenRange(OpBuilder &builder, Location loc, MaskSite &site, Value value, unsigned loop, Masked masked) {
  SeenRange range;
  RangeReader(builder, loc).narrowToSeen(site, value, masked, loop, range);
  return range;
}
} // namespace lispier::tensors
