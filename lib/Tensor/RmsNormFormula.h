//===- RmsNormFormula.h - RMS normalisation by formulas ---------*- C++ -*-===//
#ifndef LISPIER_LIB_TENSOR_RMSNORMFORMULA_H
#define LISPIER_LIB_TENSOR_RMSNORMFORMULA_H

#include "TensorFormulas.h"

namespace lispier {
/// `x / sqrt(mean(x^2) + epsilon) * weight` along the last dimension (Zhang and Sennrich 2019).
struct RmsNormFormula {
  mlir::Value x, weight;
  double epsilon = 0;
  mlir::Value epsilonValue; ///< Null if epsilon is a constant.
  mlir::Value columns;      ///< An index that the formula takes for the number of columns; null if there is none.
};
std::optional<RmsNormFormula> rmsNormFormulaOf(mlir::Value result);
} // namespace lispier
#endif
