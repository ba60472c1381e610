//===- StoredMemory.h - memrefs that tensors are stored in -----*- C++ -*-===//
#ifndef LISPIER_LIB_TENSOR_STOREDMEMORY_H
#define LISPIER_LIB_TENSOR_STOREDMEMORY_H

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/IR/BuiltinOps.h"

namespace lispier {
/// Before tensors get places: copies a stored tensor to the memref where the program still uses the tensor, and may
/// have changed the memref by then.
void copyWhatOutlivesMemref(mlir::ModuleOp module);

/// The tensors that are read of memrefs.
llvm::DenseSet<mlir::Operation *> readsOfMemrefs(mlir::ModuleOp module);

/// After what is stored in a memref has got its place there, by reads that are not in `before`: makes them the tensor
/// that the program has read of the same memref, so that bufferization sees both to be one memory.
void joinReadsOfMemrefs(mlir::ModuleOp module, const llvm::DenseSet<mlir::Operation *> &before);
} // namespace lispier
#endif
