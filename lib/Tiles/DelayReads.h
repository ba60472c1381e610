//===- DelayReads.h - read slots where factors are used --------*- C++ -*-===//
#ifndef LISPIER_LIB_TILES_DELAYREADS_H
#define LISPIER_LIB_TILES_DELAYREADS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace lispier {
/// In blocks with matrix instructions, moves each read of a block's memory in a distributed kernel down to the first
/// use of what was read, past no write to that memory and no barrier.
void delayReads(mlir::gpu::GPUFuncOp kernel);
} // namespace lispier
#endif
