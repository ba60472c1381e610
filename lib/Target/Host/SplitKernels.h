//===- SplitKernels.h - kernels that can be compiled apart -----*- C++ -*-===//
#ifndef LISPIER_LIB_TARGET_GPU_SPLITKERNELS_H
#define LISPIER_LIB_TARGET_GPU_SPLITKERNELS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/OwningOpRef.h"
#include <vector>

namespace lispier {
/// Copies of the module that hold some of its kernels each, with all that these need. Kernels that share memory which
/// they can write stay together. There are as many as have `opsPerPart` ops, but not more than `mostParts`: which,
/// depends on the module alone.
std::vector<mlir::OwningOpRef<mlir::gpu::GPUModuleOp>> splitKernels(mlir::gpu::GPUModuleOp kernels, unsigned opsPerPart,
                                                                    unsigned mostParts);
} // namespace lispier
#endif
