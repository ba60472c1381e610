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
#include "mlir/IR/Matchers.h"
#include <limits>
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

namespace {
/// Scores that are `factor` times others, up to a mask.
struct ScaledScores {
  Value scores;
  double factor;
};

ArrayRef<int64_t> shapeOfVector(Value tile) {
  auto type = dyn_cast<VectorType>(tile.getType());
  return type ? type.getShape() : ArrayRef<int64_t>();
}

/// The number that all elements are, if it is known.
std::optional<double> numberOf(Value tile) {
  if (auto broadcast = tile.getDefiningOp<vector::BroadcastOp>())
    return numberOf(broadcast.getSource());
  if (auto quotient = tile.getDefiningOp<arith::DivFOp>()) {
    std::optional<double> dividend = numberOf(quotient.getLhs()), divisor = numberOf(quotient.getRhs());
    return dividend && divisor ? std::optional(*dividend / *divisor) : std::nullopt;
  }
  Attribute value;
  if (!matchPattern(tile, m_Constant(&value)))
    return std::nullopt;
  if (auto splat = dyn_cast<SplatElementsAttr>(value))
    value = splat.getSplatValue<Attribute>();
  auto number = dyn_cast<FloatAttr>(value);
  return number ? std::optional(number.getValueAsDouble()) : std::nullopt;
}

/// A product with a reciprocal, of a quotient that corrects it (TileEmitter::divideByShared).
Value productOfQuotient(arith::SelectOp select) {
  auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
  auto corrected = select.getTrueValue().getDefiningOp<math::FmaOp>();
  bool isQuotient = compare && corrected && compare.getPredicate() == arith::CmpFPredicate::ORD &&
                    compare.getLhs() == select.getTrueValue() && compare.getRhs() == select.getTrueValue() &&
                    corrected.getC() == select.getFalseValue();
  return isQuotient ? select.getFalseValue() : Value();
}
} // namespace

