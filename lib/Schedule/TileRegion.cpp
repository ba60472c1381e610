//===- TileRegion.cpp - the regions of linalg ops on tiles ----------------===//
//
// A region's value is computed for only those loops that it depends on, and repeated
// along the others when an op needs it there: what belongs to a row is computed once for
// the row.
//
//===----------------------------------------------------------------------===//
#include "GatheredReads.h"
#include "TileEmitter.h"
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Device/FailingLanes.h"
#include "lispier/Tile/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Matchers.h"
#include <numbers>

using namespace mlir;

namespace lispier::tensors {
//===----------------------------------------------------------------------===//
// Loops and the dimensions of tiles
//===----------------------------------------------------------------------===//

/// Those of `loops` that are no points.
TileEmitter::LoopSet TileEmitter::properLoops(const Region &region, ArrayRef<unsigned> loops) const {
  LoopSet set(region.axes.size());
  for (unsigned loop : loops)
    if (region.axes[loop].size != kPoint)
      set.set(loop);
  return set;
}

TileEmitter::LoopSet TileEmitter::allLoops(const Region &region) const {
  return properLoops(region, llvm::to_vector(llvm::seq<unsigned>(0, region.axes.size())));
}

SmallVector<int64_t> TileEmitter::shapeOf(const Region &region, const LoopSet &loops) const {
  return llvm::map_to_vector(loops.set_bits(), [&](unsigned loop) { return region.axes[loop].size; });
}

/// The places, in the order of loops, of a tensor's dimensions that are no points.
static SmallVector<int64_t> places(ArrayRef<unsigned> loops, const llvm::SmallBitVector &proper) {
  SmallVector<int64_t> order;
  for (unsigned loop : loops)
    if (proper.test(loop))
      order.push_back(llvm::count_if(proper.set_bits(), [&](unsigned each) { return each < loop; }));
  return order;
}

static Value transposed(OpBuilder &b, Location loc, Value tile, ArrayRef<int64_t> order) {
  bool isIdentity = llvm::equal(order, llvm::seq<int64_t>(0, order.size()));
  return isIdentity ? tile : vector::TransposeOp::create(b, loc, tile, order).getResult();
}

Value TileEmitter::inOrder(const Region &region, Value tile, ArrayRef<unsigned> loops) {
  return transposed(b, loc, tile, places(loops, properLoops(region, loops)));
}

Value TileEmitter::inLoops(const Region &region, Value tile, ArrayRef<unsigned> loops) {
  return transposed(b, loc, tile, invertPermutationVector(places(loops, properLoops(region, loops))));
}

Value TileEmitter::widen(const Region &region, const Piece &piece, const LoopSet &to) {
  if (piece.loops == to)
    return piece.value;
  SmallVector<int64_t> shape = shapeOf(region, to);
  Type element = getElementTypeOrSelf(piece.value.getType());
  auto type = VectorType::get(shape, element);
  if (piece.loops.none())
    return vector::BroadcastOp::create(b, loc, type, piece.value);
  SmallVector<int64_t> spread;
  bool started = false;
  for (unsigned loop : to.set_bits()) {
    started |= piece.loops.test(loop);
    if (started)
      spread.push_back(piece.loops.test(loop) ? region.axes[loop].size : 1);
  }
  Value source = piece.value;
  if (ArrayRef(spread) != cast<VectorType>(source.getType()).getShape())
    source = vector::ShapeCastOp::create(b, loc, VectorType::get(spread, element), source);
  return vector::BroadcastOp::create(b, loc, type, source);
}

/// Whether a tile over these loops may go beyond the end of one.
bool TileEmitter::mayEnd(const Region &region, const LoopSet &loops) const {
  return llvm::any_of(loops.set_bits(),
                      [&](unsigned loop) { return !isWhole(region.loops.dimensions[loop], region.axes[loop]); });
}

/// Which elements of a tile over `all` are before the ends of these loops. Null if all are, or if an end is
/// no number that each block can compute.
Value TileEmitter::inside(const Region &region, const LoopSet &loops, const LoopSet &all) {
  Value mask;
  for (unsigned loop : loops.set_bits()) {
    const TileAxis &axis = region.axes[loop];
    unsigned dimension = region.loops.dimensions[loop];
    if (isWhole(dimension, axis))
      continue;
    Value end = size(dimension);
    if (!end)
      return {};
    if (axis.start)
      end = arith::SubIOp::create(b, loc, end, axis.start);
    Piece before{vector::CreateMaskOp::create(b, loc, VectorType::get({axis.size}, b.getI1Type()), end),
                 LoopSet(region.axes.size())};
    before.loops.set(loop);
    Value wide = widen(region, before, all);
    mask = mask ? arith::AndIOp::create(b, loc, mask, wide).getResult() : wide;
  }
  return mask;
}

//===----------------------------------------------------------------------===//
// Values of a region
//===----------------------------------------------------------------------===//

Value TileEmitter::compute(linalg::LinalgOp op, unsigned result, Axes axes) {
  const GroupDimensions::Loops &loops = dimensions.loops(op);
  Region region{op, loops, TileAxes(loops.dimensions.size()), llvm::DenseMap<Value, Piece>()};
  unsigned init = op.getDpsInitOperand(result)->getOperandNumber();
  LoopSet given(region.axes.size());
  for (auto [loop, axis] : llvm::zip_equal(loops.operands[init], axes)) {
    region.axes[loop] = axis;
    given.set(loop);
  }
  for (auto [loop, reduced] : llvm::enumerate(loops.reduced))
    if (reduced)
      return reduce(region, result);
    else if (!given.test(loop))
      return fail(op, "has a loop that its result does not have");
  std::optional<Piece> value = element(region, op.getBlock()->getTerminator()->getOperand(result));
  return value ? inOrder(region, widen(region, *value, allLoops(region)), loops.operands[init]) : Value();
}

std::optional<TileEmitter::Piece> TileEmitter::element(Region &region, Value value) {
  if (auto known = region.known.find(value); known != region.known.end())
    return known->second;
  auto made = [&]() -> std::optional<Piece> {
    if (auto argument = dyn_cast<BlockArgument>(value); argument && argument.getOwner() == region.op.getBlock())
      return operandElement(region, *region.op.getMatchingOpOperand(argument));
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != region.op.getBlock()) {
      Value number = scalar(value);
      return number ? std::optional(Piece{number, LoopSet(region.axes.size())}) : std::nullopt;
    }
    if (auto index = dyn_cast<linalg::IndexOp>(op))
      return indexOf(region, index.getDim());
    if (auto extract = dyn_cast<tensor::ExtractOp>(op))
      return gather(region, extract);
    return cloneOnTiles(region, op);
  }();
  if (made)
    region.known[value] = *made;
  return made;
}

