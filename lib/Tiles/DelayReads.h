//===- DelayReads.h - read fragments where products take them --*- C++ -*-===//
#ifndef LISPIER_LIB_TILES_DELAYREADS_H
#define LISPIER_LIB_TILES_DELAYREADS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace lispier {
/// In basic blocks with matrix instructions, moves each read of shared memory in a distributed kernel down to the first
/// use of what was read, past no write to that memory and no barrier.
void delayReads(mlir::gpu::GPUFuncOp kernel);
} // namespace lispier
#endif
