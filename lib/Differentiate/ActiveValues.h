//===- ActiveValues.h - what a gradient can flow through --------*- C++ -*-===//
#ifndef LISPIER_LIB_DIFFERENTIATE_ACTIVEVALUES_H
#define LISPIER_LIB_DIFFERENTIATE_ACTIVEVALUES_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"

namespace lispier {
/// Floats, and tensors of these.
bool hasGradient(mlir::Type type);

/// The values with a gradient that depend on those by which it is taken, and memory into which such a value is stored.
class ActiveValues {
public:
  /// A memref is active if it is a view of such memory.
  bool contains(mlir::Value value) const;
  void insert(mlir::Value value) {
    if (hasGradient(value.getType()))
      active.insert(value);
  }
  /// Finds the active results of ops in order, and the active values in their regions.
  void visit(mlir::Operation *op);

private:
  void visitLoop(mlir::Operation *op);
  bool dependsOnActive(mlir::Operation *op) const;
  void findStored(mlir::Operation *op);

  llvm::DenseSet<mlir::Value> active;
  llvm::DenseSet<mlir::Value> memory; ///< Memrefs that are no views.
};
} // namespace lispier
#endif
