//===- TensorFormulas.h - what tensor ops compute ---------------*- C++ -*-===//
#ifndef LISPIER_LIB_TENSOR_FORMULAS_TENSORFORMULAS_H
#define LISPIER_LIB_TENSOR_FORMULAS_TENSORFORMULAS_H

#include "Spellings.h"

namespace lispier {
/// Whether `number` is known to be the size of the tensor's, or memref's, dimension: a dim op, or the size by which its
/// origin was made. Arguments of a kernel's body are its operands.
bool isKnownSizeOf(mlir::Value number, mlir::Value tensor, unsigned dimension);

/// The operand of an elementwise op that multiplies it by a constant or copies it, in another order of dimensions.
struct Multiple {
  mlir::OpOperand *operand;
  double factor;
  llvm::SmallVector<unsigned> places; ///< The operand's dimension that is dimension i of the result.
  bool rounds;                        ///< A `cast` of the program rounds it to the result's type.
};
std::optional<Multiple> multipleOf(mlir::linalg::LinalgOp op);

/// What is done to the result of a product x w^T: `activation(product + bias) + residual`.
struct LinearFormula {
  nn::Activation activation = nn::Activation::None;
  mlir::Value bias;     ///< A vector of the columns; null if there is none.
  mlir::Value residual; ///< A tensor like the result; null if there is none.
};
/// The formula of `result`, whose last dimension is the product's columns and whose others are its rows, in the order
/// of the product's result.
std::optional<LinearFormula> linearFormulaOf(mlir::Value product, mlir::Value result);

/// `activation(gate) * factor`, element by element, of two arguments.
struct GateFormula {
  nn::Activation activation;
  mlir::Value gate, factor;
};
std::optional<GateFormula> gateFormulaOf(mlir::Value result);
} // namespace lispier
#endif
