//===- PersistentTiles.h - one tile after the other ------------*- C++ -*-===//
//
// A program with a ring computes one tile of its result after the other, in as many
// blocks as run at the same time.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_TILES_PERSISTENTTILES_H
#define LISPIER_LIB_TILES_PERSISTENTTILES_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace lispier {
struct TargetInfo;

class PersistentTiles {
public:
  PersistentTiles(mlir::ImplicitLocOpBuilder &b, mlir::gpu::GPUFuncOp kernel, const TargetInfo &target,
                  llvm::ArrayRef<mlir::gpu::LaunchFuncOp> launches)
      : b(b), kernel(kernel), target(target), launches(launches) {}

  /// Whether the launches have a grid that can be a parameter.
  bool fits();
  /// The grid as the program knows it: parameters, but for dimensions in which all launches have one block, or, if they
  /// are wanted as constants, the same known number. Launches get as many blocks as run at the same time.
  void addGridSizes(bool asConstants);
  /// A loop over the blocks of the grid as it was, with `mapping` of what the program, `ops`, asks about its own.
  /// `body` makes what is done for one, from the numbers of the next fills on, which are 0 first, and returns the
  /// numbers behind it.
  using Body = llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange)>;
  void makeLoop(llvm::ArrayRef<mlir::Operation *> ops, unsigned numbers, mlir::IRMapping &mapping, Body body);

private:
  std::array<mlir::Value, 3> idsOf(mlir::Value tile);
  mlir::Value index(int64_t value);
  mlir::Value numberOfBlocks();

  mlir::ImplicitLocOpBuilder &b;
  mlir::gpu::GPUFuncOp kernel;
  const TargetInfo &target;
  llvm::ArrayRef<mlir::gpu::LaunchFuncOp> launches;
  mlir::Value gridSizes[3];
  bool areConstants = false; ///< If they are known.
};
} // namespace lispier
#endif
