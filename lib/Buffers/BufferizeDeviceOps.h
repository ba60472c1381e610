//===- BufferizeDeviceOps.h - tensors of replay and download ----*- C++ -*-===//
#ifndef LISPIER_LIB_BUFFERS_BUFFERIZEDEVICEOPS_H
#define LISPIER_LIB_BUFFERS_BUFFERIZEDEVICEOPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace lispier {
/// Lets one-shot bufferization see through device.replay and its device.yield, and give device.download memory.
void registerDeviceBufferization(mlir::DialectRegistry &registry);

/// Allocates before a step what it makes for later ones, so that it is memory of a loop around the step like any other,
/// and canonicalization drops the results. `isOwn` says which allocations these may be. Whether there were any.
bool makeBeforeSteps(mlir::func::FuncOp function, llvm::function_ref<bool(mlir::Operation *)> isOwn);
} // namespace lispier
#endif
