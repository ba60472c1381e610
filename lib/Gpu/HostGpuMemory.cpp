//===- HostGpuMemory.cpp - device memory is host memory -------------------===//
//
// Before: gpu.alloc, gpu.dealloc, gpu.memcpy, gpu.memset, gpu.host_register,
// gpu.set_default_device (here is one device), device.upload, device.download and
// device.replay.
// After: memref and linalg ops in the same order. It runs before the Loops phase turns linalg into loops.
//
//===----------------------------------------------------------------------===//
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Gpu/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/TypeSwitch.h"

namespace lispier {
#define GEN_PASS_DEF_HOSTGPUMEMORY
#include "lispier/Gpu/Passes.h.inc"
} // namespace lispier

using namespace mlir;

namespace {
/// A cache line, and the width of the widest vector.
constexpr int64_t kAlignment = 64;

bool isHostable(Operation *op) {
  return isa<gpu::AllocOp, gpu::DeallocOp, gpu::MemcpyOp, gpu::MemsetOp, gpu::HostRegisterOp, gpu::HostUnregisterOp,
             gpu::SetDefaultDeviceOp, gpu::WaitOp, lispier::device::DownloadOp>(op);
}

void replaceDownload(lispier::device::DownloadOp download) {
  OpBuilder builder(download);
  Location loc = download.getLoc();
  Value source = download.getSource();
  auto type = cast<MemRefType>(download.getType());
  SmallVector<Value> sizes;
  for (auto [d, size] : llvm::enumerate(type.getShape()))
    if (ShapedType::isDynamic(size))
      sizes.push_back(memref::DimOp::create(builder, loc, source, d));
  Value memory = memref::AllocOp::create(builder, loc, type, sizes, builder.getI64IntegerAttr(kAlignment));
  memref::CopyOp::create(builder, loc, source, memory);
  download.getResult().replaceAllUsesWith(memory);
}

void replaceMemoryOp(Operation *op) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  TypeSwitch<Operation *>(op)
      .Case([&](gpu::AllocOp alloc) {
        Value memory = memref::AllocOp::create(builder, loc, alloc.getType(), alloc.getDynamicSizes(),
                                               alloc.getSymbolOperands(), builder.getI64IntegerAttr(kAlignment));
        alloc.getMemref().replaceAllUsesWith(memory);
      })
      .Case(replaceDownload)
      .Case([&](gpu::DeallocOp dealloc) { memref::DeallocOp::create(builder, loc, dealloc.getMemref()); })
      .Case([&](gpu::MemcpyOp copy) { memref::CopyOp::create(builder, loc, copy.getSrc(), copy.getDst()); })
      .Case([&](gpu::MemsetOp fill) { linalg::FillOp::create(builder, loc, fill.getValue(), fill.getDst()); });
}

/// Replaces device.upload by its operand, which kernels on the host can read, and device.replay by its body.
void removeDeviceOps(Operation *root) {
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) {
    if (isa<lispier::device::UploadOp, lispier::device::ReplayOp>(op))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    if (auto replay = dyn_cast<lispier::device::ReplayOp>(op)) {
      replay.inlineBody();
      continue;
    }
    op->replaceAllUsesWith(op->getOperands());
    op->erase();
  }
}

struct HostGpuMemory : lispier::impl::HostGpuMemoryBase<HostGpuMemory> {
  void runOnOperation() override {
    removeDeviceOps(getOperation());
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isHostable(op))
        ops.push_back(op);
    });
    for (Operation *op : ops)
      replaceMemoryOp(op);
    for (Operation *op : ops)
      op->erase();
  }
};
} // namespace
