//===- TilePadding.cpp - tiles of windows that reach beyond a tensor ------===//
//
// A window of a tensor with a border is read where memory has it, and is the border's
// value elsewhere, so that the border is no memory. What is beside memory is neither
// read nor addressed.
//
//===----------------------------------------------------------------------===//
#include "TileEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace lispier::tensors {
/// Whether memory has the places `first`, first + stride, ... of a dimension, of as many lanes; of one for kPoint. A
/// place before the first is a large one without a sign.
Value TileEmitter::isInMemory(const PaddedDimension &dimension, Value first, int64_t lanes) {
  Type type = b.getI32Type();
  Value at = arith::IndexCastOp::create(b, loc, type, first), size = number(b.getI32IntegerAttr(dimension.size));
  if (lanes != kPoint) {
    auto vector = VectorType::get({lanes}, type);
    Value steps = vector::StepOp::create(b, loc, VectorType::get({lanes}, b.getIndexType()));
    steps = arith::IndexCastOp::create(b, loc, vector, steps);
    if (dimension.stride != 1)
      steps = arith::MulIOp::create(b, loc, steps, splat(b.getI32IntegerAttr(dimension.stride), {lanes}));
    at = arith::AddIOp::create(b, loc, steps, splat(at, {lanes}));
    size = splat(size, {lanes});
  }
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, at, size);
}

namespace {
/// A dimension of the view that a tile is read from.
struct ViewDimension {
  Value index;
  int64_t lanes, size, stride;
  bool inBounds;
};
} // namespace

/// Where a tile of a padded read is: first the dimensions of which it has one place, then its own.
struct TileEmitter::PaddedPlace {
  SmallVector<ViewDimension> points, tiles;
  SmallVector<std::pair<unsigned, Value>> conditions; ///< Which lanes of one of `tiles` memory has, if that has a test.
  Value holds;                                        ///< Whether memory has the places of `points`; null if it does.
};

/// Adds what is read at stride place + dilation window - low = stride (place + q - before) + r, where neither q nor r
/// is negative.
void TileEmitter::addWindow(PaddedPlace &place, const PaddedDimension &dimension, const TileAxis &axis, Value window,
                            bool isWhole) {
  int64_t stride = dimension.stride, before = llvm::divideCeil(dimension.low, stride);
  bool isTile = axis.size != kPoint, mayEnd = dimension.isPadded || (isTile && !isWhole);
  Value own = axis.start ? axis.start : index(0);
  Value from = arith::AddIOp::create(b, loc, arith::MulIOp::create(b, loc, window, index(dimension.dilation)),
                                     index(before * stride - dimension.low));
  Value whole = stride == 1 ? from : arith::DivUIOp::create(b, loc, from, index(stride)).getResult();
  Value first = arith::SubIOp::create(b, loc, arith::AddIOp::create(b, loc, own, whole), index(before));
  if (stride != 1)
    place.points.push_back({arith::RemUIOp::create(b, loc, from, index(stride)), kPoint, stride, dimension.step, true});
  // The view ends where memory does, for any r, if the stride divides its size.
  if (mayEnd && (!isTile || dimension.size % stride != 0)) {
    Value at = arith::AddIOp::create(b, loc, arith::MulIOp::create(b, loc, own, index(stride)), from);
    at = arith::SubIOp::create(b, loc, at, index(before * stride));
    Value isInside = isInMemory(dimension, at, axis.size);
    if (isTile) {
      place.conditions.push_back({place.tiles.size(), isInside});
    } else {
      first = arith::SelectOp::create(b, loc, isInside, first, index(0));
      place.holds = place.holds ? arith::AndIOp::create(b, loc, place.holds, isInside).getResult() : isInside;
    }
  }
  (isTile ? place.tiles : place.points)
      .push_back({first, axis.size, int64_t(llvm::divideCeil(dimension.size, stride)), stride * dimension.step,
                  !isTile || !mayEnd});
}