/// Of scores that are multiplied by a constant, what is multiplied: a softmax does that with its exponents. Only
/// factors that make no finite number infinite, and masks of -inf, which stay -inf.
static std::optional<ScaledScores> unscaled(OpBuilder &b, Value scores) {
  Operation *op = scores.getDefiningOp();
  if (auto select = dyn_cast_or_null<arith::SelectOp>(op)) {
    if (Value product = productOfQuotient(select))
      return unscaled(b, product);
    std::optional<ScaledScores> inner = unscaled(b, select.getTrueValue());
    if (!inner || numberOf(select.getFalseValue()) != -std::numeric_limits<double>::infinity())
      return std::nullopt;
    inner->scores =
        arith::SelectOp::create(b, op->getLoc(), select.getCondition(), inner->scores, select.getFalseValue());
    return inner;
  }
  auto product = dyn_cast_or_null<arith::MulFOp>(op);
  std::optional<double> factor = product ? numberOf(product.getRhs()) : std::nullopt;
  constexpr double kMostFactor = 0.5; // Times log2(e) less than 1.
  if (!factor || !(*factor > 0.0 && *factor <= kMostFactor))
    return std::nullopt;
  return ScaledScores{product.getLhs(), *factor};
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
  SeenRange seen = countedRange(source, online.score, positions, online.step);
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
  std::optional<double> factorOfMost;
  auto addWeighted = [&](Value weights, Value values, Value sums) {
    return online.weights == 0 ? multiply(region, product, weights, values, sums)
                               : multiply(region, product, values, weights, sums);
  };
  auto valuesAt = [&](Value start) {
    region.axes[product.k] = {start, online.step};
    return factor(region, 1 - online.weights, product.k);
  };
  Type narrow = getElementTypeOrSelf(region.op->getOperand(1 - online.weights));
  // The product of the weights a step late, so that it and the next scores are multiplied while other warps compute.
  auto lateStep = [&](Value start, ValueRange carried) -> SmallVector<Value> {
    source.axes[positions] = {start, online.step};
    source.known.clear();
    std::optional<Piece> piece = element(source, online.score);
    Value before = arith::MaxSIOp::create(b, loc, arith::SubIOp::create(b, loc, start, index(online.step)), index(0));
    depthOfStart[before] = depthOfStart[start];
    Value values = piece ? valuesAt(before) : Value();
    if (!values)
      return {};
    Value scores = neutralOutside(source, widen(source, *piece, all), least, all);
    Value sums = addWeighted(carried[3], values, carried[2]);
    std::optional<ScaledScores> raw = isRounded ? unscaled(b, scores) : std::nullopt;
    auto reduced = [&](Value tile, Value with, vector::CombiningKind kind) -> Value {
      return vector::MultiDimReductionOp::create(b, loc, tile, with, alongPositions, kind);
    };
    Value most = reduced(raw ? raw->scores : scores, carried[0], vector::CombiningKind::MAXIMUMF), weights;
    Value change = arith::SubFOp::create(b, loc, carried[0], most), shrink;
    if (raw) {
      factorOfMost = raw->factor;
      double factor = raw->factor * std::numbers::log2e;
      auto times = [&](Value tile, double by) -> Value {
        return arith::MulFOp::create(b, loc, tile, splat(b.getFloatAttr(type, by), shapeOfVector(tile)));
      };
      shrink = math::Exp2Op::create(b, loc, times(change, factor));
      Value exponents =
          math::FmaOp::create(b, loc, raw->scores, splat(b.getFloatAttr(type, factor), shapeOfVector(raw->scores)),
                              widen(source, {times(most, -factor), ofRows}, all));
      weights = math::Exp2Op::create(b, loc, exponents);
    } else {
      shrink = power(change);
      weights = power(arith::SubFOp::create(b, loc, scores, widen(source, {most, ofRows}, all)));
    }
    Value total = reduced(weights, arith::MulFOp::create(b, loc, carried[1], shrink), vector::CombiningKind::ADD);
    Value rounded = arith::TruncFOp::create(b, loc, cast<VectorType>(weights.getType()).clone(narrow), weights);
    return {most, total, scaled(sums, shrink, /*divides=*/false), inOrder(source, rounded, ofWeights)};
  };
  SmallVector<Value> results{initial[0], initial[1], initial[2]};
  if (schedule.ring) {
    SmallVector<int64_t> ofTile;
    for (unsigned loop : ofWeights)
      if (source.axes[loop].size != kPoint)
        ofTile.push_back(source.axes[loop].size);
    results.push_back(splat(b.getZeroAttr(narrow), ofTile));
    for (auto [range, isWhole] : partsOf(seen, dimension, online.step)) {
      if (isWhole)
        for (Value condition : seen.conditions)
          holding.insert(condition.getAsOpaquePointer());
      FailureOr<scf::ForOp> walked = loop(dimension, online.step, results, lateStep, range);
      holding.clear();
      if (failed(walked))
        return {};
      results.assign(walked->getResults().begin(), walked->getResults().end());
    }
    Value end = seen.end ? seen.end : size(dimension), width = index(online.step);
    Value last = arith::MaxSIOp::create(b, loc, arith::SubIOp::create(b, loc, end, index(1)), index(0));
    last = arith::MulIOp::create(b, loc, arith::DivUIOp::create(b, loc, last, width), width);
    Value values = valuesAt(last);
    if (!values)
      return {};
    results[2] = addWeighted(results[3], values, results[2]);
    if (factorOfMost)
      results[0] = arith::MulFOp::create(b, loc, results[0], splat(b.getFloatAttr(type, *factorOfMost), shape));
  } else {
    FailureOr<scf::ForOp> walked = loop(dimension, online.step, initial, step, seen);
    if (failed(walked))
      return {};
    results.assign(walked->getResults().begin(), walked->getResults().end());
  }
  // Of which the log-sum-exp is made.
  TileAxes axes = llvm::map_to_vector<4>(kept, [&](unsigned loop) { return source.axes[loop]; });
  for (auto [op, result] : {std::pair(online.maximum, results[0]), {online.sum, results[1]}}) {
    Value tensor = linalg::LinalgOp(op)->getResult(0);
    scopes[depthOf(axes)].tiles[{tensor.getAsOpaquePointer(), std::vector<TileAxis>(axes.begin(), axes.end())}] =
        result;
  }
  if (schedule.ring && isRounded) { // A division for each row.
    Value one = splat(b.getFloatAttr(type, 1.0), shapeOfVector(results[1]));
    return scaled(results[2], arith::DivFOp::create(b, loc, one, results[1]), /*divides=*/false);
  }
  return scaled(results[2], results[1], /*divides=*/true);
}
} // namespace lispier::tensors
