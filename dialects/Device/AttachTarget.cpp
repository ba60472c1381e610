//===- AttachTarget.cpp - name the target of a program --------------------===//
//
// Before: a module without a target. After: the module has `device.target`, which
// also applies to the gpu.modules in it.
//
//===----------------------------------------------------------------------===//
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Device/Passes.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_ATTACHTARGET
#include "lispier/Device/Passes.h.inc"

namespace {
struct AttachTarget : impl::AttachTargetBase<AttachTarget> {
  using AttachTargetBase::AttachTargetBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    llvm::Expected<device::Target> found = device::findTarget(&getContext(), target);
    if (!found) {
      module.emitError(llvm::toString(found.takeError()));
      return signalPassFailure();
    }
    if (auto known = module->getAttrOfType<StringAttr>(device::kTarget); known && known != StringRef(found->name)) {
      module.emitError("is lowered for ") << known.getValue() << " already, and cannot be for " << found->name;
      return signalPassFailure();
    }
    module->setAttr(device::kTarget, StringAttr::get(&getContext(), found->name));
  }
};
} // namespace
} // namespace lispier
