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
  /// Returns the number of registers of one thread.
  unsigned numRegisters() const;
  int64_t numElements() const;

  /// Returns the coordinates of the element in register `number` of lane 0 of warp 0. Lane l of warp w holds the
  /// element at these coordinates xor ofLane(l) xor ofWarp(w), computed within the unit.
  Coordinates ofRegister(unsigned number) const;
  Coordinates ofLane(unsigned number) const { return combine(lanes, number); }
  Coordinates ofWarp(unsigned number) const { return combine(warps, number); }

  /// Bit masks of the bits of a lane's (warp's) number that have a zero basis: lanes (warps) that differ only in these
  /// hold copies of the same elements.
  uint32_t copiesInLanes() const { return zeros(lanes); }
  uint32_t copiesInWarps() const { return zeros(warps); }

  /// Returns the largest power of two n such that each aligned group of n registers holds elements that are consecutive
  /// along `dimension`.
  unsigned run(unsigned dimension) const;

  /// Returns the layout of the transposed tile with each element in the same register and thread as before. Its
  /// dimension i is dimension permutation[i] of this.
  Layout transposed(llvm::ArrayRef<int64_t> permutation) const;
  /// Returns the layout of a tile without `dimension`: elements stay where those with coordinate 0 along it are, and
  /// lanes and warps that differ along it hold copies.
  Layout without(unsigned dimension) const;
  /// As `without`, but the dimension stays, with size 1.
  Layout collapsed(unsigned dimension) const;
  /// Returns the layout with a dimension of size 1 inserted before dimension `position`.
  Layout withUnitDimension(unsigned position) const;
  /// Returns the layout of the tile reshaped in row-major order, with each element in the same register and thread;
  /// nullopt unless all sizes are powers of two and the layout is one unit.
  std::optional<Layout> reshaped(llvm::ArrayRef<int64_t> newShape) const;

  /// Returns what is wrong with the layout: bases of other rank or outside of the unit, units that do not fit, elements
  /// in no register. Empty if it is valid.
  std::string mistake() const;

private:
  Coordinates combine(const Bases &bases, unsigned number) const;
  static uint32_t zeros(const Bases &bases);
  template <typename Map> Layout mapped(Map map) const;
};

bool isZero(llvm::ArrayRef<int32_t> coordinates);

/// Maps elements to the registers of lane 0 of warp 0 that hold them: the inverse of ofRegister.
class RegisterTable {
public:
  explicit RegisterTable(const Layout &layout);
  /// Nullopt if only other threads hold the element.
  std::optional<unsigned> find(llvm::ArrayRef<int32_t> coordinates) const;

private:
  int64_t key(llvm::ArrayRef<int32_t> coordinates) const;
  llvm::SmallVector<int64_t, 4> shape;
  llvm::DenseMap<int64_t, unsigned> table;
};

/// Makes a layout by assigning the bits of each dimension's unit, from the lowest, to registers, lanes and warps.
class LayoutBuilder {
public:
  /// The unit has, in each dimension, the largest power of two that divides the size.
  explicit LayoutBuilder(llvm::ArrayRef<int64_t> shape);

  /// What has been assigned so far; the caller appends the bases that it takes to registers, lanes or warps.
  Layout layout;

  /// Whether a bit of the dimension's unit is not assigned yet.
  bool hasBits(unsigned dimension) const { return next[dimension] < layout.unitSize(dimension); }
  /// Returns the basis of the next bit of a dimension; a zero basis if all are assigned.
  Coordinates take(unsigned dimension);
  /// As `take`, of the first of the dimensions that has a bit left; a zero basis if none has.
  Coordinates takeFirst(llvm::ArrayRef<unsigned> dimensions);
  /// Marks the first `elements` of a dimension, a power of two, as covered by bases that the caller has set itself.
  void skip(unsigned dimension, int64_t elements) { next[dimension] = elements; }
  /// Returns the coordinates with `value` along `dimension` and 0 elsewhere.
  Coordinates basis(unsigned dimension, int64_t value) const;
  /// Assigns all bits that are left to registers, the last dimensions first, and returns the layout.
  Layout finish();

private:
  llvm::SmallVector<int64_t, 4> next;
};
} // namespace lispier::tile
#endif
