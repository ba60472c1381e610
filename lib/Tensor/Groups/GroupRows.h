//===- GroupRows.h - the iteration space that a group shares ---*- C++ -*-===//
//
// The ops of a group run row by row if each op, in row r, needs of the other ops'
// results those of row r only. A row is an index of each of the row dimensions,
// which every op has among its parallel loops: all loops of an elementwise op in an
// elementwise group, all parallel ones of the contraction or of each reduction.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_TENSOR_GROUPS_GROUPROWS_H
#define LISPIER_LIB_TENSOR_GROUPS_GROUPROWS_H

#include "lispier/Tensor/Simplify/TensorRoles.h"
#include "llvm/ADT/MapVector.h"

namespace lispier {
struct GroupRows {
  /// For each op, its loop that is row dimension 0, 1, ...; empty if there are none that fit all ops.
  llvm::MapVector<mlir::Operation *, llvm::SmallVector<unsigned>> loops;
  /// Why there are no such rows, in the user's words.
  std::string mistake;
};

/// Infers the rows of ops that are connected by their operands. `ops` are in program order. With `parts`, what is
/// computed with the result of a product may have several elements for each of its own: at most kMostParts along each
/// further dimension.
GroupRows inferRows(llvm::ArrayRef<mlir::linalg::LinalgOp> ops, bool parts);
} // namespace lispier
#endif
