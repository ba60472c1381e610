//===- TileMask.cpp - the positions that a tile of attention sees ---------===//
#include "MaskRange.h"
#include "TileEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace lispier::tensors {
/// An op whose region is evaluated for one tile.
struct TileEmitter::TileSite : MaskSite {
  TileSite(TileEmitter &emitter, Region region) : MaskSite(region.op), emitter(emitter), region(std::move(region)) {}

  unsigned loopCount() const override { return region.axes.size(); }
  std::optional<unsigned> loopOf(unsigned iterator) const override { return region.loops.ofIterator[iterator]; }
  Value indexAt(unsigned loop, bool isLast) const override {
    const TileAxis &axis = region.axes[loop];
    Value at = axis.start ? axis.start : emitter.index(0);
    return axis.size != kPoint && isLast
               ? emitter.b.createOrFold<arith::AddIOp>(emitter.loc, at, emitter.index(axis.size - 1))
               : at;
  }
  Value number(Value value) override {
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument && argument.getOwner() == op.getBlock() &&
        !emitter.properLoops(region, region.loops.operands[op.getMatchingOpOperand(argument)->getOperandNumber()])
             .none())
      return {};
    std::optional<Piece> piece = emitter.element(region, value);
    return piece ? piece->value : Value();
  }
  std::optional<Origin> originOf(Value value) override;

  TileEmitter &emitter;
  Region region;
};

std::optional<MaskSite::Origin> TileEmitter::TileSite::originOf(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != op.getBlock())
    return std::nullopt;
  OpOperand *operand = op.getMatchingOpOperand(argument);
  Value tensor = operand->get();
  while (isa_and_nonnull<tensor::CastOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp>(tensor.getDefiningOp()))
    tensor = tensor.getDefiningOp()->getOperand(0); // In the group's dimensions they are the same.
  auto producer = tensor.getDefiningOp<linalg::LinalgOp>();
  if (!producer || producer.getNumParallelLoops() != producer.getNumLoops())
    return std::nullopt;
  unsigned result = cast<OpResult>(tensor).getResultNumber();
  const GroupDimensions::Loops &loops = emitter.dimensions.loops(producer);
  ArrayRef<unsigned> written = loops.operands[producer.getDpsInitOperand(result)->getOperandNumber()];
  ArrayRef<unsigned> read = region.loops.operands[operand->getOperandNumber()];
  if (written.size() != read.size() || written.size() != loops.dimensions.size())
    return std::nullopt;
  Region own{producer, loops, TileAxes(loops.dimensions.size()), llvm::DenseMap<Value, Piece>()};
  Origin origin{nullptr, producer.getBlock()->getTerminator()->getOperand(result), {}};
  for (auto [to, from] : llvm::zip(written, read)) {
    own.axes[to] = region.axes[from];
    origin.loops.push_back({from, to});
  }
  origin.site = std::make_unique<TileSite>(emitter, std::move(own));
  return origin;
}

/// Tiles of the loop begin at multiples of `step`, and end where it does.
LoopRange TileEmitter::inSteps(const Region &region, LoopRange range, unsigned loop, int64_t step) {
  if (range.begin) {
    Value first = b.createOrFold<arith::MaxSIOp>(loc, range.begin, index(0));
    range.begin =
        b.createOrFold<arith::MulIOp>(loc, b.createOrFold<arith::DivUIOp>(loc, first, index(step)), index(step));
  }
  if (range.end)
    range.end = b.createOrFold<arith::MinSIOp>(loc, range.end, size(region.loops.dimensions[loop]));
  return range;
}

SeenRange TileEmitter::countedRange(Region &region, Value value, unsigned loop, int64_t step) {
  TileSite site(*this, region);
  SeenRange range = seenRange(b, loc, site, value, loop);
  static_cast<LoopRange &>(range) = inSteps(region, range, loop, step);
  return range;
}

SeenRange TileEmitter::nonzeroRange(Region &region, unsigned loop, int64_t step) {
  TileSite site(*this, region);
  SeenRange range;
  for (OpOperand *factor : region.op.getDpsInputOperands()) {
    SeenRange own = seenRange(b, loc, site, region.op.getMatchingBlockArgument(factor), loop, Masked::Zero);
    range.begin = range.begin ? range.begin : own.begin;
    range.end = range.end ? range.end : own.end;
    if (own.conditions.empty())
      continue;
    range.partial = range.conditions.empty() ? own.partial : SeenRange::Partial::All;
    range.bound = own.bound;
    range.conditions.append(own.conditions);
  }
  static_cast<LoopRange &>(range) = inSteps(region, range, loop, step);
  return range;
}

/// The range in one loop, or in two: that in whose tiles of `step` masks leave out nothing, and the rest.
SmallVector<std::pair<LoopRange, bool>, 2> TileEmitter::partsOf(const SeenRange &range, unsigned dimension,
                                                                int64_t step) {
  if (range.partial != SeenRange::Partial::From && range.partial != SeenRange::Partial::Before)
    return {{range, range.partial == SeenRange::Partial::None}};
  Value bound = wholeBound(range, dimension, step);
  bool isFirst = range.partial == SeenRange::Partial::From;
  return {{{range.begin, bound}, isFirst}, {{bound, range.end}, !isFirst}};
}

/// Where, within the range, the tiles begin or end of which masks leave out nothing: a multiple of `step`.
Value TileEmitter::wholeBound(const SeenRange &range, unsigned dimension, int64_t step) {
  Value bound = b.createOrFold<arith::MaxSIOp>(loc, range.bound, index(0)), width = index(step);
  if (range.partial == SeenRange::Partial::Before)
    bound = b.createOrFold<arith::AddIOp>(loc, bound, index(step - 1));
  bound = b.createOrFold<arith::MulIOp>(loc, b.createOrFold<arith::DivUIOp>(loc, bound, width), width);
  if (range.begin)
    bound = b.createOrFold<arith::MaxSIOp>(loc, bound, range.begin);
  return b.createOrFold<arith::MinSIOp>(loc, bound, range.end ? range.end : size(dimension));
}
} // namespace lispier::tensors
