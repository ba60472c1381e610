//===- RingSlots.h - what a slot of a ring can hold ------------*- C++ -*-===//
#ifndef LISPIER_LIB_TILES_RINGSLOTS_H
#define LISPIER_LIB_TILES_RINGSLOTS_H

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace lispier {
/// Of a slot's row, the period of its swizzle, and so the alignment of a slot.
inline constexpr int64_t kSlotRowBytes = 128, kSlotAlignment = 1024;
inline constexpr int64_t kMostBoxRows = 256; ///< Of a copy by a tensor map.
/// Rows of a product of four warps, and columns of 16 bits of a row of a slot.
inline constexpr int64_t kSlotPart = 64;
/// Of loops that compute between products, and of results that go through memory of the block.
inline constexpr int64_t kSlotElementBytes = 2;

/// Whether a copy by a tensor map can bring what is read to a slot, and products alone read it, as a factor.
bool fitsSlot(mlir::vector::TransferReadOp read);
/// Whether this many warps, four at a time, can multiply the product's factors from slots, or its first one from
/// registers.
bool multipliesFromSlots(mlir::vector::ContractionOp product, int64_t warps);
/// Reads the tile of fill `number` from `slots`, of which there are `stages`. `isAgain`: the slot's address is not kept
/// in registers from before (tile.again).
mlir::Value readSlot(mlir::ImplicitLocOpBuilder &b, mlir::VectorType tile, mlir::Value slots, mlir::Value number,
                     int64_t stages, bool isAgain = false);
} // namespace lispier
#endif
