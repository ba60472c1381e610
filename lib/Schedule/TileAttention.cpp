//===- TileAttention.cpp - softmax(f(q k^T)) v in one loop ----------------===//
//
// The loop over positions carries the maximum of the scores so far, the sum of their
// exponentials and the sum of values with these as weights: both sums shrink when the
// maximum grows. What changes a score is made of tiles like any other value. Milakov and
// Gimelshein, "Online normalizer calculation for softmax", 2018; Dao et al., 2022.
//
//===----------------------------------------------------------------------===//
#include "TileEmitter.h"
#include "lispier/Tensor/Simplify/TensorRoles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <numbers>

using namespace mlir;

namespace lispier::tensors {
/// The weights of a tile of positions times their values. Weights of F32 that meet narrower values are the sum of two
/// of their type, which leaves 2^-16 of a BF16 product.
Value TileEmitter::multiplyWeights(const Region &region, const Contraction &product, Value weights, Value values,
                                   Value sums) {
  unsigned operand = schedule.online->weights;
  auto add = [&](Value tile, Value to) {
    return operand == 0 ? multiply(region, product, tile, values, to) : multiply(region, product, values, tile, to);
  };
  Type element = getElementTypeOrSelf(values), wide = getElementTypeOrSelf(weights);
  Type asked = getElementTypeOrSelf(region.op->getOperand(operand));
  if (element == wide || element.getIntOrFloatBitWidth() >= wide.getIntOrFloatBitWidth())
    return add(weights, sums);
  auto narrow = cast<VectorType>(weights.getType()).clone(element);
  Value high = arith::TruncFOp::create(b, loc, narrow, weights);
  sums = add(high, sums);
  if (asked == element) // The program rounds them.
    return sums;
  Value rest = arith::SubFOp::create(b, loc, weights, arith::ExtFOp::create(b, loc, weights.getType(), high));
  return add(arith::TruncFOp::create(b, loc, narrow, rest), sums);
}

/// Whether the products before the weights', and that of the weights, are of factors of 16 bits, whose rounding is
/// greater than that of 2^(x log2(e)).
static bool hasRoundedFactors(linalg::LinalgOp last, unsigned weights) {
  return llvm::all_of(last->getBlock()->getOps<linalg::LinalgOp>(), [&](linalg::LinalgOp op) {
    return roleOf(op) != TensorRole::Contraction || llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *factor) {
             return (op == last && factor->getOperandNumber() == weights) ||
                    getElementTypeOrSelf(factor->get()).getIntOrFloatBitWidth() == 16;
           });
  });
}

