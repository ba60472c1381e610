//===- NormFormula.h - normalisation by formulas ----------------*- C++ -*-===//
#ifndef LISPIER_LIB_TENSOR_FORMULAS_NORMFORMULA_H
#define LISPIER_LIB_TENSOR_FORMULAS_NORMFORMULA_H

#include "TensorFormulas.h"

namespace lispier {
/// Along the last dimension, `(x - mean) / sqrt(variance + epsilon) * weight + bias` (layer norm, Ba et al. 2016), or
/// without a bias `x / sqrt(mean(x^2) + epsilon) * weight` (RMS norm, Zhang and Sennrich 2019).
struct NormFormula {
  mlir::Value x, weight;
  mlir::Value bias; ///< Null: an RMS norm.
  double epsilon = 0;
  mlir::Value epsilonValue; ///< Null if epsilon is a constant.
};
std::optional<NormFormula> normFormulaOf(mlir::Value result);
} // namespace lispier
#endif
