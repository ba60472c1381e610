//===- GpuPhase.h - from loops to kernels, in order ------------*- C++ -*-===//
//
// Lists of passes. The first two work on the whole program: after addLaunches its
// kernels are in the gpu dialect, which a simulator can run; after addGpuPhase
// they are in one gpu.module, called as a driver calls them. The third works on
// that module, once for each machine it is compiled for.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_GPU_GPUPHASE_H
#define LISPIER_GPU_GPUPHASE_H

#include "lispier/TargetInfo/TargetInfo.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace lispier {
/// On a module with linalg on memrefs, scf loops and gpu.launch: outlined kernels.
void addLaunches(mlir::OpPassManager &module, const TargetInfo &info);

/// The same, and all kernels in one gpu.module, their parameters pointers and numbers.
void addGpuPhase(mlir::OpPassManager &module, const TargetInfo &info);

/// On a gpu.module: only what the vendors' conversions know is left.
void addKernelPhase(mlir::OpPassManager &kernels, const TargetInfo &info);
} // namespace lispier
#endif
