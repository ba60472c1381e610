//===- LowerTileAccesses.h - tiles from memory and to memory ---*- C++ -*-===//
#ifndef LISPIER_TILES_LOWERTILEACCESSES_H
#define LISPIER_TILES_LOWERTILEACCESSES_H

#include "TileLoops.h"

namespace lispier::tiles {
/// Lowers an op that reads a tile from memory, or writes one. Returns nothing for any other op. `readInPlace`: tiles
/// may be views of the memory that they are read from.
std::optional<llvm::LogicalResult> lowerTileAccess(mlir::Operation *op, TileLoops &tiles, bool readInPlace);
} // namespace lispier::tiles
#endif
