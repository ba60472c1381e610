//===- ScoreRegion.cpp - group.attention of linalg ops ---------------------===//
//
// The region of the score is what the ops between the two products compute of one score:
// these, and what they need that is cheaper than to read it from memory, such as a mask
// of two positions. Other tensors become operands.
//
//===----------------------------------------------------------------------===//
#include "AttentionFinder.h"
#include "lispier/Tensor/Simplify/TensorRoles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

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
  Value withoutDimensions(Value tensor, ArrayRef<unsigned> dimensions);
  Value likeOriginal(Value made, Value original, const WeightsPlace &place);
  AffineMap mapOf(ArrayRef<unsigned> loops);

  Value fillRegion(Block &block);
  Value element(Value tensor, const WeightsPlace &place);
  Value elementMade(Value tensor, const WeightsPlace &place);
  Value inOp(linalg::LinalgOp op, Value wanted, ArrayRef<int> loops);
  Value copied(Operation &op, IRMapping &mapping);
  Value operand(Value tensor, const WeightsPlace &place);
  Value number(Value value);
  Value indexAt(int place);
  bool dependsOnScores(Value tensor);
  int64_t costOf(Value tensor, llvm::SmallPtrSetImpl<Operation *> &seen);
  bool isInside(Value tensor);
  Type wideType(Type type) { return isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32 ? b.getF32Type() : type; }

  OpBuilder &builder;
  OpBuilder b; ///< In the region.
  FoundAttention found;
  Location loc;
  llvm::DenseMap<int, unsigned> loopOf; ///< By dimension of the weights, kHeadSize and kValueSize.
  llvm::SmallDenseSet<int> dropped;     ///< Dimensions of one element that are no loops.
  unsigned loops = 0;
  SmallVector<Value> others;
  SmallVector<AffineMap> otherMaps;
  std::vector<std::tuple<Value, WeightsPlace, Value>> known;
  llvm::DenseMap<Value, bool> depends;
  llvm::DenseMap<Value, Value> numbers;
  Block *block = nullptr;
  Value score; ///< The region's argument, times the factor.
};

ScoreRegion::ScoreRegion(OpBuilder &builder, FoundAttention attention, unsigned tokens)
    : builder(builder), b(builder.getContext()), found(std::move(attention)),
      loc(FusedLoc::get(builder.getContext(), found.places)) {
  nameLoops(tokens);
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

Value ScoreRegion::withoutDimensions(Value tensor, ArrayRef<unsigned> dimensions) {
  if (dimensions.empty())
    return tensor;
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<ReassociationIndices> parts;
  ReassociationIndices leading;
  for (int64_t at = 0; at < type.getRank(); ++at)
    if (llvm::is_contained(dimensions, unsigned(at))) {
      (parts.empty() ? leading : parts.back()).push_back(at);
    } else {
      parts.push_back(leading);
      parts.back().push_back(at);
      leading.clear();
    }
  return tensor::CollapseShapeOp::create(builder, loc, tensor, parts);
}

/// The tensor without dimensions that are no loops.
ScoreRegion::Placed ScoreRegion::withLoops(const PlacedTensor &placed) {
  SmallVector<unsigned> out, own;
  for (auto [dimension, at] : llvm::enumerate(placed.place))
    if (at == kFirst || dropped.contains(at))
      out.push_back(dimension);
    else
      own.push_back(loopOf.lookup(at));
  return {withoutDimensions(placed.tensor, out), own};
}

AffineMap ScoreRegion::mapOf(ArrayRef<unsigned> own) {
  SmallVector<AffineExpr> results =
      llvm::map_to_vector(own, [&](unsigned loop) { return builder.getAffineDimExpr(loop); });
  return AffineMap::get(loops, 0, results, builder.getContext());
}

//===----------------------------------------------------------------------===//
// Elements in the region
//===----------------------------------------------------------------------===//

bool ScoreRegion::dependsOnScores(Value tensor) {
  if (tensor == found.scores->getResult(0))
    return true;
  if (auto entry = depends.find(tensor); entry != depends.end())
    return entry->second;
  Operation *op = tensor.getDefiningOp();
  bool is = op && op->getBlock() == found.product->getBlock() &&
            llvm::any_of(op->getOperands(), [&](Value each) { return dependsOnScores(each); });
  return depends[tensor] = is;
}

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

/// Whether elements are computed in the region, and not read from memory.
bool ScoreRegion::isInside(Value tensor) {
  if (dependsOnScores(tensor))
    return true;
  Value made = tensor;
  while (placesOfUnitReshape(made.getDefiningOp()) || made.getDefiningOp<tensor::CastOp>())
    made = made.getDefiningOp()->getOperand(0);
  llvm::SmallPtrSet<Operation *, 8> seen;
  bool isSplat =
      matchPattern(made, m_Constant()) && isa<SplatElementsAttr>(made.getDefiningOp<arith::ConstantOp>().getValue());
  return isSplat || (elementwiseMaker(made) && costOf(made, seen) < kMostInputCost);
}

Value ScoreRegion::indexAt(int place) {
  if (place == kFirst || dropped.contains(place))
    return number(Value());
  return block->getArgument(loopOf.lookup(place));
}

/// A number from outside of the region; null stands for index 0.
Value ScoreRegion::number(Value value) {
  if (Value own = numbers.lookup(value))
    return own;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(block);
  if (!value)
    return numbers[value] = arith::ConstantIndexOp::create(b, loc, 0);
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant)))
    return numbers[value] = arith::ConstantOp::create(b, loc, cast<TypedAttr>(constant));
  others.push_back(value);
  otherMaps.push_back(mapOf({}));
  return numbers[value] = block->addArgument(value.getType(), loc);
}