std::optional<TileEmitter::Piece> TileEmitter::operandElement(Region &region, OpOperand &operand) {
  if (!isa<RankedTensorType>(operand.get().getType())) {
    Value number = scalar(operand.get());
    return number ? std::optional(Piece{number, LoopSet(region.axes.size())}) : std::nullopt;
  }
  ArrayRef<unsigned> loops = region.loops.operands[operand.getOperandNumber()];
  Value made = tile(operand.get(), llvm::map_to_vector(loops, [&](unsigned loop) { return region.axes[loop]; }));
  if (!made)
    return std::nullopt;
  return Piece{inLoops(region, made, loops), properLoops(region, loops)};
}

/// The index of each element along one of the op's loops.
TileEmitter::Piece TileEmitter::indexOf(Region &region, unsigned iterator) {
  std::optional<unsigned> loop = region.loops.ofIterator[iterator];
  LoopSet own(region.axes.size());
  if (!loop)
    return {index(0), own};
  const TileAxis &axis = region.axes[*loop];
  if (axis.size == kPoint)
    return {axis.start ? axis.start : index(0), own};
  own.set(*loop);
  auto type = VectorType::get({axis.size}, b.getIndexType());
  Value places = vector::StepOp::create(b, loc, type);
  if (axis.start)
    places = arith::AddIOp::create(b, loc, places, vector::BroadcastOp::create(b, loc, type, axis.start));
  return {places, own};
}

/// The loop along which an element is read at the place of the op's own element in the last dimension, if there is one.
static std::optional<unsigned> innerLoopOf(tensor::ExtractOp op, const GroupDimensions::Loops &loops) {
  auto column = op.getIndices().empty() ? linalg::IndexOp() : op.getIndices().back().getDefiningOp<linalg::IndexOp>();
  return column ? loops.ofIterator[column.getDim()] : std::nullopt;
}

/// Neighbours in a row of a table, read together; outside of the table they are `zero`. The tile has all dimensions of
/// the table until it is read, so that the row's number is compared with the table's size.
static Value readRow(OpBuilder &b, Location loc, Value table, ArrayRef<Value> first, int64_t size, Value zero) {
  SmallVector<int64_t> shape(first.size(), 1);
  shape.back() = size;
  Value row =
      vector::TransferReadOp::create(b, loc, VectorType::get(shape, zero.getType()), table, first, zero,
                                     b.getMultiDimIdentityMap(shape.size()), SmallVector<bool>(shape.size(), false));
  return b.createOrFold<vector::ShapeCastOp>(loc, VectorType::get({size}, zero.getType()), row);
}

