//===- StoredMemory.h - memrefs that tensors are stored in -----*- C++ -*-===//
#ifndef LISPIER_LIB_BUFFERS_STOREDMEMORY_H
#define LISPIER_LIB_BUFFERS_STOREDMEMORY_H

#include "lispier/Buffers/MemoryOrigins.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/IR/BuiltinOps.h"

namespace lispier {
/// Copies the tensor to the memref instead of making it there, by the op that is returned.
mlir::Operation *storeByCopy(mlir::bufferization::MaterializeInDestinationOp store);

/// The last tensor, of those of which `isRead` holds, that is read of the memref before `user` in its block, if nothing
/// between the two may write it.
mlir::bufferization::ToTensorOp lastReadBefore(
    mlir::Value memref, mlir::Operation *user, MemoryOrigins &origins,
    llvm::function_ref<bool(mlir::bufferization::ToTensorOp)> isRead = [](mlir::bufferization::ToTensorOp) {
      return true;
    });

/// The tensors that are read of memrefs.
llvm::DenseSet<mlir::Operation *> readsOfMemrefs(mlir::ModuleOp module);

/// After what is stored in a memref has got its place there, by reads that are not in `before`: makes them the tensor
/// that the program has read of the same memref, so that bufferization sees both to be one memory.
void joinReadsOfMemrefs(mlir::ModuleOp module, const llvm::DenseSet<mlir::Operation *> &before);
} // namespace lispier
#endif
