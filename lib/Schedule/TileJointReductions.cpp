//===- TileJointReductions.cpp - two reductions in one pass ---------------===//
//
// A variance needs the mean, and the place of a maximum the maximum: two passes over rows
// that are longer than registers. Here the loop of the first reduction also gathers, for
// each place of a tile, what the second one is made of once the first is known:
//
// - sum((x - c)^2), for any c of the row: sums of x - k and of (x - k)^2, where k is the
//   place's own first element. From k to c it is (k - c) (2 sum(x - k) + n (k - c)) more,
//   whose error is at most that of n additions, since k is one of the n elements. Chan,
//   Golub, LeVeque, "Algorithms for computing the sample variance", 1983.
// - the least place of an extreme: that of the place's extreme so far.
//
//===----------------------------------------------------------------------===//
#include "TileEmitter.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace lispier::tensors {
namespace {
/// The earlier reduction of these elements along the same dimensions, to the same ones, by `Combiners`.
template <typename... Combiners>
linalg::LinalgOp earlierReduction(RegionValue element, linalg::LinalgOp second, const GroupDimensions &dimensions) {
  RegionValues values(dimensions);
  const GroupDimensions::Loops &loops = dimensions.loops(second);
  auto kept = [&](linalg::LinalgOp op) -> ArrayRef<unsigned> {
    return dimensions.loops(op).operands[op.getDpsInitOperand(0)->getOperandNumber()];
  };
  for (auto op : second->getBlock()->getOps<linalg::LinalgOp>()) {
    if (op == second)
      break;
    std::optional<ReducedElement> reduced = reducedElementOf(op);
    if (reduced && isa<Combiners...>(reduced->combiner) && dimensions.loops(op).dimensions == loops.dimensions &&
        dimensions.loops(op).reduced == loops.reduced && kept(op) == kept(second) &&
        values.areEqual(element, reduced->element))
      return op;
  }
  return {};
}

Value elementOf(linalg::LinalgOp op) { return reducedElementOf(op)->element.value; }

std::optional<JointReductions> sumOfSquares(const ReducedElement &added, const GroupDimensions &dimensions) {
  RegionValues values(dimensions);
  RegionValue square = values.origin(added.element);
  if (!isa_and_nonnull<arith::MulFOp>(square.definingOp()) || !values.areEqual(square.operand(0), square.operand(1)))
    return std::nullopt;
  RegionValue difference = values.origin(square.operand(0));
  if (!isa_and_nonnull<arith::SubFOp>(difference.definingOp()))
    return std::nullopt;
  linalg::LinalgOp second = added.element.op;
  RegionValue shift = difference.operand(1);
  const GroupDimensions::Loops &loops = dimensions.loops(second);
  for (auto [dimension, isReduced] : llvm::zip(loops.dimensions, loops.reduced))
    if (isReduced && values.varies(shift, dimension))
      return std::nullopt;
  linalg::LinalgOp first = earlierReduction<arith::AddFOp>(difference.operand(0), second, dimensions);
  return first ? std::optional(JointReductions{first, second, elementOf(first), shift, {}}) : std::nullopt;
}

/// The element and the extreme that a condition compares: no other condition but that it is NaN may be beside it.
std::optional<std::pair<RegionValue, RegionValue>> comparedWithExtreme(RegionValue condition,
                                                                       const RegionValues &values) {
  if (auto either = dyn_cast_or_null<arith::OrIOp>(condition.definingOp())) {
    auto isNaN = condition.operand(1).value.getDefiningOp<arith::CmpFOp>();
    auto compared = comparedWithExtreme(condition.operand(0), values);
    if (!compared || !isNaN || isNaN.getPredicate() != arith::CmpFPredicate::UNO || isNaN.getLhs() != isNaN.getRhs() ||
        isNaN.getLhs() != compared->first.value)
      return std::nullopt;
    return compared;
  }
  auto equal = dyn_cast_or_null<arith::CmpFOp>(condition.definingOp());
  auto same = dyn_cast_or_null<arith::CmpIOp>(condition.definingOp());
  if ((!equal || equal.getPredicate() != arith::CmpFPredicate::OEQ) &&
      (!same || same.getPredicate() != arith::CmpIPredicate::eq))
    return std::nullopt;
  return std::pair(condition.operand(0), condition.operand(1));
}

std::optional<JointReductions> placeOfExtreme(const ReducedElement &least, const GroupDimensions &dimensions) {
  RegionValues values(dimensions);
  linalg::LinalgOp second = least.element.op;
  auto selection = least.element.value.getDefiningOp<arith::SelectOp>();
  APInt none;
  if (!selection || !matchPattern(selection.getFalseValue(), m_ConstantInt(&none)) || !none.isMaxSignedValue())
    return std::nullopt;
  auto compared = comparedWithExtreme({second, selection.getCondition()}, values);
  if (!compared)
    return std::nullopt;
  linalg::LinalgOp first = earlierReduction<arith::MaximumFOp, arith::MinimumFOp, arith::MaxSIOp, arith::MinSIOp,
                                            arith::MaxUIOp, arith::MinUIOp>(compared->first, second, dimensions);
  OpOperand *extreme = RegionValues::operandOf(compared->second);
  if (!first || !extreme || extreme->get() != first->getResult(0))
    return std::nullopt;
  return JointReductions{first, second, elementOf(first), std::nullopt, selection};
}
} // namespace

