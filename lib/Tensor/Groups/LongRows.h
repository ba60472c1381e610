//===- LongRows.h - rows that are few and long -----------------*- C++ -*-===//
#ifndef LISPIER_LIB_TENSOR_GROUPS_LONGROWS_H
#define LISPIER_LIB_TENSOR_GROUPS_LONGROWS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace lispier {
/// Rows are long from so many elements on, and few if a program for each would leave most of a large GPU idle.
inline constexpr int64_t kLongRow = 75'000, kFewRows = 64;

/// Whether the op reduces rows, or columns, that are so few and so long that programs reduce parts of them.
bool reducesFewLongRows(mlir::linalg::LinalgOp op);

/// Makes the sums of the elements, and of the squares of their differences from a number of the row, of parts of such
/// rows, both in one pass.
void splitVariances(mlir::Block &block, mlir::IRRewriter &rewriter);
} // namespace lispier
#endif
