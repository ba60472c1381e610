//===- TensorFormulas.cpp - what tensor ops compute -----------------------===//
#include "TensorFormulas.h"
#include "TensorRoles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/SaveAndRestore.h"
#include <cmath>
#include <numbers>

using namespace mlir;

namespace lispier {
using Number = PointEvaluator::Number;

bool isNear(double a, double b) {
  return std::isfinite(a) && std::isfinite(b) &&
         std::fabs(a - b) <= 1e-5 * std::max({1e-3, std::fabs(a), std::fabs(b)});
}

std::optional<Multiple> multipleOf(linalg::LinalgOp op) {
  if (!isa<linalg::GenericOp, linalg::TransposeOp>(op.getOperation()) || roleOf(op) != TensorRole::Elementwise ||
      op->getNumResults() != 1 || op.hasIndexSemantics())
    return std::nullopt;
  Multiple result{nullptr, 0, {}};
  for (OpOperand *operand : op.getDpsInputOperands()) {
    if (!isa<TensorType>(operand->get().getType()))
      continue;
    if (result.operand || !op.getMatchingIndexingMap(operand).isPermutation())
      return std::nullopt;
    result.operand = operand;
  }
  AffineMap made = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (!result.operand || !made.isPermutation())
    return std::nullopt;
  AffineMap read = op.getMatchingIndexingMap(result.operand);
  for (unsigned i = 0; i < made.getNumResults(); ++i)
    result.places.push_back(*read.getResultPosition(made.getResult(i)));
  double far = 1;
  auto valueFor = [&](double x) {
    PointEvaluator evaluator;
    evaluator.element = [&](Value tensor, ArrayRef<int64_t>) -> PointEvaluator::Number {
      return tensor == result.operand->get() ? PointEvaluator::Number(x) : std::nullopt;
    };
    Number value = evaluator.at(op->getResult(0), SmallVector<int64_t>(made.getNumResults(), 0));
    far = evaluator.farPoint();
    return value;
  };
  PointEvaluator::Number one = valueFor(1);
  if (!one)
    return std::nullopt;
  result.factor = *one;
  for (double x : {-30.0, -0.25, 0.0, 2.0, 1e4, far, -far}) {
    PointEvaluator::Number value = valueFor(x);
    if (!value || !isNear(*value, x * *one))
      return std::nullopt;
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Bias, activation, residual
//===----------------------------------------------------------------------===//

namespace {
double activate(nn::Activation activation, double x) {
  switch (activation) {
  case nn::Activation::None:
    return x;
  case nn::Activation::GeluTanh:
    return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
  case nn::Activation::Relu:
    return std::max(x, 0.0);
  case nn::Activation::Silu:
    return x / (1 + std::exp(-x));
  }
  llvm_unreachable("every activation has a formula");
}

/// Values of the product, the bias and the residual.
constexpr double kPoints[][3] = {{0, 0, 0},      {1, 0, 0},      {-1, 0, 0},     {0, 1, 0},       {0, 0, 1},
                                 {0.3, 0.2, -5}, {-2, 0.7, 0.1}, {3, -1, 2},     {-4, 1.5, 100},  {8, 9, -3},
                                 {-20, 3, 0.25}, {100, -7, 1},   {-300, 50, -2}, {1e4, 2e3, 1e3}, {-1e4, -30, 4}};

class LinearMatcher {
public:
  LinearMatcher(Value product, Value result) : product(product), result(result) {
    // An index that no other place has, to see which element is read.
    for (int64_t at = 0, rank = cast<RankedTensorType>(result.getType()).getRank(); at < rank; ++at)
      place.push_back(3 + 4 * at);
  }

  std::optional<LinearFormula> match() {
    if (place.size() != size_t(cast<RankedTensorType>(product.getType()).getRank()) || !valueAt(kPoints[1]))
      return std::nullopt;
    for (auto activation :
         {nn::Activation::None, nn::Activation::GeluTanh, nn::Activation::Relu, nn::Activation::Silu}) {
      found.activation = activation;
      const double farPoints[][3] = {{far, 0, 0}, {-far, 0, 0}, {0, far, 0}, {0, -far, 0}, {0, 0, far}, {0, 0, -far}};
      auto isAs = [&](auto &point) { return isAsAt(point); };
      if (llvm::all_of(kPoints, isAs) && llvm::all_of(farPoints, isAs) && use == IndexUse::None)
        return found;
    }
    return std::nullopt;
  }

private:
  bool isAsAt(const double (&point)[3]) {
    Number value = valueAt(point);
    double bias = found.bias ? point[1] : 0, residual = found.residual ? point[2] : 0;
    return value && isNear(*value, activate(found.activation, point[0] + bias) + residual);
  }

  Number valueAt(const double (&point)[3]) {
    PointEvaluator evaluator;
    evaluator.element = [&](Value tensor, ArrayRef<int64_t> index) -> Number {
      if (tensor == product)
        return index == ArrayRef(place) ? Number(point[0]) : std::nullopt;
      if (tensor.getDefiningOp())
        return std::nullopt;
      bool isBias = index.size() == 1 && index[0] == place.back() &&
                    (place.size() > 1 || tensor == found.bias || (!found.bias && tensor != found.residual));
      if (!isBias && index != ArrayRef(place))
        return std::nullopt;
      Value &known = isBias ? found.bias : found.residual;
      if (known && known != tensor)
        return std::nullopt;
      known = tensor;
      return point[isBias ? 1 : 2];
    };
    Number value = evaluator.at(result, place);
    use = evaluator.indexUse();
    far = evaluator.farPoint();
    return value;
  }

  Value product, result;
  SmallVector<int64_t> place;
  IndexUse use = IndexUse::None; ///< Of the result, at the last point.
  double far = 1;
  LinearFormula found;
};
} // namespace

std::optional<LinearFormula> linearFormulaOf(Value product, Value result) {
  return LinearMatcher(product, result).match();
}

std::optional<nn::Activation> gatedFormulaOf(Value gate, Value factor, Value result) {
  SmallVector<int64_t> place; // An index that no other place has.
  for (int64_t at = 0, rank = cast<RankedTensorType>(result.getType()).getRank(); at < rank; ++at)
    place.push_back(3 + 4 * at);
  double far = 1;
  auto valueAt = [&](double first, double second) -> Number {
    PointEvaluator evaluator;
    evaluator.element = [&](Value tensor, ArrayRef<int64_t> index) -> Number {
      if (index != ArrayRef(place) || (tensor != gate && tensor != factor))
        return std::nullopt;
      return tensor == gate ? first : second;
    };
    Number value = evaluator.at(result, place);
    far = evaluator.farPoint();
    return evaluator.indexUse() == IndexUse::None ? value : std::nullopt;
  };
  auto isAsAt = [&](nn::Activation activation, double first, double second) {
    Number value = valueAt(first, second);
    return value && isNear(*value, activate(activation, first) * second);
  };
  for (auto activation : {nn::Activation::None, nn::Activation::GeluTanh, nn::Activation::Relu, nn::Activation::Silu}) {
    bool is = llvm::all_of(kPoints, [&](auto &point) {
      return isAsAt(activation, point[0], point[1]) && isAsAt(activation, point[0], point[2]);
    });
    if (is && isAsAt(activation, far, 2) && isAsAt(activation, -far, 2) && isAsAt(activation, 2, far) &&
        isAsAt(activation, 2, -far))
      return activation;
  }
  return std::nullopt;
}
} // namespace lispier
