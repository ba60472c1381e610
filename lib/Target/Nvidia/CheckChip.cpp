//===- CheckChip.cpp - reject ops that the chip lacks ---------------------===//
//
// Before and after: the nvvm dialect. Reports each op that needs a newer chip than
// `device.target`.
//
//===----------------------------------------------------------------------===//
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Target/Nvidia/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_CHECKCHIP
#include "lispier/Target/Nvidia/Passes.h.inc"

namespace {
/// The chip that an op needs: from upstream's interface if the op has it.
std::optional<NVVM::NVVMCheckSMVersion> neededBy(Operation *op) {
  if (auto requirement = dyn_cast<NVVM::RequiresSMInterface>(op))
    return requirement.getRequiredMinSMVersion();
  struct Row {
    StringLiteral prefix;
    int version;
    bool accelerated;
  };
  // From the PTX ISA, "Target ISA Notes" of each instruction.
  static constexpr Row rows[] = {
      {"nvvm.wgmma.", 90, true},      {"nvvm.setmaxregister", 90, true}, {"nvvm.griddepcontrol", 90, false},
      {"nvvm.cluster.", 90, false},   {"nvvm.cp.async.bulk", 90, false}, {"nvvm.fence.mbarrier", 90, false},
      {"nvvm.elect.sync", 90, false}, {"nvvm.stmatrix", 90, false},      {"nvvm.mbarrier.try_wait", 90, false},
      {"nvvm.cp.async.", 80, false},  {"nvvm.mbarrier.", 80, false},
  };
  auto *row = llvm::find_if(rows, [&](const Row &row) { return op->getName().getStringRef().starts_with(row.prefix); });
  return row == std::end(rows) ? std::nullopt : std::optional(NVVM::NVVMCheckSMVersion(row->accelerated, row->version));
}

struct CheckChip : impl::CheckChipBase<CheckChip> {
  void runOnOperation() override {
    StringAttr target = device::targetOf(getOperation());
    if (!target)
      return;
    StringRef chip = target.getValue().split(':').second;
    auto has = NVVM::NVVMCheckSMVersion::getTargetSMVersionFromStr(chip);
    getOperation().walk([&](Operation *op) {
      std::optional<NVVM::NVVMCheckSMVersion> needed = neededBy(op);
      if (!needed || needed->isCompatibleWith(has))
        return;
      const NVVM::NVVMCheckSMVersion &needs = *needed;
      InFlightDiagnostic error = op->emitError("op `") << op->getName() << "` needs ";
      for (auto [i, version] : llvm::enumerate(needs.smVersionList))
        error << (i ? " or " : "") << "sm_" << version << (needs.archAccelerated ? "a" : "");
      error << (needs.archAccelerated ? "" : " or newer") << ", and the target is " << chip;
      signalPassFailure();
    });
  }
};
} // namespace
} // namespace lispier
