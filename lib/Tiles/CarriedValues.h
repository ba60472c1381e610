//===- CarriedValues.h - values that control flow passes on ----*- C++ -*-===//
#ifndef LISPIER_LIB_TILES_CARRIEDVALUES_H
#define LISPIER_LIB_TILES_CARRIEDVALUES_H

#include "mlir/IR/Operation.h"

namespace lispier {
/// Values that are in one place: whatever comes from a source arrives at each target.
struct CarriedValue {
  llvm::SmallVector<mlir::OpOperand *, 2> sources;
  llvm::SmallVector<mlir::Value, 2> targets;
};

/// Of scf.for, scf.if, scf.while and scf.index_switch, in the order of `tile.layout`: one for each result, and of
/// scf.while one for each argument of its first region. Empty for other ops.
llvm::SmallVector<CarriedValue> carriedValues(mlir::Operation *op);
/// Whether `op` is one of those.
bool carriesValues(mlir::Operation *op);
} // namespace lispier
#endif
