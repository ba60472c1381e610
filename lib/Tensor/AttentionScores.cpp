//===- AttentionScores.cpp - scores and weights of attention -----------------===//
//
// Evaluates the changed scores and the weights at places: the factor of the scores, and
// whether the weights are a softmax.
//
//===----------------------------------------------------------------------===//
#include "AttentionFinder.h"
#include "TensorFormulas.h"
#include "TensorRoles.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <cmath>

using namespace mlir;

namespace lispier {
/// Which size of q, k, v or the scores the number is.
AttentionFinder::Size AttentionFinder::kindOfSize(Value number) {
  if (auto known = sizes.find(number); known != sizes.end())
    return known->second;
  auto find = [&] {
    for (auto [heads, size] :
         {std::pair(&found.q, Size::Tokens), std::pair(&found.k, Size::Keys), std::pair(&found.v, Size::Keys)})
      for (auto [at, kind] : {std::pair(heads->order.front(), size), std::pair(heads->order.back(), Size::HeadSize)})
        if (isSizeOf(number, heads->tensor, at))
          return kind;
    for (unsigned at : {tokenAt, positionAt})
      if (isSizeOf(number, scores->getResult(0), at))
        return at == tokenAt ? Size::Tokens : Size::Keys;
    auto difference = number.getDefiningOp<arith::SubIOp>();
    return difference && kindOfSize(difference.getLhs()) != Size::None && kindOfSize(difference.getRhs()) != Size::None
               ? Size::Difference
               : Size::None;
  };
  Size kind = find();
  return sizes[number] = kind;
}

/// The size of q, k, v or the scores that the number is, or a difference of two.
std::optional<int64_t> AttentionFinder::sizeOf(Value number) {
  switch (kindOfSize(number)) {
  case Size::None:
    return std::nullopt;
  case Size::Tokens:
    return tokens;
  case Size::Keys:
    return keys;
  case Size::HeadSize:
    return headSize;
  case Size::Difference:
    auto difference = number.getDefiningOp<arith::SubIOp>();
    return *sizeOf(difference.getLhs()) - *sizeOf(difference.getRhs());
  }
  llvm_unreachable("all cases return");
}

/// Whether the number is F32, and not computed by ops that have rules.
bool AttentionFinder::isFromOutside(Value number) {
  Operation *made = number.getDefiningOp();
  // What is in memory, only kernels read.
  return number.getType().isF32() &&
         !(made && (isa<tensor::ExtractOp>(made) || isa<arith::ArithDialect, math::MathDialect>(made->getDialect())));
}

/// Numbers that differ by place.
AttentionFinder::Number AttentionFinder::anyElement(Value tensor, ArrayRef<int64_t> index) {
  int64_t hash = valueOf(tensor);
  for (int64_t each : index)
    hash = (31 * hash + 7 * each + 3) % 101;
  Type element = getElementTypeOrSelf(tensor);
  return isa<FloatType>(element) ? hash / 50.0 - 1 : element.isInteger(1) ? double(hash % 3 != 0) : double(hash % 5);
}

/// Every score is `score`, or for a NaN one that differs by place.
PointEvaluator AttentionFinder::evaluator(double score) {
  PointEvaluator evaluator;
  evaluator.element = [this, score](Value tensor, ArrayRef<int64_t> index) -> Number {
    auto type = cast<RankedTensorType>(tensor.getType());
    if (!tensor.getDefiningOp<linalg::LinalgOp>() && type.hasStaticShape() && type.getNumElements() == 1 &&
        type.getElementType().isInteger(32))
      return valueOf(tensor);
    if (tensor != scores->getResult(0))
      return anyChange && !found.ops.contains(tensor.getDefiningOp()) ? anyElement(tensor, index) : std::nullopt;
    double varied = 0.5 * index[headAt] - 0.7 * index[tokenAt] + 0.3 * ((index[positionAt] * 5) % 7) +
                    (sharedAt ? 0.9 * index[*sharedAt] : 0);
    return std::isnan(score) ? varied : score;
  };
  evaluator.extent = [this](linalg::LinalgOp, unsigned) { return keys; };
  evaluator.scalar = [this](Value number) -> Number {
    if (std::optional<int64_t> known = sizeOf(number))
      return *known;
    if (isa_and_nonnull<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp, arith::TruncIOp>(
            number.getDefiningOp()))
      return std::nullopt; // Of its operand.
    if (anyChange && isa<FloatType>(number.getType()) && !number.getDefiningOp<arith::ConstantOp>())
      return 0.125 * valueOf(number);
    if (isFromOutside(number) && (!found.scaleValue || found.scaleValue == number)) {
      found.scaleValue = number;
      return scaleNumber;
    }
    if (!number.getType().isIntOrIndex() || number.getType().isInteger(1))
      return std::nullopt;
    return valueOf(number);
  };
  return evaluator;
}

AttentionFinder::Number AttentionFinder::masked(Place place, double score, Compare compare) {
  std::optional<SmallVector<unsigned>> loops = loopDimsOf(maximum, *maximum.getDpsInitOperand(0));
  unsigned rank = sharedAt ? 4 : 3;
  if (!loops || maximum.getNumLoops() != rank || loops->size() != rank - 1)
    return std::nullopt;
  // The scores' dimensions, without the one that is reduced, in their order.
  PointEvaluator::Index index = inOrder(place), own(rank, -1);
  SmallVector<int64_t> kept;
  for (unsigned at = 0; at < rank; ++at)
    if (at != positionAt)
      kept.push_back(index[at]);
  for (auto [loop, at] : llvm::zip(*loops, kept))
    own[loop] = at;
  for (int64_t &at : own)
    if (at < 0)
      at = place.position;
  PointEvaluator evaluate = evaluator(score);
  evaluate.compareIndices = std::move(compare);
  Number value = evaluate.inRegion(maximum, own, maskedScore);
  use = evaluate.indexUse();
  far = evaluate.farPoint();
  return value;
}

/// The factor of a score that is seen, if the masked score is a multiple of it.
std::optional<double> AttentionFinder::scaleFor(int64_t size) {
  headSize = size;
  Number one = masked({0, 0, seenBy(0)}, 1.0);
  if (!one || !(*one > 0) || !std::isfinite(*one))
    return std::nullopt;
  for (double score : {-30.0, -1.0, 0.0, 0.5, 8.0, 200.0, far, -far})
    for (int64_t token : {0, isOneToken() ? 0 : 2}) {
      Number value = masked({1, token, seenBy(token)}, score);
      if (!value || !isNear(*value, *one * score))
        return std::nullopt;
    }
  return one;
}

bool AttentionFinder::readScale() {
  int64_t known = cast<RankedTensorType>(found.q.tensor.getType()).getDimSize(found.q.order.back());
  bool isKnown = !ShapedType::isDynamic(known);
  std::optional<double> scale = scaleFor(isKnown ? known : kHeadSize);
  for (auto &[symbol, value] : symbols)
    if (symbol != found.first)
      value += 7; // The scale depends on no other size.
  std::optional<double> other = scaleFor(isKnown ? known : kOtherHeadSize);
  if (found.scaleValue) {
    scaleNumber = 2.5;
    std::optional<double> larger = scaleFor(isKnown ? known : kHeadSize);
    scaleNumber = 1;
    found.scale = 1;
    return scale && other && larger && isNear(*scale, 1) && isNear(*other, 1) && isNear(*larger, 2.5);
  }
  if (!scale || !other)
    return false;
  if (isNear(*scale, 1 / std::sqrt(double(isKnown ? known : kHeadSize))) &&
      (isKnown || isNear(*other, 1 / std::sqrt(double(kOtherHeadSize)))))
    return true;
  found.scale = scale;
  return isNear(*scale, *other);
}

bool AttentionFinder::isSoftmax() {
  int64_t known = cast<RankedTensorType>(weights.getType()).getDimSize(positionAt);
  keys = ShapedType::isDynamic(known) ? kKeys : known;
  if (keys == 0)
    return false;
  constexpr double kVaried = std::numeric_limits<double>::quiet_NaN();
  PointEvaluator evaluate = evaluator(kVaried);
  // Under some other mask: weights that depend on their place otherwise than by the mask of their score differ.
  evaluate.compareIndices = anyOutcome;
  bool isSeen = false;
  for (auto [head, token] : {std::pair(0, 0), std::pair(1, 1), std::pair(2, 2), std::pair(1, 3), std::pair(0, 4)}) {
    SmallVector<double> row;
    for (int64_t position = 0; position < keys; ++position) {
      Number score = masked({head, token, position}, kVaried, anyOutcome);
      if (!score)
        return false;
      row.push_back(*score);
    }
    double most = *llvm::max_element(row), total = 0;
    if (most <= kUnseen)
      continue;
    for (double score : row)
      total += std::exp(score - most);
    if (!std::isfinite(most))
      return false;
    for (int64_t position : {int64_t(0), std::min<int64_t>(2, keys - 1), keys - 1}) {
      Number weight = evaluate.at(weights, inOrder({head, token, position}));
      if (!weight || !isNear(*weight, std::exp(row[position] - most) / total))
        return false;
    }
    isSeen = true;
  }
  return isSeen;
}
} // namespace lispier
