//===- RowViews.h - memrefs as rows -----------------------------*- C++ -*-===//
#ifndef LISPIER_LIB_TENSOR_KERNELS_ROWVIEWS_H
#define LISPIER_LIB_TENSOR_KERNELS_ROWVIEWS_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

namespace lispier {
/// All dimensions but the last as one: a matrix of rows. Null if they do not lie so in memory. For a memref of rank 1
/// this is one row.
mlir::Value asRows(mlir::OpBuilder &b, mlir::Location loc, mlir::Value memref);

/// The memref with a first dimension of one element.
mlir::Value withOneToken(mlir::OpBuilder &b, mlir::Location loc, mlir::Value memref);

/// The first of some rows, as a matrix of one row: kernels for one row are chosen by the type. A part and not a cast:
/// where the number of rows becomes known, and is not 1, the branch that has it is still valid until it is removed.
/// Null stays null.
mlir::Value firstRow(mlir::OpBuilder &b, mlir::Value rows);
/// The type of that.
mlir::Type rowTypeOf(mlir::Value rows);

/// A branch that is taken if there is one row.
mlir::scf::IfOp ifOneRow(mlir::OpBuilder &b, mlir::Value rows);

/// If `part` is a view of rows of `whole`, the rows of `x` that have the same numbers; null for other views, or if `x`
/// has not the shape of `whole`.
mlir::Value sameRows(mlir::OpBuilder &b, mlir::Value x, mlir::memref::AllocOp whole, mlir::Value part);

/// The part of other memory that a view is: of each of that memory's dimensions, as many elements from an offset on.
struct MemoryPart {
  llvm::SmallVector<mlir::OpFoldResult> offsets, sizes;
  llvm::SmallVector<int64_t> places; ///< Of each dimension of the view that memory's dimension; -1: it has one element.
};
/// The memory of which the memref is a part.
mlir::Value wholeOf(mlir::Value memref);
/// The part of `whole` that its view is, perhaps without dimensions of one element; nullopt for other views.
std::optional<MemoryPart> partOf(mlir::Value view, mlir::Value whole);

/// The ops that use the memory or a view of it, but for those that only ask for a size.
llvm::SetVector<mlir::Operation *> usersOf(mlir::Value memory);

/// Whether the op, or one in it, reads or writes the memory, or frees it; not if it copies memory to itself.
bool uses(mlir::Operation &op, mlir::Value memory);
} // namespace lispier
#endif
