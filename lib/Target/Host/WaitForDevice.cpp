//===- WaitForDevice.cpp - waits before accesses of host code -------------===//
//
// Before: asynchronous launches, and host code that accesses the memory that they
// use. After: a call of lispier_rt_device_wait before each such access, outside of
// loops that launch nothing. CallDevice, which runs later, creates the calls that
// put work into the queue.
//
//===----------------------------------------------------------------------===//

#include "DeviceMemory.h"
#include "lispier/Comm/Comm.h"
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Loops/RuntimeCalls.h"
#include "lispier/Target/Host/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_WAITFORDEVICE
#include "lispier/Target/Host/Passes.h.inc"

namespace {
constexpr StringLiteral kWait = "lispier_rt_device_wait";

bool isWait(Operation &op) {
  auto call = dyn_cast<func::CallOp>(op);
  return call && call.getCallee() == kWait;
}

/// Whether `op` accesses memory on the host that work in the queue may use.
bool touchesPending(Operation *op, const DeviceMemory &memory) {
  if (auto call = dyn_cast<func::CallOp>(op)) {
    func::FuncOp callee = memory.function(call.getCallee());
    if ((callee && !callee.isExternal()) || call.getCallee().starts_with("lispier_rt_device_"))
      return false; // Accesses in the callee wait themselves.
  } else if (isView(op) || isPure(op) || op->getNumRegions() || op->hasTrait<OpTrait::IsTerminator>() ||
             comm::isCollective(op) ||
             isa<memref::AllocOp, memref::AllocaOp, device::UploadOp, device::DownloadOp>(op) ||
             isa<nvgpu::TmaCreateDescriptorOp>(op) || // Describes memory without reading it.
             op->getName().getDialectNamespace() == "gpu") {
    return false;
  }
  if (auto copy = dyn_cast<memref::CopyOp>(op); copy && memory.isQueued(copy))
    return false;
  if (auto dealloc = dyn_cast<memref::DeallocOp>(op); dealloc && memory.of(dealloc.getMemref()).onDevice())
    return false; // The runtime frees memory that pending work uses only after that work.
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    if (isa<BaseMemRefType>(operand.getType()))
      return memory.of(operand).mayBePending();
    // Copies to ordinary host memory are waited for by CallDevice; only shared memory may have pending writes.
    return isa<LLVM::LLVMPointerType>(operand.getType()) && memory.pointersMayBePending() &&
           !memory.isConstant(operand);
  });
}

struct WaitForDevice : impl::WaitForDeviceBase<WaitForDevice> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    DeviceMemory memory(module);
    known.clear();
    SmallVector<Operation *> accesses;
    module.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<gpu::GPUModuleOp>(op))
        return WalkResult::skip();
      if (op->getParentOfType<func::FuncOp>() && touchesPending(op, memory))
        accesses.push_back(op);
      return WalkResult::advance();
    });
    RuntimeCalls calls(module);
    for (Operation *access : accesses) {
      Operation *place = outermost(access, memory);
      if (isWaitedFor(place, memory))
        continue;
      OpBuilder builder(place);
      calls.call(builder, access->getLoc(), kWait, calls.site(builder, access->getLoc()));
    }
  }

  /// The access, or the outermost enclosing loop or branch that launches nothing.
  Operation *outermost(Operation *op, const DeviceMemory &memory) {
    for (Operation *parent = op->getParentOp(); !isa<FunctionOpInterface>(parent); parent = parent->getParentOp()) {
      if (launches(parent, memory))
        break;
      op = parent;
    }
    return op;
  }

  bool isWaitedFor(Operation *op, const DeviceMemory &memory) {
    for (Operation *before = op->getPrevNode(); before; before = before->getPrevNode()) {
      if (isWait(*before))
        return true;
      if (launches(before, memory))
        return false;
    }
    return false;
  }

  /// Cached, because each access in a loop queries the same loops.
  bool launches(Operation *op, const DeviceMemory &memory) {
    auto [it, isNew] = known.try_emplace(op, false);
    return isNew ? it->second = memory.launches(op) : it->second;
  }

  llvm::DenseMap<Operation *, bool> known; ///< Stays valid while this pass adds waits, which launch nothing.
};
} // namespace
} // namespace lispier
