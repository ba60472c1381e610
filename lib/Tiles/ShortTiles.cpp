//===- ShortTiles.cpp - tiles whose memory ends before they do ------------===//
//
// The size of a tile is a constant, often the next power of two. Of a row that is
// shorter, loops go over what is there. All elements beyond have one value, so that
// they are neither in memory nor computed one by one.
//
//===----------------------------------------------------------------------===//
#include "TileLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace lispier::tiles {
namespace {
/// The number that all elements of the tile are, if it is known without an op; else null.
Value numberOf(Value tile) {
  while (tileType(tile)) {
    Operation *op = tile.getDefiningOp();
    if (!isa_and_nonnull<vector::BroadcastOp, vector::TransposeOp, vector::ShapeCastOp, vector::FromElementsOp>(op) ||
        !isElementwise(op))
      return nullptr;
    tile = op->getOperand(0);
  }
  return tile;
}

bool isSameIndex(Value one, Value other) {
  if (one == other)
    return true;
  std::optional<int64_t> left = getConstantIntValue(one), right = getConstantIntValue(other);
  if (left && right)
    return *left == *right;
  auto size = one.getDefiningOp<memref::DimOp>(), same = other.getDefiningOp<memref::DimOp>();
  return size && same && size.getSource() == same.getSource() && size.getConstantIndex() && same.getConstantIndex() &&
         *size.getConstantIndex() == *same.getConstantIndex();
}

/// Whether the tile's elements are the indices of the loop.
bool counts(Value tile, const Axes &axes, int loop) {
  Operation *op = tile.getDefiningOp();
  if (isa_and_nonnull<vector::StepOp>(op))
    return axes[0] == loop;
  if (!isa_and_nonnull<vector::BroadcastOp, vector::ShapeCastOp, vector::TransposeOp>(op) || !isElementwise(op))
    return false;
  auto sources = operandsAt(op, axes);
  return !sources.empty() && counts(sources[0].first, sources[0].second, loop);
}

/// Whether the tile's elements are `start` + the index of the loop.
bool countsFrom(Value start, Value tile, const Axes &axes, int loop) {
  Operation *op = tile.getDefiningOp();
  if (isConstantIntValue(start, 0) && counts(tile, axes, loop))
    return true;
  auto sum = dyn_cast_or_null<arith::AddIOp>(op);
  if (!sum)
    return false;
  auto sources = operandsAt(sum, axes);
  for (auto [number, rest] : {std::pair(0, 1), std::pair(1, 0)}) {
    Value first = numberOf(sources[number].first);
    if (first && isSameIndex(first, start) && counts(sources[rest].first, sources[rest].second, loop))
      return true;
  }
  return false;
}
} // namespace

std::optional<bool> conditionIn(const LoopPart &part, Value condition, const Axes &axes) {
  Operation *op = condition.getDefiningOp();
  if (part.axis == kOnly || !op || !isElementwise(op))
    return std::nullopt;
  auto sources = operandsAt(op, axes);
  if (isa<vector::BroadcastOp, vector::ShapeCastOp, vector::TransposeOp>(op))
    return sources.empty() ? std::nullopt : conditionIn(part, sources[0].first, sources[0].second);
  if (isa<arith::AndIOp>(op)) {
    std::optional<bool> left = conditionIn(part, sources[0].first, sources[0].second),
                        right = conditionIn(part, sources[1].first, sources[1].second);
    if (left && right)
      return *left && *right;
    return left == false || right == false ? std::optional(false) : std::nullopt;
  }
  auto compare = dyn_cast<arith::CmpIOp>(op);
  if (!compare ||
      (compare.getPredicate() != arith::CmpIPredicate::slt && compare.getPredicate() != arith::CmpIPredicate::ult))
    return std::nullopt;
  Value limit = numberOf(compare.getRhs());
  auto isEnd = [&](const ShortTile &tile) {
    return limit && isSameIndex(limit, tile.end) &&
           countsFrom(tile.start, sources[0].first, sources[0].second, part.axis);
  };
  if (part.beyond)
    return isEnd(*part.beyond) ? std::optional(false) : std::nullopt;
  return llvm::any_of(part.within, isEnd) ? std::optional(true) : std::nullopt;
}

