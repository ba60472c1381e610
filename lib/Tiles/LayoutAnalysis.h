//===- LayoutAnalysis.h - which layout each tile should have ---*- C++ -*-===//
//
// A forward analysis. Layouts begin at ops that gain most from theirs, and pass
// through the others: a value takes the strongest of those that reach it, the first
// of equals. A value that none reaches is open: it is cheap, and is made in the
// layout in which it is used.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_TILES_LAYOUTANALYSIS_H
#define LISPIER_LIB_TILES_LAYOUTANALYSIS_H

#include "CarriedValues.h"
#include "ChooseLayout.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/DenseMap.h"

namespace lispier {
struct TargetInfo;

enum class Strength { Open, Memory, Product, User };

class LayoutAnalysis {
public:
  struct Choice {
    Strength strength = Strength::Open;
    tile::Layout layout;
  };

  LayoutAnalysis(mlir::gpu::GPUFuncOp kernel, const TargetInfo &target, BlockShape block);

  const Choice &of(mlir::Value tile) { return choices[tile]; }
  bool isOpen(mlir::Value tile) { return of(tile).strength == Strength::Open; }
  /// The value's layout, or for an open one that in which memory would be accessed.
  tile::Layout layoutOrDefault(mlir::Value tile);

private:
  bool visit(mlir::Operation *op);
  Choice choose(mlir::Operation *op);
  Choice strongest(mlir::ValueRange values);
  bool raise(mlir::Value tile, const Choice &choice);
  bool closeCarriedValues(mlir::gpu::GPUFuncOp kernel);
  bool closeReductions(mlir::gpu::GPUFuncOp kernel);

  const TargetInfo &target;
  BlockShape block;
  llvm::DenseMap<mlir::Value, Choice> choices;
};
} // namespace lispier
#endif
