//===- GpuPhase.h - from loops to kernels, in order ------------*- C++ -*-===//
//
// Two lists of passes. The first works on the whole program and ends with one
// gpu.module of kernels in the gpu dialect, which a simulator can run. The
// second works on that module, once for each machine it is compiled for.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LOOPS_GPUPHASE_H
#define LISPIER_LOOPS_GPUPHASE_H

#include "lispier/Loops/TargetInfo.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace lispier {
/// On a module with linalg on memrefs, scf loops and gpu.launch: outlined kernels, all in one gpu.module.
void addGpuPhase(mlir::OpPassManager &module, const TargetInfo &info);

/// On a gpu.module: only what the vendors' conversions know is left.
void addKernelPhase(mlir::OpPassManager &kernels, const TargetInfo &info);
} // namespace lispier
#endif
