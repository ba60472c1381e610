//===- SharedPlaces.h - where a tile lies in shared memory -----*- C++ -*-===//
//
// Like a layout (TileLayout.h), a linear map over bits: from a coordinate to the position of the
// element in memory. Rows longer than 128 bytes are cut into blocks of columns of that
// width. In each row the chunks are permuted (position xor row), so that threads that
// access a column access different banks; with chunks of 16 bytes this is NVIDIA's
// 128-byte swizzle. Shorter rows are permuted together, as many as have 128 bytes, so
// that threads that access every fourth or eighth row do so, too. A tile whose sizes
// are not powers of two consists of units whose sizes are; units follow each other in
// memory.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_TILES_SHAREDPLACES_H
#define LISPIER_LIB_TILES_SHAREDPLACES_H

#include "Distribution.h"

namespace lispier {
class SharedPlaces {
public:
  /// Rows lie along dimension `inner`; `chunk` elements, a power of two, stay together. If a chunk is a whole row or
  /// more, nothing is permuted. `apart`: threads access rows that are 4 or 8 apart, also where a row is a line.
  SharedPlaces(llvm::ArrayRef<int64_t> shape, unsigned inner, int64_t chunk, int64_t elementBytes, bool apart = false);

  int64_t numElements() const { return units * unitElements; }
  /// Returns the position of an element, in elements from the tile's start.
  int64_t place(llvm::ArrayRef<int32_t> coordinates) const;
  /// Returns how many consecutive registers of a thread hold elements that are consecutive in memory, at most 16 bytes:
  /// the width of its vector accesses.
  int64_t run(const tile::Layout &layout) const;

  /// The positions of the elements in the executing thread's registers, as index values.
  class OfThread {
  public:
    /// `base`, of type i32, is added to each position; null means 0.
    OfThread(Distribution &d, const SharedPlaces &places, const tile::Layout &layout, mlir::Value base = nullptr);
    /// Emits the position of register `number`.
    mlir::Value operator[](unsigned number);

  private:
    Distribution &d;
    const SharedPlaces &places;
    const tile::Layout &layout;
    mlir::Value base, thread;
    int64_t reachable = 0; ///< The bits of a position that depend on the thread.
  };

private:
  int64_t inUnit(llvm::ArrayRef<int32_t> coordinates) const;
  int64_t unitOf(llvm::ArrayRef<int32_t> coordinates) const;

  llvm::SmallVector<int64_t, 4> shape, unit;
  unsigned inner;
  int64_t chunk, elementBytes, units = 1, unitElements = 1;
  bool apart;
};

/// Stores a tile's elements that the thread holds in `registers` to `memory`, whose first `base` elements (i32; null
/// means 0) are skipped. Where several threads hold the same element, the first stores it.
void storeShared(Distribution &d, mlir::Value registers, const tile::Layout &layout, mlir::Value memory,
                 const SharedPlaces &places, mlir::Value base = nullptr);
/// Whether a tile in `layout` can be loaded by instructions for matrices of 8 x 8 elements (`ldmatrix`), given chunks
/// of 16 bytes.
bool isLoadedAsMatrices(Distribution &d, const tile::Layout &layout, unsigned inner, int64_t elementBytes);
/// Loads a tile from `memory`, skipping `base` elements, and returns the registers of the executing thread.
mlir::Value loadShared(Distribution &d, const tile::Layout &layout, mlir::Value memory, const SharedPlaces &places,
                       mlir::Value base = nullptr);
} // namespace lispier
#endif