/// One element that all elements of a tile share; 0 if there is none.
Value TileEmitter::readElement(tensor::ExtractOp op, Value table, ValueRange indices) {
  Location loc = op.getLoc();
  Value exists;
  for (auto [dimension, index] : llvm::enumerate(indices)) {
    Value size = b.createOrFold<memref::DimOp>(loc, table, int64_t(dimension));
    Value isInside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, index, size);
    exists = exists ? arith::AndIOp::create(b, loc, exists, isInside).getResult() : isInside;
  }
  Value zero = number(b.getZeroAttr(op.getType()));
  auto choice = scf::IfOp::create(
      b, loc, exists,
      [&](OpBuilder &then, Location) {
        scf::YieldOp::create(then, loc, memref::LoadOp::create(then, loc, table, indices).getResult());
      },
      [&](OpBuilder &otherwise, Location) { scf::YieldOp::create(otherwise, loc, zero); });
  return choice.getResult(0);
}

/// Ends the program unless those of the indices that are numbers are inside. Of a place of the op's own that is the
/// last.
void TileEmitter::requireNumbers(const Region &region, tensor::ExtractOp op, Value table, ValueRange indices) {
  if (!reportsErrors)
    return;
  Location loc = op.getLoc();
  for (unsigned dimension : uncheckedDimensions(op, region.op)) {
    Value bound = memref::DimOp::create(b, loc, table, int64_t(dimension)), at = indices[dimension];
    if (auto place = op.getIndices()[dimension].getDefiningOp<linalg::IndexOp>()) {
      std::optional<unsigned> loop = region.loops.ofIterator[place.getDim()];
      Value range = loop ? size(region.loops.dimensions[*loop]) : index(1);
      if (!range)
        continue;
      at = arith::MinSIOp::create(b, loc, arith::SubIOp::create(b, loc, range, index(1)), bound);
    }
    if (at.getType().isIndex())
      device::RequireIndexOp::create(b, loc, at, bound, dimension);
  }
}

std::optional<TileEmitter::Piece> TileEmitter::gather(Region &region, tensor::ExtractOp op) {
  auto table = dyn_cast<BlockArgument>(op.getTensor());
  if (!table) {
    fail(op, "reads a tensor that the group computes");
    return std::nullopt;
  }
  LoopSet loops(region.axes.size());
  SmallVector<Piece> pieces;
  for (Value each : op.getIndices()) {
    std::optional<Piece> piece = element(region, each);
    if (!piece)
      return std::nullopt;
    loops |= piece->loops;
    pieces.push_back(*piece);
  }
  Value memory = program.wholeMemref(table);
  auto isShared = [](const Piece &piece) { return piece.loops.none(); };
  if (std::optional<unsigned> loop = innerLoopOf(op, region.loops);
      loop && region.axes[*loop].size != kPoint && llvm::all_of(ArrayRef(pieces).drop_back(), isShared)) {
    SmallVector<Value> first =
        llvm::map_to_vector(ArrayRef(pieces).drop_back(), [](auto &piece) { return piece.value; });
    first.push_back(region.axes[*loop].start ? region.axes[*loop].start : index(0));
    Value zero = number(b.getZeroAttr(op.getType()));
    requireNumbers(region, op, memory, first);
    return Piece{readRow(b, op.getLoc(), memory, first, region.axes[*loop].size, zero), pieces.back().loops};
  }
  SmallVector<Value> indices;
  for (const Piece &piece : pieces)
    indices.push_back(widen(region, piece, loops));
  if (loops.none()) {
    requireNumbers(region, op, memory, indices);
    return Piece{readElement(op, memory, indices), loops};
  }
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(op.getType()));
  auto type = VectorType::get(shapeOf(region, loops), op.getType());
  Value mask = reportsErrors ? inside(region, loops, loops) : Value();
  return Piece{tile::GatherOp::create(b, op.getLoc(), type, memory, indices, zero, mask, /*required=*/reportsErrors),
               loops};
}

/// Whether the number is that of a logistic function, 1 + e^x, whose error is greater than that of a quick division.
static bool isSumOfExponential(Value divisor) {
  auto sum = divisor.getDefiningOp<arith::AddFOp>();
  auto isOne = [](Value value) { return matchPattern(value, m_OneFloat()); };
  return sum && sum.getType().isF32() &&
         ((isOne(sum.getLhs()) && sum.getRhs().getDefiningOp<math::ExpOp>()) ||
          (isOne(sum.getRhs()) && sum.getLhs().getDefiningOp<math::ExpOp>()));
}

