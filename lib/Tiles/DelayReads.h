//===- DelayReads.h - read fragments where products take them --*- C++ -*-===//
#ifndef LISPIER_LIB_TILES_DELAYREADS_H
#define LISPIER_LIB_TILES_DELAYREADS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace lispier {
/// In basic blocks with matrix instructions, moves each read of shared memory in a distributed kernel down to the first
/// use of what was read, past no write to that memory and no barrier.
/// Also moves what is computed in parts behind a loop of products of warp groups to where it is used.
void delayReads(mlir::gpu::GPUFuncOp kernel);

/// Whether the op is among many on tiles that follow such a loop: all of a thread's elements of each would be in
/// registers together, beside its sums.
bool isComputedInParts(mlir::Operation *op);
} // namespace lispier
#endif
