//===- TileShiftedSum.cpp - sums of exponentials in one pass --------------===//
//
// sum(exp(u - max(u))) along a dimension that a loop walks in chunks: the maximum so far
// and the sum so far are carried together, and the sum shrinks when the maximum grows,
// so that u is made once for both. Milakov and Gimelshein, "Online normalizer calculation
// for softmax", 2018.
//
//===----------------------------------------------------------------------===//
#include "RegionValue.h"
#include "TileEmitter.h"
#include "lispier/Tensor/Simplify/TensorRoles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace lispier::tensors {
std::optional<ShiftedSum> shiftedSumOf(linalg::LinalgOp sum, const GroupDimensions &dimensions) {
  RegionValues values(dimensions);
  std::optional<ReducedElement> added = reducedElementOf(sum);
  if (!added || !isa<arith::AddFOp>(added->combiner))
    return std::nullopt;
  RegionValue power = values.origin(added->element);
  if (!isa_and_nonnull<math::ExpOp>(power.definingOp()))
    return std::nullopt;
  RegionValue difference = values.origin(power.operand(0));
  if (!isa_and_nonnull<arith::SubFOp>(difference.definingOp()))
    return std::nullopt;
  OpOperand *shift = RegionValues::operandOf(difference.operand(1));
  auto maximum = shift ? shift->get().getDefiningOp<linalg::LinalgOp>() : linalg::LinalgOp();
  std::optional<ReducedElement> reduced = maximum ? reducedElementOf(maximum) : std::nullopt;
  if (!reduced || !isa<arith::MaximumFOp, arith::MaxNumFOp>(reduced->combiner))
    return std::nullopt;
  auto fill = maximum.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
  if (!fill || !matchPattern(fill.getInputs()[0], m_NegInfFloat()))
    return std::nullopt;
  const GroupDimensions::Loops &loops = dimensions.loops(sum);
  auto fits = [&](linalg::LinalgOp op) { return dimensions.loops(op).dimensions == loops.dimensions; };
  if (!fits(maximum) || !fits(difference.op) || dimensions.loops(maximum).reduced != loops.reduced ||
      !values.areEqual(difference.operand(0), reduced->element))
    return std::nullopt;
  return ShiftedSum{sum, maximum, reduced->element.value};
}

/// A sum that is made beside its maximum. A row that is kept is rather walked for each, without what the one does for
/// the other, unless its elements are functions of what is read, such as GELU, which cost more than that.
std::optional<ShiftedSum> TileEmitter::sumInOnePass(linalg::LinalgOp sum) const {
  constexpr int64_t kCostOfFunction = 16;
  std::function<bool(linalg::LinalgOp)> isCostly = [&](linalg::LinalgOp op) {
    return op && (elementCost(op) >= kCostOfFunction || llvm::any_of(op.getDpsInputs(), [&](Value input) {
                    return isCostly(input.getDefiningOp<linalg::LinalgOp>());
                  }));
  };
  std::optional<ShiftedSum> shifted = shiftedSumOf(sum, dimensions);
  return shifted && schedule.keepsRows && !isCostly(shifted->maximum) ? std::nullopt : shifted;
}

/// The sum along the loop `looped` of `region`, for each place of a tile; and makes the maximum known.
Value TileEmitter::sumShifted(Region &region, ShiftedSum shifted, unsigned looped) {
  LoopSet all = allLoops(region), kept = all;
  SmallVector<bool> reduced;
  for (unsigned loop : all.set_bits()) {
    reduced.push_back(region.loops.reduced[loop]);
    if (region.loops.reduced[loop])
      kept.reset(loop);
  }
  auto type = cast<FloatType>(getElementTypeOrSelf(shifted.element.getType()));
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  // What is below all finite numbers would make -inf - -inf of an element that does not count.
  TypedAttr lowest = b.getFloatAttr(type, APFloat::getLargest(semantics, /*Negative=*/true));
  TypedAttr least = b.getFloatAttr(type, APFloat::getInf(semantics, /*Negative=*/true));
  Value initial[] = {splat(lowest, shapeOf(region, kept)), splat(b.getZeroAttr(type), shapeOf(region, all))};
  int64_t step = region.axes[looped].size;
  bool isRounded = type.isF32() && isOfRounded(shifted.element);
  Region source{shifted.maximum, dimensions.loops(shifted.maximum), region.axes, llvm::DenseMap<Value, Piece>()};
  FailureOr<scf::ForOp> made =
      loop(region.loops.dimensions[looped], step, initial, [&](Value start, ValueRange carried) -> SmallVector<Value> {
        source.axes[looped] = {start, step};
        std::optional<Piece> piece = element(source, shifted.element);
        if (!piece)
          return {};
        Value values = neutralOutside(source, widen(source, *piece, all), least, all);
        Value most =
            vector::MultiDimReductionOp::create(b, loc, values, carried[0], reduced, vector::CombiningKind::MAXIMUMF);
        Value shrink = exponential(arith::SubFOp::create(b, loc, carried[0], most), isRounded);
        Value powers = exponential(arith::SubFOp::create(b, loc, values, widen(source, {most, kept}, all)), isRounded);
        Value smaller = arith::MulFOp::create(b, loc, carried[1], widen(source, {shrink, kept}, all));
        return {most, arith::AddFOp::create(b, loc, smaller, powers)};
      });
  if (failed(made))
    return {};
  readAhead(*made);
  Value most = made->getResult(0), none = splat(lowest, shapeOf(region, kept));
  Value isNone = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, most, none);
  most = arith::SelectOp::create(b, loc, isNone, splat(least, shapeOf(region, kept)), most);
  ArrayRef<unsigned> loops = source.loops.operands[shifted.maximum.getDpsInitOperand(0)->getOperandNumber()];
  std::vector<TileAxis> axes;
  for (unsigned each : loops)
    axes.push_back(region.axes[each]);
  scopes.back().tiles[{shifted.maximum->getResult(0).getAsOpaquePointer(), axes}] = inOrder(source, most, loops);
  return made->getResult(1);
}

Value TileEmitter::maximumOfShiftedSum(linalg::LinalgOp maximum, Axes axes) {
  for (auto op : maximum->getBlock()->getOps<linalg::LinalgOp>()) {
    std::optional<ShiftedSum> shifted = sumInOnePass(op);
    if (!shifted || shifted->maximum != maximum)
      continue;
    const GroupDimensions::Loops &loops = dimensions.loops(op), &own = dimensions.loops(maximum);
    if (loops.operands[op.getDpsInitOperand(0)->getOperandNumber()] !=
            own.operands[maximum.getDpsInitOperand(0)->getOperandNumber()] ||
        !tile(op->getResult(0), axes))
      continue;
    auto known = scopes.back().tiles.find(
        {maximum->getResult(0).getAsOpaquePointer(), std::vector<TileAxis>(axes.begin(), axes.end())});
    if (known != scopes.back().tiles.end())
      return known->second;
  }
  return {};
}
} // namespace lispier::tensors
