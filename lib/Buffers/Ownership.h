//===- Ownership.h - deallocation that only the run decides ----*- C++ -*-===//
//
// Where a branch or a loop may return one of several buffers, ownership-based
// deallocation carries flags, and bufferization.dealloc compares addresses to see
// which of the owned buffers live on.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_BUFFERS_OWNERSHIP_H
#define LISPIER_LIB_BUFFERS_OWNERSHIP_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace lispier {
/// Makes flags constants that are false in each iteration of a loop because they are false before it, such as those of
/// buffers that iterations exchange. Canonicalization then drops these flags and what is freed by them.
mlir::LogicalResult dropFalseOwnerships(mlir::func::FuncOp function);

/// Puts the lists that lowered bufferization.dealloc ops pass to their function on the stack. They are the host's: in
/// one allocation with tensors, they would make that memory which the host and the device share.
void putListsOnStack(mlir::ModuleOp module);
} // namespace lispier
#endif
