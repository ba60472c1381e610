//===- LayoutAnalysis.h - which layout each tile should have ---*- C++ -*-===//
//
// A forward analysis. Layouts begin at reads of global memory, gathers, scans,
// products and explicit layouts, and pass through the other ops: a value takes the
// strongest of those that reach it, the first of equals. A value that none reaches
// is open: it is cheap, and is made in the layout in which it is used. Carried
// values and reductions cannot be made where they are used: those still open at the
// end get the layout of memory, and the analysis goes on from there. One step goes
// backward: what is computed only to be combined with a product takes its layout.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_TILES_LAYOUTANALYSIS_H
#define LISPIER_LIB_TILES_LAYOUTANALYSIS_H

#include "CarriedValues.h"
#include "ChooseLayout.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include <map>

namespace lispier {
struct TargetInfo;

/// Why a value has its layout; the later wins. Open: nothing is decided, and the layout is unset. Memory: what is read,
/// gathered or scanned. Product: results of vector.contract. User: a layout attribute or tile.convert.
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
  /// The value's layout, or for an open one that for memory, with 16 bytes of neighbours for each thread.
  tile::Layout layoutOrDefault(mlir::Value tile);

private:
  // These return whether a choice changed; close... decides the first open value only.
  bool visit(mlir::Operation *op);
  bool raise(mlir::Value tile, const Choice &choice);
  bool closeCarriedValues(mlir::gpu::GPUFuncOp kernel);
  bool closeReductions(mlir::gpu::GPUFuncOp kernel);
  bool raiseOperands(mlir::gpu::GPUFuncOp kernel);
  llvm::SetVector<mlir::Operation *> makersFor(mlir::Value tile, const tile::Layout &layout);
  void findLeastVectors(mlir::gpu::GPUFuncOp kernel);
  Choice choose(mlir::Operation *op);
  Choice strongest(mlir::ValueRange values);

  const TargetInfo &target;
  BlockShape block;
  llvm::DenseMap<mlir::Value, Choice> choices;
  std::map<llvm::SmallVector<int64_t>, int64_t> leastVectors; ///< By the shapes of tiles.
};
} // namespace lispier
#endif
