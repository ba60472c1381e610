//===- DelayWaits.h - wait for products where sums are used ----*- C++ -*-===//
#ifndef LISPIER_LIB_TILES_DELAYWAITS_H
#define LISPIER_LIB_TILES_DELAYWAITS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace lispier {
/// Moves each tile.warpgroup_wait of a distributed kernel down its block to the first use of its sums, past what does
/// not depend on them, and lets the groups begun in between stay in flight.
void delayWaits(mlir::gpu::GPUFuncOp kernel);
} // namespace lispier
#endif
