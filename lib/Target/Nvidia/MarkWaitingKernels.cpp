//===- MarkWaitingKernels.cpp - kernels that wait for the work before -----===//
//
// Before: nvvm.griddepcontrol in kernels. After: those with a wait carry
// `device.waits`, which MarkDependentLaunches relies on when the op is bytes.
//
//===----------------------------------------------------------------------===//
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Target/Nvidia/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_MARKWAITINGKERNELS
#include "lispier/Target/Nvidia/Passes.h.inc"

namespace {
bool waits(Operation &kernel) {
  return kernel
      .walk([](NVVM::GriddepcontrolOp op) {
        return op.getKind() == NVVM::GridDepActionKind::wait ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

struct MarkWaitingKernels : impl::MarkWaitingKernelsBase<MarkWaitingKernels> {
  void runOnOperation() override {
    for (Operation &op : *getOperation().getBody())
      if (op.hasAttr(gpu::GPUDialect::getKernelFuncAttrName()) && waits(op))
        op.setAttr(device::kWaits, UnitAttr::get(&getContext()));
  }
};
} // namespace
} // namespace lispier
