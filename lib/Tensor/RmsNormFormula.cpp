//===- RmsNormFormula.cpp - RMS normalisation by formulas -----------------===//
#include "RmsNormFormula.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/SaveAndRestore.h"
#include <cmath>

using namespace mlir;

namespace lispier {
using Number = PointEvaluator::Number;

namespace {
class RmsNormMatcher {
public:
  explicit RmsNormMatcher(Value result) : result(result) {
    auto type = cast<RankedTensorType>(result.getType());
    rank = type.getRank();
    columns = rank == 0 || type.isDynamicDim(rank - 1) ? 6 : type.getDimSize(rank - 1);
  }

  std::optional<RmsNormFormula> match() {
    // The first evaluation meets the operands. Of one row, x and the weight are alike.
    if (rank == 0 || columns < 2 || !valueAt(0, 1) || !found.x || !found.weight)
      return std::nullopt;
    if (isRmsNorm())
      return found;
    std::swap(found.x, found.weight);
    return rank == 1 && isRmsNorm() ? std::optional(found) : std::nullopt;
  }

private:
  static constexpr double kEpsilon = 0.0078125; ///< Of an epsilon that only the call knows.

  double x(int64_t column, double scale) const { return scale * ((column * 7 + 3) % 11 - 4.5 + 0.1 * (column % 3)); }
  double weight(int64_t column) const { return gain * (1 + 0.25 * (column % 4)); }

  Number valueAt(int64_t column, double scale) {
    PointEvaluator evaluator;
    evaluator.element = [&](Value tensor, ArrayRef<int64_t> index) -> Number {
      if (tensor.getDefiningOp() || index.empty())
        return std::nullopt;
      bool isRow =
          int64_t(index.size()) == rank && llvm::all_of(index.drop_back(), [](int64_t i) { return i == kRow; });
      if (isRow && (tensor == found.x || (!found.x && tensor != found.weight))) {
        found.x = tensor;
        return x(index.back(), scale);
      }
      if (index.size() != 1 || (found.weight && tensor != found.weight))
        return std::nullopt;
      found.weight = tensor;
      return weight(index[0]);
    };
    evaluator.extent = [&](linalg::LinalgOp, unsigned) { return columns; };
    evaluator.scalar = [&](Value number) -> Number {
      Operation *made = number.getDefiningOp();
      bool isIndex = number.getType().isIndex();
      if ((!isIndex && !number.getType().isF32()) ||
          (made && isa<arith::ArithDialect, math::MathDialect>(made->getDialect())))
        return std::nullopt; // Evaluated, if it is made of what is known.
      Value &known = isIndex ? found.columns : found.epsilonValue;
      if (known && known != number)
        return std::nullopt;
      known = number;
      return isIndex ? double(columns) : kEpsilon;
    };
    SmallVector<int64_t> index(rank, kRow);
    index.back() = column;
    Number value = evaluator.at(result, index);
    far = evaluator.farPoint();
    return evaluator.indexUse() == IndexUse::None ? value : std::nullopt;
  }

  double meanSquare(double scale) const {
    double sum = 0;
    for (int64_t column = 0; column < columns; ++column)
      sum += x(column, scale) * x(column, scale);
    return sum / double(columns);
  }

  /// By a row of such small numbers that epsilon decides.
  bool readEpsilon() {
    constexpr double kSmall = 1e-6;
    Number value = valueAt(1, kSmall);
    if (!value)
      return false;
    double shown = *value / (x(1, kSmall) * weight(1));
    found.epsilon = 1 / (shown * shown) - meanSquare(kSmall);
    if (!std::isfinite(found.epsilon) || found.epsilon < 1e-12 || found.epsilon > 1)
      return false;
    return !found.epsilonValue || isNear(found.epsilon, kEpsilon);
  }

  bool isRmsNorm() {
    return readEpsilon() && isAsAt(1) && isAsAt(0.01) && isAsAt(50) && isAsAt(far) && isAsAt(1, far) && isAsAt(1, -far);
  }

  /// With weights that are `factor` times as large as others.
  bool isAsAt(double scale, double factor = 1) {
    llvm::SaveAndRestore<double> weights(gain, factor);
    for (int64_t column : {int64_t(0), int64_t(1), columns / 2, columns - 1}) {
      Number value = valueAt(column, scale);
      double expected = x(column, scale) / std::sqrt(meanSquare(scale) + found.epsilon) * weight(column);
      if (!value || !isNear(*value, expected))
        return false;
    }
    return true;
  }

  static constexpr int64_t kRow = 9; ///< That no column is, if there are few.

  Value result;
  int64_t rank, columns;
  double gain = 1, far = 1;
  RmsNormFormula found;
};
} // namespace

std::optional<RmsNormFormula> rmsNormFormulaOf(Value result) { return RmsNormMatcher(result).match(); }
} // namespace lispier
