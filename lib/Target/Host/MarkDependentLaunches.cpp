//===- MarkDependentLaunches.cpp - launches that need not wait ------------===//
//
// Before: kernels with `device.waits`. After: their launches say
// `device.dependent_launch`, and the device may begin one while the kernel before
// it still runs. CallDevice tells the runtime.
//
//===----------------------------------------------------------------------===//
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Target/Host/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_MARKDEPENDENTLAUNCHES
#include "lispier/Target/Host/Passes.h.inc"

namespace {
struct MarkDependentLaunches : impl::MarkDependentLaunchesBase<MarkDependentLaunches> {
  void runOnOperation() override {
    SymbolTableCollection tables;
    getOperation().walk([&](gpu::LaunchFuncOp launch) {
      Operation *kernel = tables.lookupNearestSymbolFrom(launch, launch.getKernel());
      if (kernel && kernel->hasAttr(device::kWaits))
        launch->setAttr(device::kDependentLaunch, UnitAttr::get(&getContext()));
    });
  }
};
} // namespace
} // namespace lispier
