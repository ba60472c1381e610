//===- VendorOps.h - matrix instructions and asynchronous copies -*- C++ -*-===//
#ifndef LISPIER_LIB_TARGET_SIM_VENDOROPS_H
#define LISPIER_LIB_TARGET_SIM_VENDOROPS_H

#include "lispier/Loops/RuntimeCalls.h"

namespace lispier {
/// Replaces the tokens of asynchronous copies by NVIDIA's groups, which are counted: nvgpu.device_async_create_group
/// and device_async_wait -> nvvm.cp.async.commit.group and wait.group.
void dropCopyTokens(mlir::func::FuncOp kernel);

/// Registers the dialect of the ops that dropCopyTokens makes.
void registerCopyDialect(mlir::DialectRegistry &registry);

/// Whether `op` is an op of a vendor's dialect that lowerVendorOp takes.
bool isVendorOp(mlir::Operation *op);
/// Whether a thread waits for others at the vendor op.
bool isVendorCollective(mlir::Operation *op);

/// Replaces a vendor op in a function over `thread` by a call of the runtime: nvvm.mma.sync, nvvm.ldmatrix,
/// nvgpu.ldmatrix, amdgpu.mfma, amdgpu.wmma, nvgpu.device_async_copy, nvvm.cp.async.*, nvvm.fence.proxy,
/// tile.warpgroup_* and those of rings. Fails, after reporting it, for a form of the op that the simulator does not
/// have.
mlir::LogicalResult lowerVendorOp(mlir::Operation *op, mlir::Value thread, RuntimeCalls &calls);
} // namespace lispier
#endif
