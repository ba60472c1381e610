//===- PlacementAnalysis.h - placements along one axis ----------*- C++ -*-===//
#ifndef LISPIER_LIB_TENSOR_PLACEMENTS_PLACEMENTANALYSIS_H
#define LISPIER_LIB_TENSOR_PLACEMENTS_PLACEMENTANALYSIS_H

#include "Placement.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
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
/// checks the uses. Memory has, at each place of the program, that of what has been stored in it there.
class PlacementAnalysis {
public:
  PlacementAnalysis(mlir::ModuleOp module, llvm::StringRef axis) : module(module), symbols(module), axis(axis) {}
  /// Infers until nothing changes, then reports the first error.
  mlir::LogicalResult run(mlir::func::FuncOp main);
  Placement of(mlir::Value value) const;
  bool goesOver(mlir::Operation *op) const;

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
  void visitBodies(mlir::Operation *op);
  void visitBody(mlir::Operation *op, mlir::Region &region);
  void follow(mlir::RegionBranchOpInterface branch, mlir::RegionBranchPoint from,
              llvm::function_ref<mlir::OperandRange(mlir::RegionSuccessor &)> operandsOf);
  bool visitShape(mlir::Operation *op);
  bool visitMemory(mlir::Operation *op);
  void visitCall(mlir::func::CallOp call);
  void visitOther(mlir::Operation *op);
  std::optional<Placement> ofBody(mlir::linalg::LinalgOp op, std::optional<unsigned> loop);
  std::optional<Placement> combined(mlir::Operation *op, llvm::ArrayRef<Placement> operands);
  std::optional<Placement> placedAlike(mlir::Operation *op, llvm::ArrayRef<Placement> operands);

  void set(mlir::Value value, Placement placement);
  /// Of memory all of which is stored, so that nothing is left of what was there.
  void setWhole(mlir::Value memory, Placement placement);
  using Memory = llvm::MapVector<mlir::Value, Placement>;
  /// Makes it hold for both; whether it did not.
  static bool join(Memory &all, const Memory &other);
  void visitRepeated(mlir::Operation *op, llvm::function_ref<void()> body);
  void setAll(mlir::Operation *op, Placement placement);
  /// Reports it in the last walk, and takes `own` for the results.
  std::optional<mlir::InFlightDiagnostic> fail(mlir::Operation *op, const llvm::Twine &message);
  void refusePartial(mlir::Operation *op, const Placement &operand);
  void refuseAdding(mlir::Operation *op, const Placement &partial, const Placement &other);
  bool hasCollective(mlir::Operation *op) const;
  bool hasCollective(mlir::Operation *op, llvm::SmallPtrSetImpl<mlir::Operation *> &seen) const;
  mlir::Value memoryOf(mlir::Value memref) const;
  Placement ofSizes(mlir::Value shaped) const;
  void setSizes(mlir::Value value, mlir::Value from);
  Placement made(mlir::Operation *op, Placement::Kind kind, int64_t dimension = 0) const {
    return Placement(kind, op->getLoc(), dimension);
  }

  mlir::ModuleOp module;
  mlir::SymbolTable symbols;
  llvm::StringRef axis;
  llvm::DenseMap<mlir::Value, Placement> placements;
  llvm::DenseMap<mlir::Value, Placement> sizes;     ///< Of what loops carry and functions exchange.
  Memory memory;                                    ///< Where the walk is, by what it was allocated as.
  llvm::DenseMap<mlir::Operation *, Memory> begins; ///< Where bodies of loops and of functions begin.
  llvm::DenseSet<mlir::Value> written;              ///< Memory in which something is stored.
  llvm::DenseSet<mlir::Operation *> active;         ///< Functions that are being visited.
  bool isStraight = true;                           ///< Where the walk is, ops are executed in the order of the walk.
  bool changed = false, reports = false, failed = false;
};
} // namespace lispier
#endif
