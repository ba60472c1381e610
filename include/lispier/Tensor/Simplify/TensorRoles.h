//===- TensorRoles.h - what a tensor op is to fusion -----------*- C++ -*-===//
#ifndef LISPIER_TENSOR_SIMPLIFY_TENSORROLES_H
#define LISPIER_TENSOR_SIMPLIFY_TENSORROLES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace lispier {
enum class TensorRole {
  Elementwise, ///< Each element of the results by itself, of whichever elements of the operands.
  Reduction,   ///< Rows reduced by an associative op: sums, maxima, argmax.
  Contraction, ///< A product summed over dimensions, of which each operand has elements that several results need.
  Other,       ///< Convolutions, and whatever else has a structure of its own.
};

TensorRole roleOf(mlir::linalg::LinalgOp op);

/// Parts of equal sizes that are computed and joined: at most so many are one op that chooses among them, with a loop
/// over their numbers.
inline constexpr int64_t kMostParts = 4;

/// The cost of computing an element of the op's result, in additions: a division counts 4, a gather 8, and functions
/// such as exp 16.
int64_t elementCost(mlir::linalg::LinalgOp op);

/// Whether computing an element again is cheaper than reading it from memory: few additions, and at most one operand
/// with an element of its own for each of the result.
bool isCheaperThanMemory(mlir::linalg::LinalgOp op);

/// For each dimension of the operand the loop of the op whose index it has, if the op accesses element [d_i, d_j, ...]
/// in iteration [d_0, d_1, ...]: i, j, ...; else nothing.
std::optional<llvm::SmallVector<unsigned>> loopDimsOf(mlir::linalg::LinalgOp op, mlir::OpOperand &operand);

/// Whether the op reads the operand at sums of its loops' indices, an element several times, as windows are read.
bool readsWindows(mlir::linalg::LinalgOp op, mlir::OpOperand &operand);

/// The sizes that the tensor was made with, by tensor.empty: those of the tensor itself would wait for its elements.
/// None if they are not known, or the tensor has no dimension.
llvm::SmallVector<mlir::OpFoldResult> sizesMadeWith(mlir::Value tensor);
} // namespace lispier
#endif
