//===- ChooseLayout.h - layouts that suit memory ---------------*- C++ -*-===//
#ifndef LISPIER_LIB_TILES_CHOOSELAYOUT_H
#define LISPIER_LIB_TILES_CHOOSELAYOUT_H

#include "lispier/Tile/TileLayout.h"

namespace lispier {
/// The threads that share a tile; both are powers of two.
struct BlockShape {
  unsigned lanes, warps;
};

/// The last dimension is contiguous in memory: at most `vector` neighbours in a thread, neighbouring vectors in
/// neighbouring lanes, and warps along the first dimensions, so that a row is in as few warps as may be.
tile::Layout memoryLayout(llvm::ArrayRef<int64_t> shape, int64_t vector, BlockShape block);

/// Bytes in a row that one access of a warp touches: runs in registers, and lanes that continue them.
int64_t contiguousBytes(const tile::Layout &layout, int64_t elementBytes, int64_t vector);

/// How many threads have the same element.
int64_t copies(const tile::Layout &layout);
} // namespace lispier
#endif
