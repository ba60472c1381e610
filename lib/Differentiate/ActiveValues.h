//===- ActiveValues.h - what a gradient can flow through --------*- C++ -*-===//
#ifndef LISPIER_LIB_DIFFERENTIATE_ACTIVEVALUES_H
#define LISPIER_LIB_DIFFERENTIATE_ACTIVEVALUES_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"

namespace lispier {
/// Floats, and tensors of these.
bool hasGradient(mlir::Type type);

/// The values with a gradient that depend on those by which it is taken.
class ActiveValues {
public:
  bool contains(mlir::Value value) const { return active.contains(value); }
  void insert(mlir::Value value) {
    if (hasGradient(value.getType()))
      active.insert(value);
  }
  /// Finds the active results of ops in order, and the active values in their regions.
  void visit(mlir::Operation *op);

private:
  void visitLoop(mlir::Operation *op);
  bool dependsOnActive(mlir::Operation *op) const;

  llvm::DenseSet<mlir::Value> active;
};
} // namespace lispier
#endif
