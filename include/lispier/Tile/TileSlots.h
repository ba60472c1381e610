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
/// Unit attribute of a program that is launched in the first branch of an scf.if, of which the second one is right for
/// the same memory: where memory is not aligned, that one is taken.
inline constexpr llvm::StringLiteral kAlignedAlone = "tile.aligned_alone";
/// Unit attribute of a program without `ring`: it may have one, where its products are known to be faster by it.
inline constexpr llvm::StringLiteral kRingAllowed = "tile.ring_allowed";
/// Elements of the sums of such products, at least. H200, 4096 x 4096 x 4096, without and by a ring: 128 x 256: 215 and
/// 180 us, 128 x 192: 268 and 211. Of smaller tiles a multiprocessor has several blocks at a time without one.
inline constexpr int64_t kLeastOfRing = 128 * 192;
} // namespace lispier::tile
#endif