//===-- What is short -----------------------------------------------------===//

namespace {
/// The loop along the last dimension of more than one element; kOnly if there is none.
int lastLoop(const Axes &axes) {
  for (int axis : llvm::reverse(axes))
    if (axis != kOnly)
      return axis;
  return kOnly;
}
} // namespace

bool TileLoops::isShortAlong(Value tile, const Axes &axes, const LoopPart &part) const {
  return shorts.contains(tile) && lastLoop(axes) == part.axis;
}

LoopPart TileLoops::shortSources(ArrayRef<std::pair<Value, Axes>> sources, bool &haveOneLoop) const {
  LoopPart part;
  haveOneLoop = true;
  auto see = [&](Value tile, const Axes &axes) {
    auto end = shorts.find(tile);
    if (end == shorts.end())
      return;
    haveOneLoop &= part.axis == kOnly || part.axis == lastLoop(axes);
    part.axis = lastLoop(axes);
    if (llvm::none_of(part.within, [&](const ShortTile &one) { return one.length == end->second.length; }))
      part.within.push_back(end->second);
  };
  for (auto &[tile, axes] : sources)
    forEachStored(tile, axes, see);
  return part;
}

Value TileLoops::valueBeyond(OpBuilder &b, Location loc, Value tile, const Axes &axes, const LoopPart &part) {
  if (isShortAlong(tile, axes, part))
    return shorts.find(tile)->second.beyond;
  if (Value buffer = bufferOf(tile)) {
    if (cast<MemRefType>(buffer.getType()).getRank() != 0)
      return nullptr;
    return fromMemory(b, loc, memref::LoadOp::create(b, loc, buffer), tileType(tile).getElementType());
  }
  Operation *op = tile.getDefiningOp();
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return scalarConstant(b, loc, cast<SplatElementsAttr>(constant.getValue()).getSplatValue<TypedAttr>());
  if (isa<vector::StepOp, vector::CreateMaskOp, vector::ConstantMaskOp>(op))
    return nullptr;
  auto sources = operandsAt(op, axes);
  auto at = [&](auto &source) { return valueBeyond(b, loc, source.first, source.second, part); };
  if (isa<vector::BroadcastOp, vector::TransposeOp, vector::ShapeCastOp, vector::FromElementsOp>(op))
    return sources.empty() ? op->getOperand(0) : at(sources[0]);
  if (isa<arith::SelectOp>(op) && sources.size() == 3)
    if (std::optional<bool> known = conditionIn(part, sources[0].first, sources[0].second))
      return at(sources[*known ? 1 : 2]);
  IRMapping mapping;
  for (auto &source : sources) {
    Value value = at(source);
    if (!value)
      return nullptr;
    mapping.map(source.first, value);
  }
  Operation *scalar = b.clone(*op, mapping);
  scalar->getResult(0).setType(getElementTypeOrSelf(tile.getType()));
  SmallVector<Value> folded;
  if (succeeded(b.tryFold(scalar, folded)) && !folded.empty()) {
    scalar->erase();
    return folded[0];
  }
  return scalar->getResult(0);
}

void TileLoops::store(OpBuilder &b, Location loc, Value tile, Value buffer) {
  bool hasOneLoop;
  Axes axes = identityAxes(tileType(tile));
  std::pair<Value, Axes> source(tile, axes);
  LoopPart part = shortSources(source, hasOneLoop);
  Value beyond;
  if (hasOneLoop && part.within.size() == 1 && part.axis == lastLoop(axes) && isFlexible(tile)) {
    LoopPart rest{part.axis, {}, part.within[0]};
    beyond = valueBeyond(b, loc, tile, axes, rest);
  }
  if (!beyond) {
    evaluate(b, loc, tile, buffer);
    setBuffer(tile, buffer);
    return;
  }
  ShortTile end = part.within[0];
  end.beyond = beyond;
  auto memory = cast<MemRefType>(buffer.getType());
  Box there;
  for (int64_t size : memory.getShape()) {
    there.offsets.push_back(b.getIndexAttr(0));
    there.sizes.push_back(b.getIndexAttr(size));
  }
  there.sizes.back() = getAsOpFoldResult(end.length);
  Loops loops = copyLoops(b, tile, buffer);
  loops.out = viewOf(b, loc, buffer, there.offsets, there.sizes, SmallVector<bool>(memory.getRank(), false));
  loops.box = &there;
  emitPart(b, loc, loops, part);
  setBuffer(tile, buffer);
  setShort(tile, end);
}