std::optional<JointReductions> jointReductionsOf(linalg::LinalgOp second, const GroupDimensions &dimensions) {
  std::optional<ReducedElement> reduced = reducedElementOf(second);
  if (reduced && isa<arith::AddFOp>(reduced->combiner))
    return sumOfSquares(*reduced, dimensions);
  if (reduced && isa<arith::MinSIOp>(reduced->combiner))
    return placeOfExtreme(*reduced, dimensions);
  return std::nullopt;
}

Value TileEmitter::jointResult(Region &region, ArrayRef<unsigned> looped, vector::CombiningKind kind,
                               TypedAttr neutral) {
  for (auto op : region.op->getBlock()->getOps<linalg::LinalgOp>()) {
    std::optional<JointReductions> joint = jointReductionsOf(op, dimensions);
    if (!joint)
      continue;
    if (joint->first == region.op)
      return joint->shift ? sumWithSquares(region, *joint, looped)
                          : extremeWithPlace(region, *joint, looped, kind, neutral);
    if (joint->second != region.op)
      continue;
    ArrayRef<unsigned> kept = region.loops.operands[op.getDpsInitOperand(0)->getOperandNumber()];
    auto axes = llvm::map_to_vector(kept, [&](unsigned loop) { return region.axes[loop]; });
    if (!tile(joint->first->getResult(0), axes))
      return {};
    std::pair key(op->getResult(0).getAsOpaquePointer(), std::vector<TileAxis>(axes.begin(), axes.end()));
    if (auto known = scopes.back().tiles.find(key); known != scopes.back().tiles.end())
      return known->second;
  }
  return {};
}

/// The result of the region's op from what each place of a tile has, which is made known.
Value TileEmitter::reducedTile(Region &region, Value places, vector::CombiningKind kind) {
  OpOperand *init = region.op.getDpsInitOperand(0);
  std::optional<Piece> first = operandElement(region, *init);
  if (!first)
    return {};
  ArrayRef<unsigned> kept = region.loops.operands[init->getOperandNumber()];
  SmallVector<bool> reduced;
  for (unsigned loop : allLoops(region).set_bits())
    reduced.push_back(region.loops.reduced[loop]);
  Value initial = widen(region, *first, properLoops(region, kept));
  Value made = llvm::is_contained(reduced, true)
                   ? vector::MultiDimReductionOp::create(b, loc, places, initial, reduced, kind).getResult()
                   : vector::makeArithReduction(b, loc, kind, places, initial);
  std::vector<TileAxis> axes;
  for (unsigned loop : kept)
    axes.push_back(region.axes[loop]);
  return scopes.back().tiles[{region.op->getResult(0).getAsOpaquePointer(), axes}] = inOrder(region, made, kept);
}

/// How many elements each place of a tile has along the reduced loops.
Value TileEmitter::countsOfPlaces(Region &region, Type type, ArrayRef<unsigned> looped) {
  LoopSet all = allLoops(region);
  auto converted = [&](Value count) -> Value {
    APInt known;
    if (matchPattern(count, m_ConstantInt(&known)))
      return number(b.getFloatAttr(type, double(known.getSExtValue())));
    return arith::SIToFPOp::create(b, loc, type, arith::IndexCastOp::create(b, loc, b.getI64Type(), count));
  };
  Value counts = splat(b.getFloatAttr(type, 1.0), shapeOf(region, all));
  for (unsigned loop : looped) {
    unsigned dimension = region.loops.dimensions[loop];
    Value step = index(region.axes[loop].step()), length = size(dimension);
    Value least = b.createOrFold<arith::DivUIOp>(loc, length, step);
    Piece count{converted(least), LoopSet(region.axes.size())};
    if (!isWhole(dimension, {index(0), region.axes[loop].size})) {
      SmallVector<int64_t> shape{region.axes[loop].size};
      Value one = number(b.getFloatAttr(type, 1.0));
      Value more = arith::AddFOp::create(b, loc, count.value, one);
      Value rest = b.createOrFold<arith::RemUIOp>(loc, length, step);
      Value mask = vector::CreateMaskOp::create(b, loc, VectorType::get(shape, b.getI1Type()), rest);
      count.value = arith::SelectOp::create(b, loc, mask, splat(more, shape), splat(count.value, shape));
      count.loops.set(loop);
    }
    counts = arith::MulFOp::create(b, loc, counts, widen(region, count, all));
  }
  return counts;
}

