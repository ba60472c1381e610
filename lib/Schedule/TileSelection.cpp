//===- TileSelection.cpp - reductions that one element decides ------------===//
//
// sum(where(j == p, u, 0)) along j is u at p, and 0 if there is no such place: one element
// is read where the row may be long. The loss of a classifier is written so.
//
//===----------------------------------------------------------------------===//
#include "RegionValue.h"
#include "TileEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace lispier::tensors {
namespace {
/// The place of an element along the dimension, as a number that does not wrap around.
bool isPlace(RegionValue at, unsigned dimension, const RegionValues &values, const GroupDimensions &dimensions) {
  constexpr unsigned kLeastBits = 32;
  at = values.origin(at);
  while (isa_and_nonnull<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>(at.definingOp())) {
    Type type = at.value.getType();
    if (!type.isIndex() && type.getIntOrFloatBitWidth() < kLeastBits)
      return false;
    at = values.origin(at.operand(0));
  }
  auto index = dyn_cast_or_null<linalg::IndexOp>(at.definingOp());
  if (!index)
    return false;
  const GroupDimensions::Loops &loops = dimensions.loops(at.op);
  std::optional<unsigned> loop = loops.ofIterator[index.getDim()];
  return loop && loops.dimensions[*loop] == dimension;
}

/// Of zeros, either counts.
bool isNumber(Value value, TypedAttr number) {
  Attribute constant;
  if (!matchPattern(value, m_Constant(&constant)))
    return false;
  auto some = dyn_cast<FloatAttr>(constant), other = dyn_cast<FloatAttr>(number);
  return constant == number || (some && other && some.getValue().isZero() && other.getValue().isZero());
}

} // namespace

std::optional<RegionValue> selectedPlace(RegionValue element, unsigned dimension, TypedAttr neutral,
                                         const GroupDimensions &dimensions) {
  RegionValues values(dimensions);
  RegionValue selection = values.origin(element);
  auto select = dyn_cast_or_null<arith::SelectOp>(selection.definingOp());
  if (!select || !isNumber(select.getFalseValue(), neutral))
    return std::nullopt;
  RegionValue condition = values.origin(selection.operand(0));
  auto compare = dyn_cast_or_null<arith::CmpIOp>(condition.definingOp());
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::eq)
    return std::nullopt;
  for (unsigned side : {0, 1})
    if (RegionValue place = condition.operand(1 - side);
        isPlace(condition.operand(side), dimension, values, dimensions) && !values.varies(place, dimension))
      return place;
  return std::nullopt;
}

Value TileEmitter::selectedElement(Region &region, Value element, unsigned loop, TypedAttr neutral) {
  unsigned dimension = region.loops.dimensions[loop];
  LoopSet others = allLoops(region);
  others.reset(loop);
  std::optional<RegionValue> place = selectedPlace({region.op, element}, dimension, neutral, dimensions);
  Value count = size(dimension);
  if (others.any() || !place || !count)
    return {};
  Region source{place->op, dimensions.loops(place->op), region.axes, llvm::DenseMap<Value, Piece>()};
  std::optional<Piece> number = this->element(source, place->value);
  if (!number || number->loops.any())
    return {};
  Value start = number->value;
  if (!start.getType().isIndex())
    start = arith::IndexCastOp::create(b, loc, b.getIndexType(), start);
  Value isInside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, start, count);
  start = arith::SelectOp::create(b, loc, isInside, start, index(0)); // An axis of its own.
  auto choice = scf::IfOp::create(b, loc, neutral.getType(), isInside, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(choice.elseBlock());
  scf::YieldOp::create(b, loc, this->number(neutral));
  b.setInsertionPointToEnd(choice.thenBlock());
  depthOfStart[start] = scopes.size();
  scopes.emplace_back().scope = choice;
  Region selected{region.op, region.loops, region.axes, llvm::DenseMap<Value, Piece>()};
  selected.axes[loop] = {start, kPoint};
  std::optional<Piece> piece = this->element(selected, element);
  scopes.pop_back();
  depthOfStart.erase(start);
  scf::YieldOp::create(b, loc, piece ? piece->value : this->number(neutral));
  return piece ? choice.getResult(0) : Value();
}
} // namespace lispier::tensors
