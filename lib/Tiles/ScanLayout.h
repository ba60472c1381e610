//===- ScanLayout.h - where a dimension of a scan lies ---------*- C++ -*-===//
#ifndef LISPIER_LIB_TILES_SCANLAYOUT_H
#define LISPIER_LIB_TILES_SCANLAYOUT_H

#include "ChooseLayout.h"
#include <optional>

namespace lispier {
/// A bit of an element's coordinate along a dimension, within a unit (TileLayout.h).
struct ScannedBit {
  int64_t value;
  enum Where { Register, Lane, Warp } where;
  unsigned number; ///< Of the bit, in the register's, the lane's or the warp's number.
};

/// The bits of `dimension`, the lowest first; meaningful where isScanned.
llvm::SmallVector<ScannedBit> scannedBits(const tile::Layout &layout, unsigned dimension);

/// Whether each bit of the coordinates along `dimension` is one bit of the number of a register, a lane or a warp.
bool isScanned(const tile::Layout &layout, unsigned dimension);
} // namespace lispier
#endif
