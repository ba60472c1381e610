//===- SharedSlot.h - slots of pipelined loops -----------------*- C++ -*-===//
#ifndef LISPIER_LIB_TILES_SHAREDSLOT_H
#define LISPIER_LIB_TILES_SHAREDSLOT_H

#include "SharedPlaces.h"

namespace lispier {
struct TargetInfo;

/// Where the elements of a tile are in its slot: in chunks of 16 bytes of a row, which suit every access that reads it.
SharedPlaces placesInSlot(llvm::ArrayRef<int64_t> shape, int64_t elementBytes);

/// Whether the memory has a row that is kept (KeepRows.cpp), one dimension in which tiles may begin anywhere.
bool isKeptRow(mlir::Value slots);

/// Whether slots hold their tiles, of 16 bits, transposed: all that reads them are matrix instructions that want
/// neighbours along the first dimension, on a target that cannot read these from rows of the last one. A thread then
/// transposes what it copies in its registers.
bool areTurned(mlir::Value slots, const TargetInfo &target);
/// As placesInSlot, of such slots.
SharedPlaces placesInTurnedSlot(llvm::ArrayRef<int64_t> shape, int64_t elementBytes);
/// What a thread reads of memory for them, in accesses of up to `vector` neighbours: up to 8 neighbours along both
/// dimensions.
tile::Layout layoutForTurnedSlot(llvm::ArrayRef<int64_t> shape, int64_t vector, BlockShape block);
/// The same registers, in the order in which the slot has them.
tile::Layout inTurnedOrder(const tile::Layout &layout);

/// Slot number `indices[0]` of `slots`, a memref whose first dimension is that of the slots; each has `elements`
/// elements. Of a row that is kept, what begins at `indices[0]`.
struct TileSlot {
  TileSlot(Distribution &d, mlir::Value slots, mlir::ValueRange indices, int64_t elements);

  mlir::Value memory; ///< All slots, in one dimension.
  mlir::Value begin;  ///< The first element, an i32.
};
} // namespace lispier
#endif