//===-- Loops -------------------------------------------------------------===//

Box TileLoops::wholeBox(OpBuilder &b, const Loops &loops) const {
  if (loops.box)
    return *loops.box;
  Box box;
  box.offsets.assign(loops.iterators.size(), b.getIndexAttr(0));
  box.sizes.resize(loops.iterators.size());
  for (auto &[tile, axes] : loops.sources)
    for (auto [size, axis] : llvm::zip(tileType(tile).getShape(), axes))
      if (axis != kOnly)
        box.sizes[axis] = b.getIndexAttr(size);
  return box;
}

Value TileLoops::partOfOut(OpBuilder &b, Location loc, const Loops &loops, const Box &box) const {
  SmallVector<OpFoldResult> offsets, sizes;
  for (AffineExpr result : loops.outMap.getResults()) {
    unsigned axis = cast<AffineDimExpr>(result).getPosition();
    Value from = getValueOrCreateConstantIndexOp(b, loc, box.offsets[axis]);
    if (loops.box) // `out` begins where its box does.
      from =
          b.createOrFold<arith::SubIOp>(loc, from, getValueOrCreateConstantIndexOp(b, loc, loops.box->offsets[axis]));
    offsets.push_back(getAsOpFoldResult(from));
    sizes.push_back(box.sizes[axis]);
  }
  return offsets.empty() ? loops.out
                         : viewOf(b, loc, loops.out, offsets, sizes, SmallVector<bool>(sizes.size(), false));
}

void TileLoops::emit(OpBuilder &b, Location loc, const Loops &loops) {
  bool haveOneLoop;
  LoopPart within = shortSources(loops.sources, haveOneLoop);
  if (within.within.empty())
    return emitPart(b, loc, loops, within);
  Box box = wholeBox(b, loops);
  if (!haveOneLoop)
    return emitElements(b, loc, loops, box);
  auto value = [&](OpFoldResult v) { return getValueOrCreateConstantIndexOp(b, loc, v); };
  Value begin = value(box.offsets[within.axis]), count = value(box.sizes[within.axis]);
  Value end = b.createOrFold<arith::AddIOp>(loc, begin, count), first = within.within[0].length;
  for (const ShortTile &tile : ArrayRef(within.within).drop_front())
    first = b.createOrFold<arith::MinSIOp>(loc, first, tile.length);
  if (loops.box) { // Else the loop is as long as the tile, and no tile is longer than that.
    first = b.createOrFold<arith::MinSIOp>(loc, first, end);
    first = b.createOrFold<arith::MaxSIOp>(loc, first, begin);
  }
  Box there = box, rest = box;
  there.sizes[within.axis] = getAsOpFoldResult(b.createOrFold<arith::SubIOp>(loc, first, begin));
  rest.offsets[within.axis] = first;
  rest.sizes[within.axis] = getAsOpFoldResult(b.createOrFold<arith::SubIOp>(loc, end, first));
  Loops inner = loops;
  inner.out = partOfOut(b, loc, loops, there);
  inner.box = &there;
  emitPart(b, loc, inner, within);
  Value isLess = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, first, end);
  auto guard = scf::IfOp::create(b, loc, isLess, /*withElseRegion=*/false);
  OpBuilder then = guard.getThenBodyBuilder();
  emitBeyond(then, loc, loops, rest, within);
  if (isMemoryEffectFree(guard)) // It would only keep the ops on both sides from being fused.
    guard.erase();
}

