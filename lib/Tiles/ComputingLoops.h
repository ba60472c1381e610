//===- ComputingLoops.h - rings of loops that compute ----------*- C++ -*-===//
#ifndef LISPIER_LIB_TILES_COMPUTINGLOOPS_H
#define LISPIER_LIB_TILES_COMPUTINGLOOPS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace lispier {
struct TargetInfo;

/// Gives a program with `ring` whose loops compute something of their products, such as attention, roles, if it is one
/// of those that can have them; else leaves it as it is.
void specializeComputingLoops(mlir::gpu::GPUFuncOp kernel, const TargetInfo &target,
                              llvm::ArrayRef<mlir::gpu::LaunchFuncOp> launches);
} // namespace lispier
#endif
