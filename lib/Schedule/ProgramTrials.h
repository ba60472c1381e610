//===- ProgramTrials.h - whether a block can run a program -----*- C++ -*-===//
#ifndef LISPIER_LIB_SCHEDULE_PROGRAMTRIALS_H
#define LISPIER_LIB_SCHEDULE_PROGRAMTRIALS_H

#include "lispier/Device/DistinctFunctions.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace lispier::tensors {
/// The module of the programs of groups.
inline constexpr llvm::StringLiteral kGroupsModule = "groups";

/// Tells whether a block can run a program. Functions that are compiled for several types or options have most programs
/// in common, so that equal ones are tried once.
class ProgramTrials {
public:
  /// `passes`: whether no pass refuses the programs of a module inside of `whole`, which has the target.
  ProgramTrials(mlir::ModuleOp whole, llvm::function_ref<bool(mlir::ModuleOp)> passes) : whole(whole), passes(passes) {}

  /// `launches`: whether it is one that only has its ring where it is launched.
  bool fits(mlir::gpu::GPUFuncOp program, bool launches);

private:
  static void addLaunch(mlir::OpBuilder &b, mlir::gpu::GPUFuncOp program);

  mlir::ModuleOp whole;
  llvm::function_ref<bool(mlir::ModuleOp)> passes;
  std::vector<mlir::OwningOpRef<mlir::gpu::GPUFuncOp>> tried;
  DistinctFunctions seen; ///< In `tried`.
  llvm::DenseMap<mlir::Operation *, bool> verdicts;
};
} // namespace lispier::tensors
#endif