void TileLoops::emitBeyond(OpBuilder &b, Location loc, const Loops &loops, const Box &box, const LoopPart &part) {
  if (part.within.size() > 1)
    return emitElements(b, loc, loops, box);
  LoopPart beyond{part.axis, {}, part.within[0]};
  bool isKept = loops.outMap.isFunctionOfDim(part.axis);
  Loops inner = loops;
  inner.box = &box;
  inner.out = partOfOut(b, loc, loops, box);
  Value value;
  if (loops.sources.size() == 1)
    value = valueBeyond(b, loc, loops.sources[0].first, loops.sources[0].second, beyond);
  if (value && !loops.kind) {
    Type type = cast<MemRefType>(inner.out.getType()).getElementType();
    linalg::FillOp::create(b, loc, toMemory(b, loc, value, type), inner.out);
    return;
  }
  if (value && !isKept) {
    Value times = getValueOrCreateConstantIndexOp(b, loc, box.sizes[part.axis]);
    if (combineTimes(b, loc, inner, value, times))
      return;
  }
  // A linalg op finds the sizes of its loops in operands. What is a number beyond is none.
  llvm::SmallBitVector covered(loops.iterators.size());
  for (unsigned axis = 0; axis < covered.size(); ++axis)
    covered[axis] = loops.outMap.isFunctionOfDim(axis);
  for (auto &[tile, axes] : loops.sources)
    forEachStored(tile, axes, [&](Value source, const Axes &at) {
      if (!isShortAlong(source, at, beyond))
        for (int axis : at)
          if (axis != kOnly)
            covered.set(axis);
    });
  covered.all() ? emitPart(b, loc, inner, beyond) : emitElements(b, loc, loops, box);
}

bool TileLoops::combineTimes(OpBuilder &b, Location loc, const Loops &loops, Value value, Value times) {
  using Kind = vector::CombiningKind;
  if (loops.kind == Kind::ADD) {
    if (matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero()))
      return true;
    if (isa<FloatType>(value.getType())) {
      Value number = arith::IndexCastOp::create(b, loc, b.getI64Type(), times);
      value = arith::MulFOp::create(b, loc, value, arith::SIToFPOp::create(b, loc, value.getType(), number));
    } else if (value.getType().isIndex()) {
      value = arith::MulIOp::create(b, loc, value, times);
    } else {
      value = arith::MulIOp::create(b, loc, value, arith::IndexCastOp::create(b, loc, value.getType(), times));
    }
  } else if (loops.kind == Kind::MUL || loops.kind == Kind::XOR) {
    return false;
  }
  int rank = cast<MemRefType>(loops.out.getType()).getRank();
  SmallVector<AffineMap> maps{b.getMultiDimIdentityMap(rank)};
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  linalg::GenericOp::create(
      b, loc, ValueRange(), loops.out, maps, iterators, [&](OpBuilder &body, Location, ValueRange arguments) {
        Value old = fromMemory(body, loc, arguments[0], loops.element);
        linalg::YieldOp::create(body, loc,
                                toMemory(body, loc, loops.combine(body, value, old), arguments[0].getType()));
      });
  return true;
}

void TileLoops::emitElements(OpBuilder &b, Location loc, const Loops &loops, const Box &box) {
  SmallVector<Value> lower, upper, steps(box.sizes.size(), arith::ConstantIndexOp::create(b, loc, 1));
  for (auto [offset, size] : llvm::zip(box.offsets, box.sizes)) {
    lower.push_back(getValueOrCreateConstantIndexOp(b, loc, offset));
    upper.push_back(b.createOrFold<arith::AddIOp>(loc, lower.back(), getValueOrCreateConstantIndexOp(b, loc, size)));
  }
  bool readsOld = loops.kind || loops.sources.size() > 1;
  scf::buildLoopNest(b, loc, lower, upper, steps, [&](OpBuilder &body, Location, ValueRange indices) {
    SmallVector<Value> elements, place;
    for (AffineExpr result : loops.outMap.getResults()) {
      unsigned axis = cast<AffineDimExpr>(result).getPosition();
      Value index = indices[axis];
      if (loops.box)
        index = body.createOrFold<arith::SubIOp>(loc, index,
                                                 getValueOrCreateConstantIndexOp(body, loc, loops.box->offsets[axis]));
      place.push_back(index);
    }
    Value old;
    if (readsOld)
      old = fromMemory(body, loc, memref::LoadOp::create(body, loc, loops.out, place), loops.element);
    for (auto &[tile, axes] : loops.sources)
      elements.push_back(elementAt(body, loc, tile, axes, indices));
    storeElement(body, loc, loops.combine(body, elements, old), loops.out, place);
  });
}
} // namespace lispier::tiles
