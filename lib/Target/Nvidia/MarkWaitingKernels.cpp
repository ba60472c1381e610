//===- MarkWaitingKernels.cpp - kernels for dependent launch --------------===//
//
// Before: nvvm.griddepcontrol in kernels. After: kernels with a wait have the
// attribute `device.waits`, which MarkDependentLaunches reads when the kernels have
// been compiled.
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
