//===- BatchProduct.h - the products of attention ---------------*- C++ -*-===//
#ifndef LISPIER_LIB_TENSOR_BATCHPRODUCT_H
#define LISPIER_LIB_TENSOR_BATCHPRODUCT_H

#include "AttentionPattern.h"
#include <array>

namespace lispier {
/// Which loop is which in a product of batches of matrices with one batch and one summed loop.
struct BatchProduct {
  mlir::linalg::LinalgOp op;
  unsigned batch, k;
  /// The loops that only the first operand has, and those that only the second has: one each, but two of the operand
  /// that holds queries, if several heads share keys.
  std::array<llvm::SmallVector<unsigned, 2>, 2> own;

  static std::optional<BatchProduct> of(mlir::linalg::LinalgOp op);

  /// Where the operand has these loops; empty if it has others.
  AttentionHeads::Order placesOf(mlir::OpOperand &operand, llvm::ArrayRef<unsigned> loops) const;
};

/// Whether the number is what the tensor's type or its origin says of a dimension, also if the tensor is in memory.
bool isSizeOf(mlir::Value number, mlir::Value tensor, unsigned dimension);
} // namespace lispier
#endif
