//===- PlacementAnalysis.h - placements along one axis ----------*- C++ -*-===//
#ifndef LISPIER_LIB_TENSOR_PLACEMENTS_PLACEMENTANALYSIS_H
#define LISPIER_LIB_TENSOR_PLACEMENTS_PLACEMENTANALYSIS_H

#include "Placement.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace mlir::linalg {
class LinalgOp;
} // namespace mlir::linalg

namespace lispier {
namespace comm {
class SettleOp;
} // namespace comm
namespace group {
class AttentionOp;
} // namespace group
namespace nn {
class AddAtOp;
} // namespace nn

/// Infers the placements of all values of a program along one axis of its mesh, forward from where they are made, and
/// checks the uses. Memory has one placement, that of all that is stored in it.
class PlacementAnalysis {
public:
  PlacementAnalysis(mlir::ModuleOp module, llvm::StringRef axis) : module(module), symbols(module), axis(axis) {}
  /// Infers until nothing changes, then reports the first error.
  mlir::LogicalResult run(mlir::func::FuncOp main);
  Placement of(mlir::Value value) const;

private:
  void visitFunction(mlir::func::FuncOp function);
  void visitBlock(mlir::Block &block);
  void visit(mlir::Operation *op);
  void visitLinalg(mlir::linalg::LinalgOp op);
  uint64_t equalAlong(mlir::linalg::LinalgOp op, mlir::OpOperand &init) const;
  void visitAttention(group::AttentionOp op);
  void visitAddAt(nn::AddAtOp op);
  void visitCollective(mlir::Operation *op);
  void visitSettle(comm::SettleOp settle);
  void visitRegions(mlir::Operation *op);
  bool visitShape(mlir::Operation *op);
  bool visitMemory(mlir::Operation *op);
  void visitCall(mlir::func::CallOp call);
  void visitOther(mlir::Operation *op);
  std::optional<Placement> ofBody(mlir::linalg::LinalgOp op);
  std::optional<Placement> combined(mlir::Operation *op, llvm::ArrayRef<Placement> operands);
  std::optional<Placement> placedAlike(mlir::Operation *op, llvm::ArrayRef<Placement> operands);

  void set(mlir::Value value, Placement placement);
  void setAll(mlir::Operation *op, Placement placement);
  /// Reports it in the last walk, and takes `own` for the results.
  std::optional<mlir::InFlightDiagnostic> fail(mlir::Operation *op, const llvm::Twine &message);
  void refusePartial(mlir::Operation *op, const Placement &operand);
  bool goesOver(mlir::Operation *op) const;
  bool hasCollective(mlir::Operation *op) const;
  bool hasCollective(mlir::Operation *op, llvm::SmallPtrSetImpl<mlir::Operation *> &seen) const;
  mlir::Value memoryOf(mlir::Value memref) const;
  Placement made(mlir::Operation *op, Placement::Kind kind, int64_t dimension = 0) const {
    return Placement(kind, op->getLoc(), dimension);
  }

  mlir::ModuleOp module;
  mlir::SymbolTable symbols;
  llvm::StringRef axis;
  llvm::DenseMap<mlir::Value, Placement> placements; ///< Of memory by what it was allocated as.
  llvm::DenseSet<mlir::Operation *> active;          ///< Functions that are being visited.
  bool changed = false, reports = false, failed = false;
};
} // namespace lispier
#endif
