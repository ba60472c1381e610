//===- LowerReplays.cpp - device.replay -> captured graphs ----------------===//
//
// Before: device.replay. After: its body between two runtime calls; the runtime
// captures the launches in between as a graph. Runs before WaitForDevice, which then
// sees that a wait before the body also covers the body, and the other way round.
//
//===----------------------------------------------------------------------===//
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Loops/RuntimeCalls.h"
#include "lispier/Target/Host/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_LOWERREPLAYS
#include "lispier/Target/Host/Passes.h.inc"

namespace {
struct LowerReplays : impl::LowerReplaysBase<LowerReplays> {
  void runOnOperation() override {
    SmallVector<device::ReplayOp> replays; // Inner ones first.
    getOperation().walk([&](device::ReplayOp replay) { replays.push_back(replay); });
    RuntimeCalls calls(getOperation());
    for (device::ReplayOp replay : replays) {
      Location loc = replay.getLoc();
      auto callAt = [&](OpBuilder &b, StringRef function) { calls.call(b, loc, function, calls.site(b, loc)); };
      OpBuilder before(replay);
      callAt(before, "lispier_rt_device_step_begin");
      replay.inlineBody([&](OpBuilder &end) { callAt(end, "lispier_rt_device_step_end"); });
    }
  }
};
} // namespace
} // namespace lispier