/// nullopt if a tile has several elements of a window.
std::optional<TileEmitter::PaddedPlace> TileEmitter::paddedPlaceOf(BlockArgument tensor, const PaddedRead &read,
                                                                   Axes axes) {
  auto type = cast<RankedTensorType>(tensor.getType());
  auto axisOf = [&](unsigned position) -> std::optional<unsigned> {
    for (auto [axis, part] : llvm::enumerate(dimensions.parts(tensor)))
      if (llvm::is_contained(part, int64_t(position)) && type.getDimSize(position) != 1)
        return axis;
    return std::nullopt;
  };
  PaddedPlace place;
  for (auto [i, dimension] : llvm::enumerate(read.dimensions)) {
    std::optional<unsigned> own = axisOf(dimension.place);
    auto isOfOwn = [&](const PaddedDimension &other) { return axisOf(other.place) == own; };
    if (!dimension.window && (!own || llvm::any_of(ArrayRef(read.dimensions).drop_front(i + 1), isOfOwn)))
      continue; // Of size 1, or one with what follows.
    TileAxis axis = own ? axes[*own] : TileAxis();
    unsigned along = own ? dimensions.of(tensor)[*own] : 0;
    bool isWhole = !own || this->isWhole(along, axis);
    if (!dimension.window) {
      (axis.size == kPoint ? place.points : place.tiles)
          .push_back({axis.start ? axis.start : index(0), axis.size, dimensions.size(along), dimension.step, isWhole});
      continue;
    }
    const TileAxis &window = axes[*axisOf(*dimension.window)];
    if (window.size != kPoint)
      return std::nullopt;
    addWindow(place, dimension, axis, window.start ? window.start : index(0), isWhole);
  }
  return place;
}

/// Which elements of the tile memory has, as far as the view's sizes do not tell; null if they do.
Value TileEmitter::maskOf(const PaddedPlace &place, ArrayRef<int64_t> shape) {
  auto ofBits = VectorType::get(shape, b.getI1Type());
  Value mask = place.holds ? vector::BroadcastOp::create(b, loc, ofBits, place.holds).getResult() : Value();
  for (auto [number, isInside] : place.conditions) {
    SmallVector<int64_t> spread(shape.begin() + number, shape.end());
    std::fill(spread.begin() + 1, spread.end(), 1);
    Value wide = isInside;
    if (spread.size() > 1)
      wide = vector::ShapeCastOp::create(b, loc, VectorType::get(spread, b.getI1Type()), wide);
    if (wide.getType() != ofBits)
      wide = vector::BroadcastOp::create(b, loc, ofBits, wide);
    mask = mask ? arith::AndIOp::create(b, loc, mask, wide).getResult() : wide;
  }
  return mask;
}

Value TileEmitter::readPadded(BlockArgument tensor, const PaddedRead &read, Axes axes) {
  std::optional<PaddedPlace> place = paddedPlaceOf(tensor, read, axes);
  if (!place) {
    reason = "a tile of its windows has several elements of each";
    return {};
  }
  SmallVector<Value> indices;
  SmallVector<int64_t> sizes, strides, shape;
  SmallVector<bool> inBounds;
  for (const ViewDimension &each : llvm::concat<ViewDimension>(place->points, place->tiles)) {
    indices.push_back(each.index);
    sizes.push_back(each.size);
    strides.push_back(each.stride);
  }
  for (const ViewDimension &each : place->tiles) {
    shape.push_back(each.lanes);
    inBounds.push_back(each.inBounds);
  }
  Type element = getElementTypeOrSelf(tensor.getType());
  auto layout = StridedLayoutAttr::get(b.getContext(), program.offsetOf(tensor), strides);
  Value memory = program.strided(tensor, MemRefType::get(sizes, element, layout)), border = number(read.value);
  if (!shape.empty())
    return vector::TransferReadOp::create(
        b, loc, VectorType::get(shape, element), memory, indices,
        AffineMapAttr::get(AffineMap::getMinorIdentityMap(indices.size(), shape.size(), b.getContext())), border,
        maskOf(*place, shape), b.getBoolArrayAttr(inBounds));
  if (!place->holds)
    return memref::LoadOp::create(b, loc, memory, indices);
  auto choice = scf::IfOp::create(
      b, loc, place->holds,
      [&](OpBuilder &then, Location) {
        scf::YieldOp::create(then, loc, memref::LoadOp::create(then, loc, memory, indices).getResult());
      },
      [&](OpBuilder &otherwise, Location) { scf::YieldOp::create(otherwise, loc, border); });
  return choice.getResult(0);
}
} // namespace lispier::tensors
