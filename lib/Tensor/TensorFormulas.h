//===- TensorFormulas.h - what tensor ops compute ---------------*- C++ -*-===//
//
// Found by evaluating the ops at points: how a formula is written does not matter.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_TENSOR_TENSORFORMULAS_H
#define LISPIER_LIB_TENSOR_TENSORFORMULAS_H

#include "PointEvaluator.h"
#include "lispier/NN/NN.h"

namespace lispier {
/// Whether two results of one formula, evaluated in another order and with constants of single precision, are equal.
bool isNear(double a, double b);

/// The operand of an elementwise op that multiplies it by a constant or copies it, in another order of dimensions.
struct Multiple {
  mlir::OpOperand *operand;
  double factor;
  llvm::SmallVector<unsigned> places; ///< The operand's dimension that is dimension i of the result.
};
std::optional<Multiple> multipleOf(mlir::linalg::LinalgOp op);

/// What is done to the result of a product x w^T: `activation(product + bias) + residual`.
struct LinearFormula {
  nn::Activation activation = nn::Activation::None;
  mlir::Value bias, residual; ///< Null if there is none; a vector of the columns, and a tensor like the result.
};
/// The formula of `result`, whose last dimension is the product's columns and whose others are its rows, in the order
/// of the product's result.
std::optional<LinearFormula> linearFormulaOf(mlir::Value product, mlir::Value result);

/// `(x - mean) / sqrt(variance + epsilon) * weight + bias` along the last dimension.
struct LayerNormFormula {
  mlir::Value x, weight, bias;
  double epsilon = 0;
  mlir::Value epsilonValue; ///< Null if epsilon is a constant.
};
std::optional<LayerNormFormula> layerNormFormulaOf(mlir::Value result);
} // namespace lispier
#endif
