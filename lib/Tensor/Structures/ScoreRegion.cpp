//===- ScoreRegion.cpp - group.attention of linalg ops ---------------------===//
//
// The region of the score has the formula of what the maximum is taken of, as it is
// written: what the ops between the two products compute of one score, and what they need
// that is cheaper than to read it from memory, such as a mask of two positions. Other
// tensors become operands.
//
//===----------------------------------------------------------------------===//
#include "AttentionFinder.h"
#include "lispier/Tensor/Simplify/TensorRoles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace lispier {
namespace {
/// What changes a score costs less than so much, other than what is made of the score itself.
constexpr int64_t kMostInputCost = 16;

/// An elementwise op whose region reads nothing but its operands' elements and numbers.
linalg::LinalgOp elementwiseMaker(Value tensor) {
  auto op = tensor.getDefiningOp<linalg::LinalgOp>();
  bool isElementwise =
      op && op.hasPureTensorSemantics() && roleOf(op) == TensorRole::Elementwise &&
      llvm::all_of(op->getOpOperands(), [&](OpOperand &each) { return loopDimsOf(op, each).has_value(); });
  bool isPlain = isElementwise && llvm::all_of(op.getBlock()->without_terminator(), [](Operation &inside) {
                   return inside.getNumRegions() == 0 && inside.getNumResults() == 1 && isMemoryEffectFree(&inside) &&
                          llvm::none_of(inside.getOperandTypes(), llvm::IsaPred<ShapedType>);
                 });
  return isPlain ? op : linalg::LinalgOp();
}

/// Of a float; 0 for other types.
unsigned widthOf(Type type) { return isa<FloatType>(type) ? type.getIntOrFloatBitWidth() : 0; }

class ScoreRegion {
public:
  ScoreRegion(OpBuilder &builder, FoundAttention attention, unsigned tokens);

  std::optional<FormedAttention> form();

private:
  struct Placed {
    Value tensor;
    SmallVector<unsigned> loops;
  };

  void nameLoops(unsigned tokens);
  Placed withLoops(const PlacedTensor &placed);
  bool isLoop(int place) const { return place != kFirst && !dropped.contains(place); }
  SmallVector<ReassociationIndices> partsOf(const WeightsPlace &place);
  Value likeOriginal(Value made, Value original, const WeightsPlace &place);
  AffineMap mapOf(ArrayRef<unsigned> loops);

  Value fillRegion(Block &block);
  Value written(ScalarForm::Ref form);
  Value elementWritten(const ScalarForm &form);
  Value opWritten(const ScalarForm &form);
  Value other(Value value, ArrayRef<unsigned> loops);
  int64_t costOf(Value tensor, llvm::SmallPtrSetImpl<Operation *> &seen);
  bool isInside(Value tensor);

