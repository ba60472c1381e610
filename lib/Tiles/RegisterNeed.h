//===- RegisterNeed.h - how many registers a thread's tiles take -*- C++ -*-===//
#ifndef LISPIER_LIB_TILES_REGISTERNEED_H
#define LISPIER_LIB_TILES_REGISTERNEED_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace lispier {
/// Where the tiles of a program take most registers of a thread.
struct RegisterNeed {
  int64_t registers = 0;         ///< Of 32 bits.
  mlir::Operation *at = nullptr; ///< Null if no tile is ever kept.
  mlir::Value largest;           ///< Of the tiles that are kept there.
};

/// An estimate from below for a tile program with layouts: of the tiles that are used after an op that needs a whole
/// tile, such as a reduction, a product or a loop. A tile whose elements are used one after the other is never in
/// registers as a whole, and what can be computed again, or read again from the memory of the block, need not be.
RegisterNeed registerNeed(mlir::gpu::GPUFuncOp kernel);

/// The tile that takes most registers of those that are read from or written to the memory of the device. A thread's
/// part of it need not be in registers as a whole, but its accesses are unrolled.
RegisterNeed largestAccess(mlir::gpu::GPUFuncOp kernel);
} // namespace lispier
#endif
