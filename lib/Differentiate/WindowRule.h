//===- WindowRule.h - the adjoint of reads of windows -----------*- C++ -*-===//
#ifndef LISPIER_LIB_DIFFERENTIATE_WINDOWRULE_H
#define LISPIER_LIB_DIFFERENTIATE_WINDOWRULE_H

#include "Reverse.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace lispier {
/// An index that is a sum of loops' indices: i * stride + k * dilation, or i * stride.
struct WindowIndex {
  unsigned place; ///< The loop whose index is known by the others': i.
  int64_t stride;
  llvm::SmallVector<std::pair<unsigned, int64_t>, 1> taps; ///< The other loops, and how far apart their elements are.
};

/// What each dimension of a tensor is read at; nullopt if a loop is in two of them, or one is no such sum.
std::optional<llvm::SmallVector<WindowIndex>> windowIndices(mlir::AffineMap map);

/// The cotangent of a tensor that is read at `indices`, of one number for each iteration of loops of these sizes.
mlir::Value windowCotangent(mlir::Value cotangents, llvm::ArrayRef<WindowIndex> indices,
                            llvm::ArrayRef<mlir::OpFoldResult> loopSizes, mlir::Value tensor, Reverse &reverse);

/// A product with windows of a tensor as one factor, and the product that is the tensor's cotangent: the windows of the
/// result's cotangent, with zeros between and around its elements, times the other factor, whose taps are in reverse.
struct WindowProduct {
  mlir::Value source;  ///< The tensor.
  mlir::Value windows; ///< Of the cotangent.
  mlir::Value other;   ///< The other factor.
  llvm::SmallVector<mlir::AffineMap, 3> maps;
};
/// nullopt if the factor is no windows, or these are used in another way than in a convolution.
std::optional<WindowProduct> windowProduct(mlir::linalg::ContractOp op, mlir::Value cotangent, unsigned factor,
                                           Reverse &reverse);
} // namespace lispier
#endif