/// An element that is read from memory.
Value ScoreRegion::operand(Value tensor, const WeightsPlace &place) {
  Placed read = withLoops({tensor, place});
  others.push_back(read.tensor);
  otherMaps.push_back(mapOf(read.loops));
  return block->addArgument(getElementTypeOrSelf(tensor), loc);
}

Value ScoreRegion::element(Value tensor, const WeightsPlace &place) {
  for (auto &[of, at, value] : known)
    if (of == tensor && at == place)
      return value;
  Value made = elementMade(tensor, place);
  if (made)
    known.push_back({tensor, place, made});
  return made;
}

Value ScoreRegion::elementMade(Value tensor, const WeightsPlace &place) {
  if (tensor == found.scores->getResult(0))
    return place == found.scoresPlace ? score : Value();
  if (!isInside(tensor))
    return operand(tensor, place);
  Operation *op = tensor.getDefiningOp();
  if (isa<tensor::CastOp>(op))
    return element(op->getOperand(0), place);
  if (std::optional<WeightsPlace> reshaped = placesOfUnitReshape(op)) {
    WeightsPlace source(cast<RankedTensorType>(op->getOperand(0).getType()).getRank(), kFirst);
    for (auto [at, from] : llvm::zip(place, *reshaped))
      if (from != kFirst)
        source[from] = at;
    return element(op->getOperand(0), source);
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto splat = cast<SplatElementsAttr>(constant.getValue());
    return arith::ConstantOp::create(b, loc, splat.getSplatValue<TypedAttr>());
  }
  linalg::LinalgOp made = elementwiseMaker(tensor);
  if (!made)
    return {};
  unsigned result = cast<OpResult>(tensor).getResultNumber();
  SmallVector<int> ofLoops(made.getNumLoops(), kFirst);
  for (auto [loop, at] : llvm::zip(*loopDimsOf(made, *made.getDpsInitOperand(result)), place))
    ofLoops[loop] = at;
  return inOp(made, made.getBlock()->getTerminator()->getOperand(result), ofLoops);
}

