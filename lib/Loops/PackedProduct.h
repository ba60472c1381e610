//===- PackedProduct.h - a product of matrices in blocks -------*- C++ -*-===//
#ifndef LISPIER_LIB_LOOPS_PACKEDPRODUCT_H
#define LISPIER_LIB_LOOPS_PACKEDPRODUCT_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace lispier {
/// out[.., m, n] += left[.., m, k] * right[.., k, n], with each operand's dimensions in any order; of the last two,
/// each operand is contiguous along one, and the result along n.
struct PackedProduct {
  mlir::linalg::LinalgOp op;
  mlir::Value left, right, out;
  llvm::SmallVector<unsigned> batch;
  unsigned m, n, k;
  /// Of windows, as of a convolution: the summed dimensions in the left factor's order, which together are k. The left
  /// factor is then [m, all of them], and the right one is read at its map's places.
  llvm::SmallVector<unsigned> reduced = {};
  bool inPairs = false;  ///< BF16 factors, multiplied two at a time by vdpbf16ps.
  bool inTiles = false;  ///< Such pairs, multiplied by AMX; rows of tiles are 32.
  bool inThread = false; ///< One thread computes it, beside others.
  int64_t lanes;         ///< Of a vector of sums.
  int64_t tileRows;      ///< Of a tile of sums, which is two vectors wide.

  bool isOfWindows() const { return !reduced.empty(); }
  mlir::AffineMap map(mlir::Value operand) const;
  /// Whether the operand is contiguous along `dimension`.
  bool isAlong(mlir::Value operand, unsigned dimension) const;
};

/// Emits the product as parallel blocks of the result, or as a loop over them in a thread. A block walks k in slices,
/// and copies the slices of both factors to buffers on the stack, where rows do not compete for the same lines of the
/// cache and pairs are adjacent.
void emitPackedProduct(mlir::OpBuilder &builder, const PackedProduct &product);

/// Emits the product, which is `inTiles` and of many rows, in two steps of parallel blocks: the first copies the right
/// factor once, as pairs in panels of slices, to memory that the program allocates, and the second multiplies.
void emitSharedProduct(mlir::OpBuilder &builder, const PackedProduct &product);

/// Emits the product of a few rows as parallel ranges of columns. Each walks k a few rows of the right factor at a
/// time, which are read side by side and in order, and adds to sums in the cache; the right factor has contiguous rows.
void emitStreamedProduct(mlir::OpBuilder &builder, const PackedProduct &product);
} // namespace lispier
#endif
