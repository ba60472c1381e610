//===- MarkDependentLaunches.cpp - programmatic dependent launch ----------===//
//
// Before: kernels with `device.waits`. After: their launches have the attribute
// `device.dependent_launch`, which CallDevice passes to the runtime: the device may
// start such a kernel while its predecessor still runs.
//
//===----------------------------------------------------------------------===//
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Device/Launches.h"
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
    device::forEachLaunch(getOperation(), [&](gpu::LaunchFuncOp launch) {
      Operation *kernel = tables.lookupNearestSymbolFrom(launch, launch.getKernel());
      if (kernel && kernel->hasAttr(device::kWaits))
        launch->setAttr(device::kDependentLaunch, UnitAttr::get(&getContext()));
    });
  }
};
} // namespace
} // namespace lispier
