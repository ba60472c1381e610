//===- TileUses.h - which tiles are stored, and who reads them -*- C++ -*-===//
//
// On a CPU, a tile is either stored in a buffer, or its elements are computed
// where they are used. This decides which, before anything is lowered.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_TILES_TILEUSES_H
#define LISPIER_TILES_TILEUSES_H

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/DenseSet.h"

namespace lispier::tiles {
/// For each dimension of a tile, the loop whose index is the element's; kOnly where the dimension has one element.
using Axes = llvm::SmallVector<int, 4>;
inline constexpr int kOnly = -1;

inline mlir::VectorType tileType(mlir::Value value) { return llvm::dyn_cast<mlir::VectorType>(value.getType()); }

/// The axes of a tile whose dimensions of more than one element are the loops 0, 1, ...
Axes identityAxes(mlir::VectorType type);

/// Sizes without those that are one.
llvm::SmallVector<int64_t> properSizes(llvm::ArrayRef<int64_t> sizes);

/// Whether each element of the op's result is a function of at most one element of each of its operands, at the same
/// axes but for a permutation and kOnly: splats, broadcasts and transpositions are, other constants and reshapes are
/// not.
bool isElementwise(mlir::Operation *op);

/// Whether the op gives a tile other dimensions, those of one element not counted, in the same order in memory.
bool isReshape(mlir::Operation *op);

/// The operands of an elementwise op that are tiles, each with the axes of the element that the result's element at
/// `axes` is computed from.
llvm::SmallVector<std::pair<mlir::Value, Axes>, 4> operandsAt(mlir::Operation *op, const Axes &axes);

/// Calls `see` for each tile that an element of `tile` is computed from and that `isSource` accepts, with the element's
/// axes there. Tiles that it does not accept are results of elementwise ops.
void forEachSource(mlir::Value tile, const Axes &axes, llvm::function_ref<bool(mlir::Value)> isSource,
                   llvm::function_ref<void(mlir::Value, const Axes &)> see);

class TileUses {
public:
  explicit TileUses(mlir::Operation *function);

  /// Whether the tile has memory. The others are results of elementwise ops.
  bool isStored(mlir::Value tile) const { return !computed.contains(tile); }

  /// Whether an op reads the tile's memory as it is, rather than element by element.
  static bool needsBuffer(mlir::Value tile);

  /// The memrefs that the program writes, if each is a parameter; nothing if that is not known.
  const std::optional<llvm::SmallVector<mlir::Value>> &written() const { return writes; }

  /// Calls `see` for each op that reads elements of the tile, itself, as part of a tile that is not stored, or through
  /// reshapes, which are no readers themselves.
  void forEachReader(mlir::Value tile, llvm::function_ref<void(mlir::Operation *)> see) const;

private:
  int64_t costOf(mlir::Operation *op) const;
  bool isWorthMemory(mlir::Operation *op, int64_t cost) const;

  std::optional<llvm::SmallVector<mlir::Value>> findWritten(mlir::Operation *function) const;

  llvm::DenseSet<mlir::Value> computed;
  std::optional<llvm::SmallVector<mlir::Value>> writes;
  llvm::DenseMap<mlir::Value, int64_t> costs; ///< Of an element of each computed tile.
};
} // namespace lispier::tiles
#endif
