//===- NormFormula.cpp - normalisation by formulas ------------------------===//
#include "NormFormula.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/SaveAndRestore.h"
#include <cmath>

using namespace mlir;

namespace lispier {
using Number = PointEvaluator::Number;

namespace {
class NormMatcher {
public:
  explicit NormMatcher(Value result) : result(result) {
    auto type = cast<RankedTensorType>(result.getType());
    rank = type.getRank();
    columns = rank == 0 || type.isDynamicDim(rank - 1) ? 6 : type.getDimSize(rank - 1);
  }

  std::optional<NormFormula> match() {
    // The first evaluation meets the operands.
    if (rank == 0 || columns < 2 || !valueAt(0, 1) || !found.x || vectors.empty())
      return std::nullopt;
    if (isNorm())
      return found;
    // Which is which, the order does not say. Of one row, x and the weight are alike.
    if (vectors.size() == 2)
      std::swap(vectors[0], vectors[1]);
    else if (rank == 1)
      std::swap(vectors[0], found.x);
    else
      return std::nullopt;
    return isNorm() ? std::optional(found) : std::nullopt;
  }

private:
  static constexpr double kEpsilon = 0.0078125; ///< Of an epsilon that only the call knows.
  static constexpr int64_t kRow = 9;            ///< That no column is, if there are few.

  double x(int64_t column, double scale) const { return scale * ((column * 7 + 3) % 11 - 4.5 + 0.1 * (column % 3)); }
  double weight(int64_t column) const { return gain * (1 + 0.25 * (column % 4)); }
  double bias(int64_t column) const { return found.bias ? 0.5 - 0.125 * (column % 5) : 0; }

  /// Whether the result is a norm of x with the vectors as weight and, if there are two, bias.
  bool isNorm() {
    found.weight = vectors[0];
    found.bias = vectors.size() == 2 ? vectors[1] : Value();
    return readEpsilon() && isAsAt(1) && isAsAt(0.01) && isAsAt(50) && isAsAt(far) && isAsAt(1, far) && isAsAt(1, -far);
  }

  Number valueAt(int64_t column, double scale) {
    PointEvaluator evaluator;
    evaluator.element = [&](Value tensor, ArrayRef<int64_t> index) -> Number {
      if (tensor.getDefiningOp() || index.empty())
        return std::nullopt;
      bool isRow =
          int64_t(index.size()) == rank && llvm::all_of(index.drop_back(), [](int64_t i) { return i == kRow; });
      if (isRow && (tensor == found.x || (!found.x && !llvm::is_contained(vectors, tensor)))) {
        found.x = tensor;
        return x(index.back(), scale);
      }
      if (index.size() != 1)
        return std::nullopt;
      if (!llvm::is_contained(vectors, tensor)) {
        if (vectors.size() == 2 || found.weight)
          return std::nullopt;
        vectors.push_back(tensor);
      }
      return tensor == found.bias ? bias(index[0]) : weight(index[0]);
    };
    evaluator.extent = [&](linalg::LinalgOp, unsigned) { return columns; };
    evaluator.scalar = [&](Value number) -> Number {
      Operation *made = number.getDefiningOp();
      bool isCount = number.getType().isIntOrIndex();
      if ((!isCount && !number.getType().isF32()) ||
          (made && isa<arith::ArithDialect, math::MathDialect>(made->getDialect())))
        return std::nullopt; // Evaluated, if it is made of what is known.
      Value &known = isCount ? found.columns : found.epsilonValue;
      if (known && known != number)
        return std::nullopt;
      known = number;
      return isCount ? double(columns) : kEpsilon;
    };
    SmallVector<int64_t> index(rank, kRow);
    index.back() = column;
    Number value = evaluator.at(result, index);
    far = evaluator.farPoint();
    return evaluator.indexUse() == IndexUse::None ? value : std::nullopt;
  }

  /// What is subtracted from the row, and the mean square of the rest.
  std::pair<double, double> momentsOf(double scale) const {
    double mean = 0, square = 0;
    if (found.bias)
      for (int64_t column = 0; column < columns; ++column)
        mean += x(column, scale) / double(columns);
    for (int64_t column = 0; column < columns; ++column)
      square += (x(column, scale) - mean) * (x(column, scale) - mean) / double(columns);
    return {mean, square};
  }

  /// By a row of such small numbers that epsilon decides.
  bool readEpsilon() {
    constexpr double kSmall = 1e-6;
    Number value = valueAt(1, kSmall);
    auto [mean, square] = momentsOf(kSmall);
    if (!value)
      return false;
    double shown = (*value - bias(1)) / ((x(1, kSmall) - mean) * weight(1));
    found.epsilon = 1 / (shown * shown) - square;
    if (!std::isfinite(found.epsilon) || found.epsilon < 1e-12 || found.epsilon > 1)
      return false;
    return !found.epsilonValue || isNear(found.epsilon, kEpsilon);
  }

  /// With weights that are `factor` times as large as others.
  bool isAsAt(double scale, double factor = 1) {
    llvm::SaveAndRestore<double> weights(gain, factor);
    auto [mean, square] = momentsOf(scale);
    for (int64_t column : {int64_t(0), int64_t(1), columns / 2, columns - 1}) {
      Number value = valueAt(column, scale);
      double expected = (x(column, scale) - mean) / std::sqrt(square + found.epsilon) * weight(column) + bias(column);
      if (!value || !isNear(*value, expected))
        return false;
    }
    return true;
  }

  Value result;
  int64_t rank, columns;
  double gain = 1, far = 1;
  SmallVector<Value, 2> vectors; ///< Weight and bias, first in the order in which they are met.
  NormFormula found;
};
} // namespace

std::optional<NormFormula> normFormulaOf(Value result) { return NormMatcher(result).match(); }
} // namespace lispier
