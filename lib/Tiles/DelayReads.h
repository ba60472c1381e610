//===- DelayReads.h - read slots where factors are used --------*- C++ -*-===//
#ifndef LISPIER_LIB_TILES_DELAYREADS_H
#define LISPIER_LIB_TILES_DELAYREADS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace lispier {
/// Moves each read of a block's memory in a distributed kernel with matrix instructions down its block to the first use
/// of what was read, past no write to that memory and no barrier.
void delayReads(mlir::gpu::GPUFuncOp kernel);
} // namespace lispier
#endif
