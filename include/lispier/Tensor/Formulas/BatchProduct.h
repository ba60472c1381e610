//===- BatchProduct.h - the products of attention ---------------*- C++ -*-===//
#ifndef LISPIER_TENSOR_FORMULAS_BATCHPRODUCT_H
#define LISPIER_TENSOR_FORMULAS_BATCHPRODUCT_H

#include "lispier/Tensor/Formulas/AttentionPattern.h"
#include <array>

namespace lispier {
/// Which loop is which in a product of batches of matrices with one batch and one summed loop.
struct BatchProduct {
  mlir::linalg::LinalgOp op;
  unsigned batch, k;
  /// The loops that only the first operand has, and those that only the second has: one each, but two of the operand
  /// that holds queries, if several heads share keys.
  std::array<llvm::SmallVector<unsigned, 2>, 2> own;

  /// Nullopt for another op.
  static std::optional<BatchProduct> of(mlir::linalg::LinalgOp op);

  /// The operand's dimensions that these loops index, in the order of `loops`; empty unless they are all that it has.
  AttentionHeads::Order placesOf(mlir::OpOperand &operand, llvm::ArrayRef<unsigned> loops) const;
};

/// Whether `number` is known to be the size of the tensor's, or memref's, dimension: a dim op, or the size by which its
/// origin was made.
bool isSizeOf(mlir::Value number, mlir::Value tensor, unsigned dimension);
} // namespace lispier
#endif
