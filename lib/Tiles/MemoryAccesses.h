//===- MemoryAccesses.h - one thread's part of a transfer ------*- C++ -*-===//
#ifndef LISPIER_LIB_TILES_MEMORYACCESSES_H
#define LISPIER_LIB_TILES_MEMORYACCESSES_H

#include "Distribution.h"

namespace lispier {
/// One thread's accesses of a tile in global memory: vectors of neighbouring registers, as long as the layout and the
/// address allow. Which dimensions are compared with the memref's follows from `in_bounds` and the mask.
class MemoryAccesses {
public:
  /// `transfer` is an op of the tile program, `layout` that of its tile, which lives as long as this.
  MemoryAccesses(Distribution &d, mlir::VectorTransferOpInterface transfer, const tile::Layout &layout);

  /// How many neighbours an access has.
  int64_t width() const { return vector; }
  /// How many accesses a thread makes.
  unsigned count() const { return layout.numRegisters() / vector; }
  /// Whether an access may be outside of the memref, and so needs a test.
  bool isChecked() const { return !checked.empty(); }
  /// Whether code for tiles that are inside, without a test for each access, is not worth its size: where it would run
  /// once in a block, of a kernel for rows that are not aligned.
  bool isRare() const { return rare; }

  /// An i1, whether no element of the tile lies outside: the same in all threads; null if that needs no test.
  mlir::Value isTileInside();
  /// An i1, whether access number `i` is inside; null if that needs no test.
  mlir::Value isInside(unsigned i);

  mlir::Value memref() const { return memory; }
  /// Where access number `i` begins.
  llvm::SmallVector<mlir::Value> indices(unsigned i);
  /// An element, or a vector of several.
  mlir::Value load(unsigned i);
  void store(unsigned i, mlir::Value value);
  /// One element of an access of several.
  void storeOne(unsigned i, unsigned element, mlir::Value value);

  /// Call this before generating another branch, which the tests made so far do not dominate.
  void forgetTests() { tests.clear(); }

private:
  mlir::Value size(unsigned dimension);
  mlir::Value index(unsigned dimension, int32_t place);

  Distribution &d;
  const tile::Layout &layout;
  mlir::Value memory;
  llvm::SmallVector<mlir::Value> start, at;
  size_t leading; ///< Dimensions of the memref that are none of the tile.
  llvm::SmallVector<unsigned> checked;
  int64_t vector;
  bool rare;
  llvm::DenseMap<std::pair<unsigned, int32_t>, mlir::Value> tests;
};
} // namespace lispier
#endif