  OpBuilder &builder;
  OpBuilder b; ///< In the region.
  FoundAttention found;
  Location loc;
  llvm::DenseMap<int, unsigned> loopOf; ///< By dimension of the weights, kHeadSize and kValueSize.
  llvm::SmallDenseSet<int> dropped;     ///< Dimensions of one element that are no loops.
  unsigned loops = 0;
  SmallVector<Value> others;
  SmallVector<AffineMap> otherMaps;
  llvm::SetVector<Location> places; ///< Of the ops whose formulas are written in the region.
  ScalarForms forms;
  llvm::DenseMap<ScalarForm::Ref, Value> values; ///< In the region.
  Block *block = nullptr;
  Value score; ///< The region's argument, times the factor.
};

ScoreRegion::ScoreRegion(OpBuilder &builder, FoundAttention attention, unsigned tokens)
    : builder(builder), b(builder.getContext()), found(std::move(attention)),
      loc(FusedLoc::get(builder.getContext(), found.places)), forms(builder.getContext(), /*asWritten=*/true) {
  nameLoops(tokens);
  forms.isLeaf = [this](Value value) { return !isa<TensorType>(value.getType()) || !isInside(value); };
}

/// Outer loops of one element are left out, but for the last one.
void ScoreRegion::nameLoops(unsigned tokens) {
  SmallVector<int> outer(found.outer);
  for (auto [i, row] : llvm::enumerate(found.rows))
    if (i != tokens)
      outer.push_back(row);
  auto isOne = [&](int place) {
    for (auto [dimension, at] : llvm::enumerate(found.query.place))
      if (at == place)
        return cast<RankedTensorType>(found.query.tensor.getType()).getDimSize(dimension) == 1;
    return false;
  };
  for (int place : SmallVector<int>(outer))
    if (outer.size() > 1 && isOne(place)) {
      dropped.insert(place);
      llvm::erase(outer, place);
    }
  for (int place : outer)
    loopOf[place] = loops++;
  for (int place : {found.rows[tokens], found.positions, kHeadSize, kValueSize})
    loopOf[place] = loops++;
}

/// The dimensions that are loops, each with those beside it that are none.
SmallVector<ReassociationIndices> ScoreRegion::partsOf(const WeightsPlace &place) {
  SmallVector<ReassociationIndices> parts;
  ReassociationIndices leading;
  for (auto [dimension, at] : llvm::enumerate(place))
    if (!isLoop(at)) {
      (parts.empty() ? leading : parts.back()).push_back(dimension);
    } else {
      parts.push_back(leading);
      parts.back().push_back(dimension);
      leading.clear();
    }
  return parts;
}

/// The tensor without dimensions that are no loops.
ScoreRegion::Placed ScoreRegion::withLoops(const PlacedTensor &placed) {
  SmallVector<ReassociationIndices> parts = partsOf(placed.place);
  Value tensor = placed.tensor;
  if (parts.size() != placed.place.size())
    tensor = tensor::CollapseShapeOp::create(builder, loc, tensor, parts);
  SmallVector<unsigned> own;
  for (int at : placed.place)
    if (isLoop(at))
      own.push_back(loopOf.lookup(at));
  return {tensor, own};
}

AffineMap ScoreRegion::mapOf(ArrayRef<unsigned> own) {
  SmallVector<AffineExpr> results =
      llvm::map_to_vector(own, [&](unsigned loop) { return builder.getAffineDimExpr(loop); });
  return AffineMap::get(loops, 0, results, builder.getContext());
}

//===----------------------------------------------------------------------===//
// Elements in the region
//===----------------------------------------------------------------------===//

/// What the region would compute for an element of it, each op once.
int64_t ScoreRegion::costOf(Value tensor, llvm::SmallPtrSetImpl<Operation *> &seen) {
  Operation *op = tensor.getDefiningOp();
  if (!op || !seen.insert(op).second)
    return 0;
  if (placesOfUnitReshape(op) || isa<tensor::CastOp>(op))
    return costOf(op->getOperand(0), seen);
  linalg::LinalgOp made = elementwiseMaker(tensor);
  if (!made)
    return 0;
  int64_t cost = elementCost(made);
  for (Value operand : made.getDpsInputs())
    cost += costOf(operand, seen);
  return cost;
}

/// Whether elements are computed in the region, and not read from memory; then the region's ops have its place, too.
bool ScoreRegion::isInside(Value tensor) {
  if (found.chain.contains(tensor.getDefiningOp()))
    return tensor != found.scores->getResult(0);
  Value made = tensor;
  while (placesOfUnitReshape(made.getDefiningOp()) || made.getDefiningOp<tensor::CastOp>())
    made = made.getDefiningOp()->getOperand(0);
  llvm::SmallPtrSet<Operation *, 8> seen;
  bool isSplat =
      matchPattern(made, m_Constant()) && isa<SplatElementsAttr>(made.getDefiningOp<arith::ConstantOp>().getValue());
  linalg::LinalgOp maker = elementwiseMaker(made);
  bool isMade = !isSplat && maker && costOf(made, seen) < kMostInputCost;
  if (isMade)
    places.insert(maker->getLoc());
  return isSplat || isMade;
}

/// What the form computes; null if it is of no op.
Value ScoreRegion::written(ScalarForm::Ref form) {
  if (Value known = values.lookup(form))
    return known;
  auto write = [&]() -> Value {
    switch (form->kind) {
    case ScalarForm::Kind::Constant:
      return arith::ConstantOp::create(b, loc, cast<TypedAttr>(form->attribute));
    case ScalarForm::Kind::Place:
      return dropped.contains(form->number) ? written(forms.index(0)) : block->getArgument(loopOf.lookup(form->number));
    case ScalarForm::Kind::Number:
      return other(form->value, {});
    case ScalarForm::Kind::Element:
      return elementWritten(*form);
    case ScalarForm::Kind::Apply:
      return opWritten(*form);
    default:
      return {};
    }
  };
  return values[form] = write();
}

/// The score, or an element that is read from memory.
Value ScoreRegion::elementWritten(const ScalarForm &form) {
  WeightsPlace place;
  for (auto [dimension, at] : llvm::enumerate(form.operands)) {
    bool isFirst = at->integer() == 0 && cast<RankedTensorType>(form.value.getType()).getDimSize(dimension) == 1;
    if (at->kind != ScalarForm::Kind::Place && !isFirst)
      return {};
    place.push_back(isFirst ? kFirst : int(at->number));
  }
  if (form.value == found.scores->getResult(0))
    return place == found.scoresPlace ? score : Value();
  Placed read = withLoops({form.value, place});
  return other(read.tensor, read.loops);
}

/// The op, on wider floats where an operand is one: roundings that the compiler may leave out are.
Value ScoreRegion::opWritten(const ScalarForm &form) {
  SmallVector<Value> operands = llvm::map_to_vector(form.operands, [&](ScalarForm::Ref each) { return written(each); });
  if (llvm::is_contained(operands, Value()))
    return {};
  Type type = form.type, wide = type;
  bool isConversion = form.is<arith::TruncFOp>() || form.is<arith::ExtFOp>();
  if (isConversion && operands[0].getType() == type)
    return operands[0];
  for (Value each : operands)
    if (widthOf(each.getType()) > widthOf(wide))
      wide = each.getType();
  for (Value &each : operands)
    if (!isConversion && widthOf(each.getType()) && widthOf(each.getType()) < widthOf(wide))
      each = arith::ExtFOp::create(b, loc, wide, each);
  OperationState state(FusedLoc::get(b.getContext(), places.getArrayRef()), form.name, operands,
                       !isConversion && widthOf(type) ? wide : type);
  if (auto attributes = dyn_cast_or_null<DictionaryAttr>(form.attribute))
    state.addAttributes(attributes.getValue());
  else if (form.attribute)
    state.addAttribute("predicate", form.attribute);
  return b.create(state)->getResult(0);
}

/// The region's argument for a number from outside, or for the element of a tensor in the iteration with these indices.
Value ScoreRegion::other(Value value, ArrayRef<unsigned> own) {
  others.push_back(value);
  otherMaps.push_back(mapOf(own));
  return block->addArgument(getElementTypeOrSelf(value), loc);
}

//===----------------------------------------------------------------------===//
// The op
//===----------------------------------------------------------------------===//

/// What the maximum is taken of, as wide as scores.
Value ScoreRegion::fillRegion(Block &region) {
  block = &region;
  for (unsigned loop = 0; loop + 2 < loops; ++loop)
    block->addArgument(b.getIndexType(), loc);
  Type type = getElementTypeOrSelf(found.scores->getResult(0));
  score = block->addArgument(type, loc);
  b.setInsertionPointToEnd(block);
  if (found.factor != 1)
    score = arith::MulFOp::create(b, loc, score, arith::ConstantOp::create(b, loc, b.getFloatAttr(type, found.factor)));
  ScalarForm::Ref most = forms.element(found.maximum->getResult(0), placesIn(forms, found.maximumPlace));
  Value changed = written(forms.replace(most->operands[0], most->operands[2], forms.place(found.positions)));
  if (changed && widthOf(changed.getType()) && widthOf(changed.getType()) < widthOf(type))
    changed = arith::ExtFOp::create(b, loc, type, changed);
  return changed && changed.getType() == type ? changed : Value();
}

/// A result in the shape of the tensor that it replaces.
Value ScoreRegion::likeOriginal(Value made, Value original, const WeightsPlace &place) {
  SmallVector<ReassociationIndices> parts = partsOf(place);
  if (parts.size() == place.size())
    return made;
  SmallVector<OpFoldResult> sizes;
  for (auto [part, each] : llvm::enumerate(parts))
    for (int64_t dimension : each)
      sizes.push_back(isLoop(place[dimension]) ? tensor::getMixedSize(builder, loc, made, part)
                                               : OpFoldResult(builder.getIndexAttr(1)));
  return tensor::ExpandShapeOp::create(builder, loc, original.getType(), made, parts, sizes);
}

std::optional<FormedAttention> ScoreRegion::form() {
  Region region;
  Block *body = &region.emplaceBlock();
  Value changed = fillRegion(*body);
  if (!changed)
    return std::nullopt;
  group::ScoreOp::create(b, loc, changed);
  Placed query = withLoops(found.query), key = withLoops(found.key), value = withLoops(found.value);
  SmallVector<Value> inits;
  SmallVector<AffineMap> maps{mapOf(query.loops), mapOf(key.loops), mapOf(value.loops)};
  llvm::append_range(maps, otherMaps);
  auto sizeOf = [&](unsigned loop) -> OpFoldResult {
    for (const Placed *each : {&query, &value})
      if (auto *at = llvm::find(each->loops, loop); at != each->loops.end())
        return tensor::getMixedSize(builder, loc, each->tensor, at - each->loops.begin());
    llvm_unreachable("rows are of queries");
  };
  auto addInit = [&](const PlacedTensor &result, Type element) {
    auto made = result.tensor.getDefiningOp<DestinationStyleOpInterface>();
    Value place = made ? made.getDpsInits()[0] : result.tensor;
    while (auto fill = place.getDefiningOp<linalg::FillOp>())
      place = fill.output();
    SmallVector<OpFoldResult> sizes;
    SmallVector<unsigned> own;
    bool isEarly = !found.logSums.empty(); // The place may be made behind the op.
    for (auto [dimension, at] : llvm::enumerate(result.place)) {
      if (!isLoop(at))
        continue;
      own.push_back(loopOf.lookup(at));
      sizes.push_back(isEarly ? sizeOf(own.back()) : tensor::getMixedSize(builder, loc, place, dimension));
    }
    bool isWhole = !isEarly && own.size() == result.place.size() && getElementTypeOrSelf(place) == element;
    inits.push_back(isWhole ? place : tensor::EmptyOp::create(builder, loc, sizes, element).getResult());
    maps.push_back(mapOf(own));
  };
  addInit(found.result, getElementTypeOrSelf(found.result.tensor));
  if (!found.logSums.empty())
    addInit(found.logSums.front(), changed.getType());
  auto op = group::AttentionOp::create(builder, loc, ValueRange(inits).getTypes(), query.tensor, key.tensor,
                                       value.tensor, others, inits, builder.getAffineMapArrayAttr(maps),
                                       found.rounded ? TypeAttr::get(found.rounded) : TypeAttr());
  op.getScore().takeBody(region);
  FormedAttention formed{op, likeOriginal(op.getResult(0), found.result.tensor, found.result.place), {}};
  for (const PlacedTensor &each : found.logSums)
    formed.logSums.push_back(likeOriginal(op.getResult(1), each.tensor, each.place));
  return formed;
}
} // namespace

std::optional<FormedAttention> formAttention(OpBuilder &b, const FoundAttention &found, unsigned tokens) {
  return ScoreRegion(b, found, tokens).form();
}
} // namespace lispier
