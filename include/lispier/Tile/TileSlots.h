//===- TileSlots.h - tiles in the memory of a block ------------*- C++ -*-===//
#ifndef LISPIER_TILE_TILESLOTS_H
#define LISPIER_TILE_TILESLOTS_H

#include "llvm/ADT/StringRef.h"

namespace lispier::tile {
/// On a thread's store to the slot of a later step of a pipelined loop, which has been moved behind this step's
/// products: what generates code leaves it there, since it waits for memory.
inline constexpr llvm::StringLiteral kToSlot = "tile.to_slot";
/// On a tile program: tiles of a row that several loops read are read once, and kept in shared memory.
inline constexpr llvm::StringLiteral kKeepsRows = "tile.keeps_rows";
} // namespace lispier::tile
#endif
