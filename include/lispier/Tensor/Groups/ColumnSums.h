//===- ColumnSums.h - sums of columns in a kernel of rows ------*- C++ -*-===//
//
// Reductions along the rows of a kernel that reduces each of these rows, too, such as
// the gradients of a norm's weights beside that of its rows. The kernel is then two: one
// of which each program has some rows one after the other, and sums these, and one that
// adds what the programs have summed.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_TENSOR_GROUPS_COLUMNSUMS_H
#define LISPIER_TENSOR_GROUPS_COLUMNSUMS_H

#include "lispier/Group/Group.h"
#include "lispier/Tensor/Groups/SumParts.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/MapVector.h"

namespace lispier {
struct ColumnSums {
  llvm::SmallVector<mlir::linalg::LinalgOp> sums;
  /// What is made of the sums alone, and what they begin with.
  llvm::SmallPtrSet<mlir::Operation *, 4> behind;
  /// Of the other ops, and of the sums: the loop that is row dimension 0, 1, ...
  llvm::MapVector<mlir::Operation *, llvm::SmallVector<unsigned>> rowLoops;
  RowParts parts;
};

/// Whether the op reduces all but the last dimension of what it reads, of sizes for which a kernel of these rows may
/// have it.
bool isColumnSum(mlir::linalg::LinalgOp op);

/// The sums of columns among ops that are connected by their operands, in program order, if the others are a kernel of
/// rows that may have them.
std::optional<ColumnSums> columnSumsOf(llvm::ArrayRef<mlir::linalg::LinalgOp> ops);
std::optional<ColumnSums> columnSumsOf(group::KernelOp kernel);
} // namespace lispier
#endif
