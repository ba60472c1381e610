//===- MemoryViews.h - memory of groups, and views of it --------*- C++ -*-===//
#ifndef LISPIER_BUFFERS_MEMORYVIEWS_H
#define LISPIER_BUFFERS_MEMORYVIEWS_H

#include "lispier/Group/Group.h"

namespace lispier {
/// The memref of an argument of the kernel's body; null for other tensors.
mlir::Value memrefOf(group::KernelOp kernel, mlir::Value tensor);

/// The memref with each of these parts of its dimensions, which lie one behind the other, as one. A size 0 beside one
/// that only the run knows becomes unknown, too: of the two, collapse_shape infers 0, which its verifier rejects.
mlir::Value collapsed(mlir::OpBuilder &b, mlir::Location loc, mlir::Value memref,
                      llvm::ArrayRef<mlir::ReassociationIndices> parts);

/// A memref seen as [tokens, heads, size], which are its dimensions `order`; of four, the heads are the two in the
/// middle, which are neighbours. Null if these do not lie in memory like one dimension.
mlir::Value asHeads(mlir::OpBuilder &b, mlir::Location loc, mlir::Value memref, llvm::ArrayRef<unsigned> order);

/// A size of a memref as a value that can be compared; null if neither the ops that made the memref nor those that ask
/// for its size say it.
mlir::OpFoldResult knownSize(mlir::Value memref, unsigned dimension);

/// The memref that this one is a view of.
mlir::Value rootOf(mlir::Value memref);

/// Whether both are one memref, or views of one that are made alike.
bool isSameMemory(mlir::Value a, mlir::Value b);

/// Whether the op is a branch that does nothing but report an error of the program.
bool isErrorCheck(mlir::Operation *op);

/// Whether the op may write the memory; memrefs of different origin do not overlap.
bool mayWrite(mlir::Operation &op, mlir::Value memref);

/// Whether an op that may be executed after `from` and before `to` may write the memory. `to` is after `from`, in its
/// block or in a region in it; an iteration of a loop around `to` comes after the ones before it.
bool mayChangeBetween(mlir::Operation *from, mlir::Operation *to, mlir::Value memref);
} // namespace lispier
#endif