/// A value of the op's region, in the iteration with these indices. Ops that it does not need are not copied.
Value ScoreRegion::inOp(linalg::LinalgOp op, Value wanted, ArrayRef<int> ofLoops) {
  IRMapping mapping;
  std::function<bool(Value)> copy = [&](Value value) -> bool {
    if (mapping.contains(value))
      return true;
    auto take = [&](Value made) {
      if (made)
        mapping.map(value, made);
      return bool(made);
    };
    if (value.getParentBlock() != op.getBlock())
      return take(number(value));
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      OpOperand *read = op.getMatchingOpOperand(argument);
      if (!isa<TensorType>(read->get().getType()))
        return take(number(read->get()));
      WeightsPlace place = llvm::map_to_vector(*loopDimsOf(op, *read), [&](unsigned loop) { return ofLoops[loop]; });
      return take(element(read->get(), place));
    }
    Operation *made = value.getDefiningOp();
    if (auto index = dyn_cast<linalg::IndexOp>(made))
      return take(indexAt(ofLoops[index.getDim()]));
    return llvm::all_of(made->getOperands(), copy) && take(copied(*made, mapping));
  };
  return copy(wanted) ? mapping.lookup(wanted) : Value();
}

/// A copy of the op, on wider floats where an operand is one: roundings that the compiler may leave out are.
Value ScoreRegion::copied(Operation &op, IRMapping &mapping) {
  if (auto rounding = dyn_cast<arith::TruncFOp>(op); rounding && mayBeLeftOut(rounding))
    return mapping.lookup(rounding.getIn());
  if (auto widening = dyn_cast<arith::ExtFOp>(op);
      widening && mapping.lookup(widening.getIn()).getType() == widening.getType())
    return mapping.lookup(widening.getIn());
  Operation *made = b.clone(op, mapping);
  Type narrow, wide;
  for (auto [before, after] : llvm::zip(op.getOperands(), made->getOperands()))
    if (before.getType() != after.getType())
      narrow = before.getType(), wide = after.getType();
  if (!wide || isa<arith::TruncFOp, arith::ExtFOp>(op))
    return made->getResult(0);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(made);
  for (OpOperand &operand : made->getOpOperands())
    if (operand.get().getType() == narrow)
      operand.set(arith::ExtFOp::create(b, loc, wide, operand.get()));
  if (made->getResult(0).getType() == narrow)
    made->getResult(0).setType(wide);
  return made->getResult(0);
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
  linalg::LinalgOp maximum = found.maximum;
  Operation *combine = maximum.getBlock()->getTerminator()->getOperand(0).getDefiningOp();
  Value sofar = maximum.getMatchingBlockArgument(maximum.getDpsInitOperand(0));
  SmallVector<int> ofLoops(maximum.getNumLoops(), found.positions);
  for (auto [loop, at] : llvm::zip(*loopDimsOf(maximum, *maximum.getDpsInitOperand(0)), found.maximumPlace))
    ofLoops[loop] = at;
  Value changed = inOp(maximum, combine->getOperand(combine->getOperand(0) == sofar ? 1 : 0), ofLoops);
  if (changed && changed.getType() != wideType(changed.getType()))
    changed = arith::ExtFOp::create(b, loc, wideType(changed.getType()), changed);
  return changed && changed.getType() == type ? changed : Value();
}

/// A result in the shape of the tensor that it replaces.
Value ScoreRegion::likeOriginal(Value made, Value original, const WeightsPlace &place) {
  auto type = cast<RankedTensorType>(original.getType());
  SmallVector<ReassociationIndices> parts;
  ReassociationIndices leading;
  for (auto [dimension, at] : llvm::enumerate(place))
    if (at == kFirst || dropped.contains(at)) {
      (parts.empty() ? leading : parts.back()).push_back(dimension);
    } else {
      parts.push_back(leading);
      parts.back().push_back(dimension);
      leading.clear();
    }
  if (int64_t(parts.size()) == type.getRank())
    return made;
  SmallVector<OpFoldResult> sizes;
  for (auto [part, each] : llvm::enumerate(parts))
    for (int64_t dimension : each) {
      bool isOne = place[dimension] == kFirst || dropped.contains(place[dimension]);
      sizes.push_back(isOne ? OpFoldResult(builder.getIndexAttr(1)) : tensor::getMixedSize(builder, loc, made, part));
    }
  return tensor::ExpandShapeOp::create(builder, loc, type, made, parts, sizes);
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
      if (at == kFirst || dropped.contains(at))
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
