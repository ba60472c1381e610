//===- BufferLifetime.h - how long an allocation is in use -----*- C++ -*-===//
#ifndef LISPIER_LIB_BUFFERS_BUFFERLIFETIME_H
#define LISPIER_LIB_BUFFERS_BUFFERLIFETIME_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace lispier {
/// The last op in the block of the allocation that uses it or what may be the same memory: views of it, and what loops,
/// branches and calls make of it. Null if the memory may be in use after the block, or cannot be followed.
mlir::Operation *lastUseOf(mlir::memref::AllocOp alloc);

/// Whether the memory is not used any more once `use`, in the allocation's block, has handed it on.
bool isHandedOnOnlyBy(mlir::memref::AllocOp alloc, mlir::OpOperand &use);

/// Whether nothing writes `memref` or hands it on. Copies of it are no such thing.
bool isOnlyRead(mlir::Value memref);

/// Whether an op that is given the memory may overwrite it: its own, as `isOwn` says of allocations, which nothing else
/// uses from then on.
bool mayOverwrite(mlir::OpOperand &given, llvm::function_ref<bool(mlir::Operation *)> isOwn);

/// Makes what `given` gives to an op its own: a copy, before the op.
void giveCopy(mlir::OpOperand &given, mlir::RewriterBase &rewriter);

/// Whether what may be the same memory as `memref`, an argument of a loop's body, is used after the iteration.
bool outlivesIteration(mlir::BlockArgument memref);
} // namespace lispier
#endif