/// Whether a comparison of a part's number holds, as far as that is known.
std::optional<bool> TileEmitter::isPart(Region &region, Value condition) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  auto at = compare ? compare.getLhs().getDefiningOp<linalg::IndexOp>() : linalg::IndexOp();
  bool isOwn = at && at->getParentOp() == region.op.getOperation();
  std::optional<unsigned> loop = isOwn ? region.loops.ofIterator[at.getDim()] : std::nullopt;
  APInt part, number;
  if (!loop || region.axes[*loop].size != kPoint || compare.getPredicate() != arith::CmpIPredicate::eq ||
      !matchPattern(region.axes[*loop].start, m_ConstantInt(&part)) ||
      !matchPattern(compare.getRhs(), m_ConstantInt(&number)))
    return std::nullopt;
  return part == number;
}

/// An op of the region on vectors over all loops that an operand depends on.
std::optional<TileEmitter::Piece> TileEmitter::cloneOnTiles(Region &region, Operation *op) {
  bool isConstant = op->hasTrait<OpTrait::ConstantLike>();
  if (op->getNumResults() != 1 || op->getNumRegions() || (!isConstant && !OpTrait::hasElementwiseMappableTraits(op))) {
    fail(op, "has no rule that computes it on tiles");
    return std::nullopt;
  }
  if (auto select = dyn_cast<arith::SelectOp>(op);
      select && holding.contains(select.getCondition().getAsOpaquePointer()))
    return element(region, select.getTrueValue());
  if (auto power = dyn_cast<math::ExpOp>(op); power && power.getType().isF32() && hasRoundedScores())
    return approximateExponential(region, power);
  if (auto power = dyn_cast<math::ExpOp>(op); power && power.getType().isF32() && isOfRounded(power.getOperand())) {
    std::optional<Piece> exponent = element(region, power.getOperand());
    return exponent ? std::optional(Piece{exponential(exponent->value, /*isRounded=*/true), exponent->loops})
                    : std::nullopt;
  }
  if (auto select = dyn_cast<arith::SelectOp>(op)) // Of the parts that a program has, only the chosen one is computed.
    if (std::optional<bool> isTrue = isPart(region, select.getCondition()))
      return element(region, *isTrue ? select.getTrueValue() : select.getFalseValue());
  LoopSet loops(region.axes.size());
  SmallVector<Piece> pieces;
  for (Value operand : op->getOperands()) {
    std::optional<Piece> piece = element(region, operand);
    if (!piece)
      return std::nullopt;
    loops |= piece->loops;
    pieces.push_back(*piece);
  }
  if (isa<arith::DivFOp>(op) && pieces[0].loops == loops && pieces[1].loops != loops &&
      op->getResult(0).getType().getIntOrFloatBitWidth() >= 32)
    return divideByShared(region, pieces[0], pieces[1]);
  if (isa<arith::SelectOp>(op))
    if (std::optional<Piece> read = readWhere(region, pieces[0], pieces[1], pieces[2]))
      return read;
  OperationState state(op->getLoc(), op->getName(), {}, op->getResultTypes(), op->getAttrs());
  state.propertiesAttr = op->getPropertiesAsAttribute();
  for (const Piece &piece : pieces)
    state.operands.push_back(widen(region, piece, loops));
  if (loops.any())
    state.types.front() = VectorType::get(shapeOf(region, loops), state.types.front());
  Value mask = device::mayFail(op) ? inside(region, loops, loops) : Value();
  Operation *made = b.create(state);
  if (auto quotient = dyn_cast<arith::DivFOp>(made); quotient && isSumOfExponential(cast<arith::DivFOp>(op).getRhs()))
    quotient.setFastmath(quotient.getFastmath() | arith::FastMathFlags::afn);
  if (mask)
    device::failOnlyWhere(b, made, mask);
  return Piece{made->getResult(0), loops};
}

