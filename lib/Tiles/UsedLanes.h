//===- UsedLanes.h - which elements of a tile something uses ----*- C++ -*-===//
//
// A tile may go beyond the end of the memory that it is written to. What its elements
// there are computed from is not needed, unless something else uses it.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_TILES_USEDLANES_H
#define LISPIER_TILES_USEDLANES_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Dominance.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace lispier {
/// A condition on an element of a tile, by its coordinates along `axes`.
struct LaneCondition {
  /// Bits, or with a memref indices: an unsigned one is below the size `dimension` of the memref. Null for an index
  /// that is `start` plus the coordinate along the only axis.
  mlir::Value tile;
  mlir::Value start, memref;
  unsigned dimension = 0;
  bool isNegated = false;
  llvm::SmallVector<unsigned, 4> axes; ///< One for each dimension of `tile` of more than one element.

  bool operator==(const LaneCondition &) const = default;
};

/// The elements of a tile of which all conditions of one of these lists hold: none without a list, all with an empty
/// one.
using UsedLanes = llvm::SmallVector<llvm::SmallVector<LaneCondition, 2>, 1>;

/// Which elements of each tile of a program are stored, or are computed to something that is. A reduction uses all
/// elements along the dimensions that it sums; what `arith.select` does not choose by places alone counts as unused.
class UsedLanesAnalysis {
public:
  explicit UsedLanesAnalysis(mlir::gpu::GPUFuncOp kernel);

  /// Bits of the shape of the result of `op`, a tile, made before it: of the elements that are used. Null if these are
  /// all, or cannot be told there.
  mlir::Value mask(mlir::Operation *op);

private:
  mlir::Value available(mlir::Value value, mlir::Operation *op);
  mlir::Value bits(const LaneCondition &condition, mlir::Operation *op);
  bool use(mlir::Value value, UsedLanes lanes);
  bool useOperands(mlir::Operation *op);
  bool useTransfer(mlir::Operation *op);
  bool useScattered(mlir::Operation *op);
  bool useControl(mlir::Operation *op);
  bool useReduced(mlir::vector::MultiDimReductionOp op);
  bool useFactors(mlir::vector::ContractionOp op);
  bool useElements(mlir::Operation *op);
  UsedLanes of(mlir::Value value) const { return used.lookup(value); }

  llvm::DenseMap<mlir::Value, UsedLanes> used;
  mlir::DominanceInfo dominance;
};
} // namespace lispier
#endif