/// The sum of the elements, and, made known, that of the squares of their differences from the shift.
Value TileEmitter::sumWithSquares(Region &region, JointReductions joint, ArrayRef<unsigned> looped) {
  LoopSet all = allLoops(region);
  Type type = joint.element.getType();
  TypedAttr zero = b.getZeroAttr(type);
  auto atBegin = [&](Value begin) {
    for (unsigned loop : looped)
      region.axes[loop].start = begin;
  };
  atBegin(index(0));
  std::optional<Piece> begin = element(region, joint.element);
  if (!begin)
    return {};
  Value origin = widen(region, *begin, all);
  Value none = splat(zero, shapeOf(region, all));
  SmallVector<Value> gathered = carryInLoops(region, looped, {none, none}, [&](ValueRange sofar) -> SmallVector<Value> {
    std::optional<Piece> piece = element(region, joint.element);
    if (!piece)
      return {};
    Value shifted = arith::SubFOp::create(b, loc, widen(region, *piece, all), origin);
    shifted = neutralOutside(region, shifted, zero, all);
    return {arith::AddFOp::create(b, loc, sofar[0], shifted), math::FmaOp::create(b, loc, shifted, shifted, sofar[1])};
  });
  if (gathered.empty())
    return {};
  atBegin(index(0));
  Value counts = countsOfPlaces(region, type, looped);
  Value sums = math::FmaOp::create(b, loc, counts, origin, gathered[0]);
  Value sum = reducedTile(region, neutralOutside(region, sums, zero, all), vector::CombiningKind::ADD);
  Region ofShift{joint.shift->op, dimensions.loops(joint.shift->op), region.axes, llvm::DenseMap<Value, Piece>()};
  std::optional<Piece> shift = sum ? element(ofShift, joint.shift->value) : std::nullopt;
  if (!shift)
    return {};
  Value from = arith::SubFOp::create(b, loc, origin, widen(region, *shift, all));
  Value twice = arith::AddFOp::create(b, loc, gathered[0], gathered[0]);
  Value more = math::FmaOp::create(b, loc, counts, from, twice);
  Value squares = neutralOutside(region, math::FmaOp::create(b, loc, from, more, gathered[1]), zero, all);
  Region second{joint.second, dimensions.loops(joint.second), region.axes, llvm::DenseMap<Value, Piece>()};
  return reducedTile(second, squares, vector::CombiningKind::ADD) ? sum : Value();
}

/// The extreme, and, made known, the least place that has it.
Value TileEmitter::extremeWithPlace(Region &region, JointReductions joint, ArrayRef<unsigned> looped,
                                    vector::CombiningKind kind, TypedAttr neutral) {
  LoopSet all = allLoops(region);
  Region second{joint.second, dimensions.loops(joint.second), region.axes, llvm::DenseMap<Value, Piece>()};
  Operation *condition = joint.selection.getCondition().getDefiningOp();
  Type type = joint.element.getType();
  auto isSame = [&](Value number, Value extreme) -> Value {
    if (isa<IntegerType>(type))
      return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, number, extreme);
    Value equal = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, number, extreme);
    if (isa<arith::CmpFOp>(condition))
      return equal;
    Value isNaN = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, number, number);
    return arith::OrIOp::create(b, loc, equal, isNaN);
  };
  auto placeType = cast<IntegerType>(joint.selection.getType());
  Value nowhere =
      splat(b.getIntegerAttr(placeType, APInt::getSignedMaxValue(placeType.getWidth())), shapeOf(region, all));
  auto where = [&](Value condition, Value place) -> Value {
    return arith::SelectOp::create(b, loc, condition, place, nowhere);
  };
  SmallVector<Value> initial{splat(neutral, shapeOf(region, all)), nowhere};
  SmallVector<Value> gathered = carryInLoops(region, looped, initial, [&](ValueRange sofar) -> SmallVector<Value> {
    second.axes = region.axes;
    std::optional<Piece> piece = element(region, joint.element);
    std::optional<Piece> place = piece ? element(second, joint.selection.getTrueValue()) : std::nullopt;
    if (!place)
      return {};
    Value tile = neutralOutside(region, widen(region, *piece, all), neutral, all);
    Value extreme = vector::makeArithReduction(b, loc, kind, tile, sofar[0]);
    Value earlier = where(isSame(sofar[0], extreme), sofar[1]);
    Value here = where(isSame(tile, extreme), widen(second, *place, all));
    return {extreme, arith::MinSIOp::create(b, loc, earlier, here)};
  });
  if (gathered.empty())
    return {};
  Value extreme = reducedTile(region, gathered[0], kind);
  if (!extreme)
    return {};
  ArrayRef<unsigned> kept = region.loops.operands[joint.first.getDpsInitOperand(0)->getOperandNumber()];
  Piece found{inLoops(region, extreme, kept), properLoops(region, kept)};
  second.axes = region.axes;
  Value places = where(isSame(gathered[0], widen(region, found, all)), gathered[1]);
  return reducedTile(second, places, vector::CombiningKind::MINSI) ? extreme : Value();
}
} // namespace lispier::tensors
