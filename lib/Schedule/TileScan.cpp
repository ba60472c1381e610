//===- TileScan.cpp - scans on tiles --------------------------------------===//
//
// Tiles of a row are scanned one after the other: what those before a tile combine to is
// carried by the loop, and combined with each element of the tile's own scan. The row is
// read once, and what makes its elements and what is made of the result is computed in
// the same step. What need not be associative goes from one element to the next, in a
// thread for each row.
//
//===----------------------------------------------------------------------===//
#include "TileEmitter.h"
#include "lispier/Group/ScanLoop.h"
#include "lispier/Tile/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace lispier::tensors {
namespace {
/// A tile without dimension `along`, repeated along it.
Value spread(OpBuilder &b, Location loc, Value tile, VectorType type, unsigned along) {
  if (auto own = dyn_cast<VectorType>(tile.getType()); own && along > 0) {
    SmallVector<int64_t> shape(type.getShape());
    shape[along] = 1;
    tile = vector::ShapeCastOp::create(b, loc, VectorType::get(shape, type.getElementType()), tile);
  }
  return vector::BroadcastOp::create(b, loc, type, tile);
}

/// The elements of a tile that begins at `start` which are before `end`, and what changes nothing elsewhere.
Value onlyBefore(OpBuilder &b, Location loc, Value tile, Value start, Value end, unsigned along, TypedAttr neutral) {
  auto type = cast<VectorType>(tile.getType());
  SmallVector<int64_t> shape(type.getShape());
  int64_t size = shape[along];
  Value left = arith::SubIOp::create(b, loc, end, start);
  Value mask = vector::CreateMaskOp::create(b, loc, VectorType::get({size}, b.getI1Type()), left);
  if (int64_t(along) + 1 < type.getRank()) {
    SmallVector<int64_t> inner(ArrayRef(shape).drop_front(along));
    std::fill(inner.begin() + 1, inner.end(), 1);
    mask = vector::ShapeCastOp::create(b, loc, VectorType::get(inner, b.getI1Type()), mask);
  }
  if (type.getRank() > 1)
    mask = vector::BroadcastOp::create(b, loc, VectorType::get(shape, b.getI1Type()), mask);
  Value none = arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, neutral));
  return arith::SelectOp::create(b, loc, mask, tile, none);
}
} // namespace

Value TileEmitter::placeOfStep(Value number, Value last) {
  if (!last)
    return number;
  Value at = arith::SubIOp::create(b, loc, last, number);
  depthOfStart[at] = depthOfStart.lookup(number);
  return at;
}

/// An element of each row in each step.
LogicalResult TileEmitter::walk(group::ScanOp op, TileAxes axes, unsigned position,
                                llvm::function_ref<bool(Value start)> store) {
  unsigned dimension = dimensions.of(op.getResult())[position];
  Value start = scalar(op.getStart()), count = size(dimension);
  if (!start || !count)
    return failure();
  Value last = op.getReverse() ? arith::SubIOp::create(b, loc, count, index(1)).getResult() : Value();
  return loop(dimension, 1, splat(start, shapeOf(axes)), [&](Value number, ValueRange carried) -> SmallVector<Value> {
    Value at = placeOfStep(number, last), before = carried.front();
    axes[position].start = at;
    Value source = tile(op.getSource(), axes);
    if (!source)
      return {};
    Value next = group::computeStep(op, b, before, source, [&](Value outer) { return scalar(outer); });
    if (!next) {
      reason = "its step needs a number that is not known in the kernel";
      return {};
    }
    std::pair key(op.getResult().getAsOpaquePointer(), std::vector<TileAxis>(axes.begin(), axes.end()));
    scopes.back().tiles[key] = op.getExclusive() ? before : next;
    return store(at) ? SmallVector<Value>{next} : SmallVector<Value>();
  });
}

LogicalResult TileEmitter::scan(group::ScanOp op, TileAxes axes, unsigned position,
                                llvm::function_ref<bool(Value start)> store) {
  if (op.hasStep())
    return walk(op, axes, position, store);
  unsigned dimension = dimensions.of(op.getResult())[position];
  int64_t step = axes[position].step();
  unsigned along = llvm::count_if(ArrayRef(axes).take_front(position), [](auto &axis) { return axis.size != kPoint; });
  auto type = VectorType::get(shapeOf(axes), getElementTypeOrSelf(op.getSource()));
  SmallVector<int64_t> kept(type.getShape());
  kept.erase(kept.begin() + along);
  auto ofRows = VectorType::get(kept, type.getElementType());
  TypedAttr neutral = tile::neutralElement(b, *op.getKind(), type.getElementType());
  Value start = scalar(op.getStart()), count = size(dimension);
  if (!start || !count)
    return failure();
  auto combine = [&](Value a, Value c) { return vector::makeArithReduction(b, loc, *op.getKind(), a, c); };
  Value last; // Where the last tile starts.
  if (op.getReverse()) {
    last = arith::SubIOp::create(b, loc, count, index(1));
    last = arith::MulIOp::create(b, loc, arith::DivUIOp::create(b, loc, last, index(step)), index(step));
  }
  auto body = [&](Value number, ValueRange carried) -> SmallVector<Value> {
    Value at = placeOfStep(number, last), before = carried.front();
    axes[position].start = at;
    Value source = tile(op.getSource(), axes);
    if (!source)
      return {};
    if (last && !isWhole(dimension, axes[position]))
      source = onlyBefore(b, loc, source, at, count, along, neutral);
    Value first = arith::ConstantOp::create(b, loc, DenseElementsAttr::get(ofRows, neutral));
    auto scanned = [&](bool isInclusive, Value initial) {
      auto made = vector::ScanOp::create(b, loc, *op.getKind(), source, initial, along, isInclusive);
      if (op.getReverse())
        made->setAttr(tile::kReverse, b.getUnitAttr());
      return made;
    };
    vector::ScanOp sums = scanned(!op.getExclusive(), first);
    Value all = sums.getAccumulatedValue();
    if (op.getExclusive()) {
      SmallVector<bool> reduced(type.getRank(), false);
      reduced[along] = true;
      Value none = kept.empty() ? this->number(neutral) : first;
      all = vector::MultiDimReductionOp::create(b, loc, source, none, reduced, *op.getKind());
    } else if (kept.empty()) {
      all = vector::ExtractOp::create(b, loc, all, ArrayRef<int64_t>());
    }
    std::pair key(op.getResult().getAsOpaquePointer(), std::vector<TileAxis>(axes.begin(), axes.end()));
    scopes.back().tiles[key] = combine(spread(b, loc, before, type, along), sums.getDest());
    if (!store(at))
      return {};
    return {combine(before, all)};
  };
  return loop(dimension, step, splat(start, kept), body);
}
} // namespace lispier::tensors
