//===- TileLayout.h - where the elements of a tile are ---------*- C++ -*-===//
//
// A linear layout (Zhou et al., "Linear Layouts", Triton's LinearLayout.h): a linear
// map over GF(2) from the bits of register, lane and warp numbers to coordinates,
// given by the coordinates of each bit, its basis. The element at coordinate c is in
// register r of lane l of warp w if c is the exclusive or of the bases of all set
// bits. An element can be in several places: a zero basis means copies.
//
// Bases are powers of two, but sizes of tiles need not be: a layout describes a unit
// of the tile, which repeats along each dimension in further registers. A dimension
// of 96 is 3 units of 32.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_TILE_TILELAYOUT_H
#define LISPIER_TILE_TILELAYOUT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>
#include <string>

namespace lispier::tile {
/// One number for each dimension of a tile.
using Coordinates = llvm::SmallVector<int32_t, 4>;
/// The coordinates of bit 0, 1, ... of a number.
using Bases = llvm::SmallVector<Coordinates, 8>;

struct Layout {
  llvm::SmallVector<int64_t, 4> shape;
  Bases registers, lanes, warps;
  /// Units along each dimension; they are numbered row by row in the registers' highest digits.
  llvm::SmallVector<int64_t, 4> repeats;

  bool operator==(const Layout &) const = default;

  unsigned rank() const { return shape.size(); }
  int64_t unitSize(unsigned dimension) const { return shape[dimension] / repeats[dimension]; }
  /// Of one thread.
  unsigned numRegisters() const;
  int64_t numElements() const;

  /// What is in a register of lane 0 of warp 0. Another thread has that moved by its own coordinates: within the unit
  /// by exclusive or.
  Coordinates ofRegister(unsigned number) const;
  Coordinates ofLane(unsigned number) const { return combine(lanes, number); }
  Coordinates ofWarp(unsigned number) const { return combine(warps, number); }

  /// Which bits of the lane's (warp's) number make copies.
  uint32_t copiesInLanes() const { return zeros(lanes); }
  uint32_t copiesInWarps() const { return zeros(warps); }

  /// How many registers in a row, a power of two, hold neighbours along `dimension`: registers 0 to n - 1, and each
  /// aligned group of n after them.
  unsigned run(unsigned dimension) const;

  /// The same places for the transposed tile, whose dimension i is dimension permutation[i] of this.
  Layout transposed(llvm::ArrayRef<int64_t> permutation) const;
  /// Places for the tile without `dimension`: those of the elements with coordinate 0 along it, and in lanes and warps
  /// along it copies of them.
  Layout without(unsigned dimension) const;
  /// As `without`, but the dimension stays, with size 1.
  Layout collapsed(unsigned dimension) const;
  /// With a dimension of size 1 inserted before dimension `position`.
  Layout withUnitDimension(unsigned position) const;
  /// Of the tile with its elements, in row-major order, in another shape; nullopt unless all sizes are powers of two.
  std::optional<Layout> reshaped(llvm::ArrayRef<int64_t> newShape) const;

  /// Empty, or what is wrong: bases of other rank or outside of the unit, units that do not fit, elements in no place.
  std::string mistake() const;

private:
  Coordinates combine(const Bases &bases, unsigned number) const;
  static uint32_t zeros(const Bases &bases);
  template <typename Map> Layout mapped(Map map) const;
};

bool isZero(llvm::ArrayRef<int32_t> coordinates);

/// The register of lane 0, warp 0 with a given element: the inverse of ofRegister.
class RegisterTable {
public:
  explicit RegisterTable(const Layout &layout);
  /// Nullopt where another thread has it.
  std::optional<unsigned> find(llvm::ArrayRef<int32_t> coordinates) const;

private:
  int64_t key(llvm::ArrayRef<int32_t> coordinates) const;
  llvm::SmallVector<int64_t, 4> shape;
  llvm::DenseMap<int64_t, unsigned> table;
};

/// Makes a layout by giving out the bits of each dimension's unit, from the lowest.
class LayoutBuilder {
public:
  /// The unit has, in each dimension, the largest power of two that divides the size.
  explicit LayoutBuilder(llvm::ArrayRef<int64_t> shape);

  Layout layout;

  /// Whether a bit of the dimension's unit has not been given out.
  bool hasBits(unsigned dimension) const { return next[dimension] < layout.unitSize(dimension); }
  /// The next bit of a dimension, or a zero basis if there is none.
  Coordinates take(unsigned dimension);
  /// The first of the dimensions that has a bit; a zero basis if none has.
  Coordinates takeFirst(llvm::ArrayRef<unsigned> dimensions);
  /// Starts a dimension at a number of elements that bases which are not by `take` cover.
  void skip(unsigned dimension, int64_t elements) { next[dimension] = elements; }
  Coordinates basis(unsigned dimension, int64_t value) const;
  /// Gives all that is left to registers, the last dimensions first.
  Layout finish();

private:
  llvm::SmallVector<int64_t, 4> next;
};
} // namespace lispier::tile
#endif
