//===- DistributeControl.h - loops and branches with tiles -----*- C++ -*-===//
#ifndef LISPIER_LIB_TILES_DISTRIBUTECONTROL_H
#define LISPIER_LIB_TILES_DISTRIBUTECONTROL_H

#include "Distribution.h"

namespace lispier {
using DistributeBlock = llvm::function_ref<mlir::LogicalResult(mlir::Block &)>;

/// Generates the loop or branch that one thread executes for `op`, one of carriesValues; `body` generates the ops of a
/// block, without its terminator, at the insertion point of the distribution's builder. Fails if `body` does, or if a
/// value has no layout, after reporting it.
mlir::LogicalResult distributeControl(Distribution &d, mlir::Operation *op, DistributeBlock body);
} // namespace lispier
#endif