/// The product's tile; `first` is zero.
Value TileEmitter::contractOnline(Region &region, const Contraction &product, Value first) {
  const OnlineSoftmax &online = *schedule.online;
  linalg::LinalgOp maximum = online.maximum;
  const GroupDimensions::Loops &loops = dimensions.loops(maximum);
  Region source{maximum, loops, TileAxes(loops.dimensions.size()), llvm::DenseMap<Value, Piece>()};
  // The dimensions of the weights are those of the maximum, and the positions.
  ArrayRef<unsigned> own = region.loops.operands[online.weights];
  ArrayRef<unsigned> kept = loops.operands[maximum.getDpsInitOperand(0)->getOperandNumber()];
  auto *reduced = llvm::find(loops.reduced, true);
  if (kept.size() + 1 != own.size() || reduced == loops.reduced.end())
    return fail(maximum, "has other dimensions than the weights that are made of it");
  unsigned positions = reduced - loops.reduced.begin();
  SmallVector<unsigned> ofWeights;  // The loop of the maximum for each dimension of the weights.
  LoopSet rows(region.axes.size()); // Of the product, those that the weights have but the positions.
  for (unsigned loop : own) {
    if (loop == product.k) {
      ofWeights.push_back(positions);
      continue;
    }
    ofWeights.push_back(kept[ofWeights.size() - llvm::is_contained(ofWeights, positions)]);
    source.axes[ofWeights.back()] = region.axes[loop];
    if (region.axes[loop].size != kPoint)
      rows.set(loop);
  }
  source.axes[positions] = {Value(), online.step};
  LoopSet all = allLoops(source), ofRows = all;
  ofRows.reset(positions);
  SmallVector<bool> alongPositions =
      llvm::map_to_vector(all.set_bits(), [&](unsigned loop) { return loop == positions; });

  auto type = cast<FloatType>(online.score.getType());
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  // What is below all finite numbers would make -inf - -inf of a position that is not seen.
  TypedAttr lowest = b.getFloatAttr(type, APFloat::getLargest(semantics, /*Negative=*/true));
  TypedAttr least = b.getFloatAttr(type, APFloat::getInf(semantics, /*Negative=*/true));
  SmallVector<int64_t> shape = shapeOf(source, ofRows);
  Value initial[] = {splat(lowest, shape), splat(b.getZeroAttr(type), shape), first};
  ArrayRef<unsigned> made = region.loops.operands[region.op.getDpsInitOperand(0)->getOperandNumber()];
  auto scaled = [&](Value sums, Value factor, bool divides) -> Value { // By a number for each row.
    Value wide = inOrder(region, widen(region, {factor, rows}, properLoops(region, made)), made);
    return divides ? arith::DivFOp::create(b, loc, sums, wide).getResult()
                   : arith::MulFOp::create(b, loc, sums, wide).getResult();
  };
  // The difference first: scores may be the least number there is, which log2(e) would make infinite.
  bool isRounded = type.isF32() && hasRoundedFactors(region.op, online.weights);
  auto power = [&](Value x) -> Value {
    if (!isRounded)
      return math::ExpOp::create(b, loc, x);
    Value factor = arith::ConstantOp::create(b, loc, b.getFloatAttr(type, std::numbers::log2e));
    if (auto tile = dyn_cast<VectorType>(x.getType()))
      factor = vector::BroadcastOp::create(b, loc, tile, factor);
    return math::Exp2Op::create(b, loc, arith::MulFOp::create(b, loc, x, factor));
  };
  unsigned dimension = region.loops.dimensions[product.k];
  auto step = [&](Value start, ValueRange carried) -> SmallVector<Value> {
    source.axes[positions] = {start, online.step};
    source.known.clear();
    region.axes[product.k] = source.axes[positions];
    std::optional<Piece> piece = element(source, online.score);
    Value values = piece ? factor(region, 1 - online.weights, product.k) : Value();
    if (!values)
      return {};
    Value scores = neutralOutside(source, widen(source, *piece, all), least, all);
    Value most = vector::MultiDimReductionOp::create(b, loc, scores, carried[0], alongPositions,
                                                     vector::CombiningKind::MAXIMUMF);
    Value shrink = power(arith::SubFOp::create(b, loc, carried[0], most));
    Value weights = power(arith::SubFOp::create(b, loc, scores, widen(source, {most, ofRows}, all)));
    Value total = vector::MultiDimReductionOp::create(
        b, loc, weights, arith::MulFOp::create(b, loc, carried[1], shrink), alongPositions, vector::CombiningKind::ADD);
    Value sums = multiplyWeights(region, product, inOrder(source, weights, ofWeights), values,
                                 scaled(carried[2], shrink, /*divides=*/false));
    return {most, total, sums};
  };
  LoopRange seen = countedRange(source, online.score, positions, online.step);
  FailureOr<scf::ForOp> walked = loop(dimension, online.step, initial, step, seen);
  if (failed(walked))
    return {};
  // Of which the log-sum-exp is made.
  TileAxes axes = llvm::map_to_vector<4>(kept, [&](unsigned loop) { return source.axes[loop]; });
  for (auto [op, result] : {std::pair(online.maximum, walked->getResult(0)), {online.sum, walked->getResult(1)}}) {
    Value tensor = linalg::LinalgOp(op)->getResult(0);
    scopes[depthOf(axes)].tiles[{tensor.getAsOpaquePointer(), std::vector<TileAxis>(axes.begin(), axes.end())}] =
        result;
  }
  return scaled(walked->getResult(2), walked->getResult(1), /*divides=*/true);
}
} // namespace lispier::tensors
