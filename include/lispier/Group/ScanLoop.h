//===- ScanLoop.h - a scan as a loop over slices ---------------*- C++ -*-===//
#ifndef LISPIER_GROUP_SCANLOOP_H
#define LISPIER_GROUP_SCANLOOP_H

#include "lispier/Group/Group.h"

namespace lispier::group {
/// Replaces the op by a loop over the dimension, whose steps combine a slice with what was combined so far.
void expandScan(ScanOp op);

/// Computes the scan's step, of two numbers or vectors, at the place of `b`. `outer`: what a number from outside of the
/// step is there; null if there is none, which makes the result null.
mlir::Value computeStep(ScanOp op, mlir::OpBuilder &b, mlir::Value sofar, mlir::Value next,
                        llvm::function_ref<mlir::Value(mlir::Value)> outer);

/// The scan that the kernel computes; null for other kernels.
ScanOp scanIn(KernelOp kernel);
} // namespace lispier::group
#endif
