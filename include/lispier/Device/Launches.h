//===- Launches.h - the launches and kernels of a program ------*- C++ -*-===//
#ifndef LISPIER_DEVICE_LAUNCHES_H
#define LISPIER_DEVICE_LAUNCHES_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Threading.h"
#include <atomic>

namespace lispier::device {
/// Calls `visit` with each launch of a kernel, in order. Kernels launch none, so that their ops, which are most of a
/// program's, are not walked.
inline void forEachLaunch(mlir::ModuleOp program, llvm::function_ref<void(mlir::gpu::LaunchFuncOp)> visit) {
  for (mlir::Operation &op : *program.getBody())
    if (!mlir::isa<mlir::gpu::GPUModuleOp>(op))
      op.walk(visit);
}

/// The functions of all gpu.modules, in order.
inline llvm::SmallVector<mlir::gpu::GPUFuncOp> kernelsOf(mlir::ModuleOp program) {
  llvm::SmallVector<mlir::gpu::GPUFuncOp> kernels;
  for (auto module : program.getOps<mlir::gpu::GPUModuleOp>())
    llvm::append_range(kernels, module.getOps<mlir::gpu::GPUFuncOp>());
  return kernels;
}

/// Calls `work` with the index of each of `count` functions, on several threads. It may change its own function only.
/// All are visited even if it fails for one, so that the errors, which are reported in order, do not depend on the
/// threads.
inline llvm::LogicalResult forEachInParallel(mlir::MLIRContext *context, size_t count,
                                             llvm::function_ref<llvm::LogicalResult(size_t)> work) {
  std::atomic<bool> failed = false;
  (void)mlir::failableParallelForEachN(context, 0, count, [&](size_t index) {
    if (mlir::failed(work(index)))
      failed = true;
    return mlir::success();
  });
  return mlir::failure(failed);
}
} // namespace lispier::device
#endif
