//===- WaitForDevice.cpp - waits before the host touches memory -----------===//
//
// Before: launches, which return at once, and host code that reads what they
// write. After: a call of lispier_rt_device_wait before each such access, outside
// of loops that launch nothing. CallDevice, which follows, makes the calls that
// put work into the queue.
//
//===----------------------------------------------------------------------===//

#include "DeviceMemory.h"
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Loops/RuntimeCalls.h"
#include "lispier/Target/Host/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
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

/// Whether the host may meet the queue's work at `op`.
bool touchesPending(Operation *op, const DeviceMemory &memory) {
  if (auto call = dyn_cast<func::CallOp>(op)) {
    func::FuncOp callee = memory.function(call.getCallee());
    if ((callee && !callee.isExternal()) || call.getCallee().starts_with("lispier_rt_device_"))
      return false; // Its own accesses wait.
  } else if (isView(op) || isPure(op) || op->getNumRegions() || op->hasTrait<OpTrait::IsTerminator>() ||
             isa<memref::AllocOp, memref::AllocaOp, device::UploadOp>(op) ||
             op->getName().getDialectNamespace() == "gpu") {
    return false;
  }
  if (auto copy = dyn_cast<memref::CopyOp>(op); copy && memory.isQueued(copy))
    return false;
  if (auto dealloc = dyn_cast<memref::DeallocOp>(op); dealloc && memory.of(dealloc.getMemref()).onDevice())
    return false; // The runtime's to know.
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    if (isa<BaseMemRefType>(operand.getType()))
      return memory.of(operand).mayBePending();
    // What was copied to the host is there already; only shared memory is written behind the host's back.
    return isa<LLVM::LLVMPointerType>(operand.getType()) && memory.pointersMayBePending();
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

  /// The access, or the loop or branch around it that launches nothing.
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

  /// Each access in a loop asks about the same loops.
  bool launches(Operation *op, const DeviceMemory &memory) {
    auto [it, isNew] = known.try_emplace(op, false);
    return isNew ? it->second = memory.launches(op) : it->second;
  }

  llvm::DenseMap<Operation *, bool> known; ///< The waits that this pass adds launch nothing.
};
} // namespace
} // namespace lispier
