//===- SharedPlaces.h - where a tile lies in a block's memory --*- C++ -*-===//
//
// A linear map again: from the bits of a coordinate to an element's number. Rows
// longer than 128 bytes are cut into blocks of columns of that width. Rows change the
// order of their chunks, so that threads that access a column do not all access the
// same bank; chunks of 16 bytes are where NVIDIA's 128-byte swizzle has them. Units of a tile whose size is no power of
// two follow each other.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_TILES_SHAREDPLACES_H
#define LISPIER_LIB_TILES_SHAREDPLACES_H

#include "Distribution.h"

namespace lispier {
class SharedPlaces {
public:
  /// Rows lie along dimension `inner`; `chunk` elements, a power of two, stay together. Nothing changes places if that
  /// is at least a row.
  SharedPlaces(llvm::ArrayRef<int64_t> shape, unsigned inner, int64_t chunk, int64_t elementBytes);

  int64_t numElements() const { return units * unitElements; }
  /// Of an element.
  int64_t place(llvm::ArrayRef<int32_t> coordinates) const;
  /// How many registers of a layout in a row hold neighbours, up to 16 bytes of them.
  int64_t run(const tile::Layout &layout) const;

  /// The places of one thread's registers.
  class OfThread {
  public:
    /// `base`, of type i32, is added; null is 0.
    OfThread(Distribution &d, const SharedPlaces &places, const tile::Layout &layout, mlir::Value base = nullptr);
    mlir::Value operator[](unsigned number);

  private:
    Distribution &d;
    const SharedPlaces &places;
    const tile::Layout &layout;
    mlir::Value base, thread;
    int64_t reachable = 0;
  };

private:
  int64_t inUnit(llvm::ArrayRef<int32_t> coordinates) const;
  int64_t unitOf(llvm::ArrayRef<int32_t> coordinates) const;

  llvm::SmallVector<int64_t, 4> shape, unit;
  unsigned inner;
  int64_t chunk, elementBytes, units = 1, unitElements = 1;
};

/// Stores what a thread has of a tile `base` elements (i32, or null) into `memory`; of threads with copies the first
/// does.
void storeShared(Distribution &d, mlir::Value registers, const tile::Layout &layout, mlir::Value memory,
                 const SharedPlaces &places, mlir::Value base = nullptr);
/// Whether a tile in `layout` can be loaded as matrices of 8 x 8 elements, if 16 bytes of a row stay together.
bool isLoadedAsMatrices(Distribution &d, const tile::Layout &layout, unsigned inner, int64_t elementBytes);
/// Loads what a thread has of a tile that lies `base` elements into `memory`.
mlir::Value loadShared(Distribution &d, const tile::Layout &layout, mlir::Value memory, const SharedPlaces &places,
                       mlir::Value base = nullptr);
} // namespace lispier
#endif
