//===- SharedSlot.h - slots of pipelined loops -----------------*- C++ -*-===//
#ifndef LISPIER_LIB_TILES_SHAREDSLOT_H
#define LISPIER_LIB_TILES_SHAREDSLOT_H

#include "SharedPlaces.h"

namespace lispier {
/// Of a tile in a slot: rows keep 16 bytes in one part, for any access that will read them.
SharedPlaces placesInSlot(llvm::ArrayRef<int64_t> shape, int64_t elementBytes);

/// The slot of `slots`, a memref of slots, that `indices` begin with.
struct TileSlot {
  TileSlot(Distribution &d, mlir::Value slots, mlir::ValueRange indices, int64_t elements);

  mlir::Value memory; ///< All slots, in one dimension.
  mlir::Value begin;  ///< The first element, an i32.
};
} // namespace lispier
#endif
