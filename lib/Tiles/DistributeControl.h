//===- DistributeControl.h - loops and branches with tiles -----*- C++ -*-===//
#ifndef LISPIER_LIB_TILES_DISTRIBUTECONTROL_H
#define LISPIER_LIB_TILES_DISTRIBUTECONTROL_H

#include "Distribution.h"

namespace lispier {
using DistributeBlock = llvm::function_ref<mlir::LogicalResult(mlir::Block &)>;

/// Makes the loop or branch `op` again for a thread; `body` makes the ops of a block, without its terminator, where the
/// distribution's builder stands.
mlir::LogicalResult distributeControl(Distribution &d, mlir::Operation *op, DistributeBlock body);
} // namespace lispier
#endif