/// a / d where many elements have the same d, whose reciprocal is computed once. The product with it is corrected by
/// the remainder, which gives the rounded quotient (Markstein, "Computation of elementary functions on the IBM RISC
/// System/6000 processor", 1990), except of an exponential, or of scores by a number, which have a greater error
/// themselves. Where the corrected one is NaN, the product is right: zeros, infinities and NaN. A divisor whose
/// reciprocal overflows, below 2^-128 for F32, counts as 0.
TileEmitter::Piece TileEmitter::divideByShared(Region &region, const Piece &a, const Piece &d) {
  Type type = d.value.getType();
  APFloat divisor(0.0), inverse(0.0);
  if (matchPattern(d.value, m_ConstantFloat(&divisor)) && divisor.getExactInverse(&inverse))
    return {arith::MulFOp::create(b, loc, a.value,
                                  widen(region, {number(b.getFloatAttr(type, inverse)), d.loops}, a.loops)),
            a.loops};
  TypedAttr one = b.getFloatAttr(getElementTypeOrSelf(type), 1.0);
  auto wide = [&](Value value) { return widen(region, {value, d.loops}, a.loops); };
  Value reciprocal = wide(arith::DivFOp::create(b, loc, splat(one, shapeOf(region, d.loops)), d.value));
  Value product = arith::MulFOp::create(b, loc, a.value, reciprocal);
  if (isa_and_nonnull<math::ExpOp, math::Exp2Op>(a.value.getDefiningOp()) ||
      (hasRoundedScores() && isa<FloatType>(d.value.getType())))
    return {product, a.loops};
  Value negative = wide(arith::NegFOp::create(b, loc, d.value));
  Value remainder = math::FmaOp::create(b, loc, negative, product, a.value);
  Value quotient = math::FmaOp::create(b, loc, remainder, reciprocal, product);
  Value isNumber = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ORD, quotient, quotient);
  return {arith::SelectOp::create(b, loc, isNumber, quotient, product), a.loops};
}

/// Whether exponentials are of products of factors of 16 bits, whose rounding is greater than that of 2^(x log2(e)).
bool TileEmitter::hasRoundedScores() const {
  return !schedule.inner.empty() && llvm::all_of(schedule.inner, [](linalg::LinalgOp product) {
    return llvm::all_of(product.getDpsInputs(), [](Value factor) {
      return getElementTypeOrSelf(factor.getType()).getIntOrFloatBitWidth() == 16;
    });
  });
}

bool isOfRounded(Value exponent) {
  Operation *op = exponent.getDefiningOp();
  if (auto wide = dyn_cast_or_null<arith::ExtFOp>(op))
    return wide.getIn().getType().getIntOrFloatBitWidth() == 16;
  if (auto select = dyn_cast_or_null<arith::SelectOp>(op))
    return isOfRounded(select.getTrueValue()) && matchPattern(select.getFalseValue(), m_Constant());
  auto difference = dyn_cast_or_null<arith::SubFOp>(op);
  return difference && isOfRounded(difference.getLhs());
}

Value TileEmitter::exponential(Value exponent, bool isRounded) {
  if (!isRounded)
    return math::ExpOp::create(b, loc, exponent);
  auto type = dyn_cast<VectorType>(exponent.getType());
  Value factor = splat(b.getFloatAttr(getElementTypeOrSelf(exponent.getType()), std::numbers::log2e),
                       type ? type.getShape() : ArrayRef<int64_t>());
  return math::Exp2Op::create(b, loc, arith::MulFOp::create(b, loc, exponent, factor));
}

/// e^x as 2^(x log2(e)), of a difference in one instruction more: what is subtracted may be of few elements.
std::optional<TileEmitter::Piece> TileEmitter::approximateExponential(Region &region, math::ExpOp op) {
  Type type = op.getType();
  auto difference = op.getOperand().getDefiningOp<arith::SubFOp>();
  std::optional<Piece> x = element(region, difference ? difference.getLhs() : op.getOperand());
  std::optional<Piece> shift = difference && x ? element(region, difference.getRhs()) : std::nullopt;
  if (!x || (difference && !shift))
    return std::nullopt;
  LoopSet loops = x->loops;
  auto scaled = [&](const Piece &piece, double factor) -> Piece {
    Value value = splat(b.getFloatAttr(type, factor), shapeOf(region, piece.loops));
    return {arith::MulFOp::create(b, loc, piece.value, value), piece.loops};
  };
  if (!shift)
    return Piece{math::Exp2Op::create(b, loc, scaled(*x, std::numbers::log2e).value), loops};
  loops |= shift->loops;
  Value factor = splat(b.getFloatAttr(type, std::numbers::log2e), shapeOf(region, loops));
  Value power = math::FmaOp::create(b, loc, widen(region, *x, loops), factor,
                                    widen(region, scaled(*shift, -std::numbers::log2e), loops));
  return Piece{math::Exp2Op::create(b, loc, power), loops};
}
} // namespace lispier::tensors
