//===- DropDownloads.cpp - tensors that the host can read -----------------===//
//
// Before: device.download of tensors. After: none; the host reads the memory in
// which kernels compute them.
//
//===----------------------------------------------------------------------===//
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Device/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_DROPDOWNLOADS
#include "lispier/Device/Passes.h.inc"

namespace {
struct DropDownloads : impl::DropDownloadsBase<DropDownloads> {
  using DropDownloadsBase::DropDownloadsBase;

  void runOnOperation() override {
    getOperation()->walk([&](device::DownloadOp download) {
      if (!isa<TensorType>(download.getType()))
        return; // Its result is freed, and its source may be, too.
      download.getResult().replaceUsesWithIf(download.getSource(), [&](OpOperand &use) {
        return !asTensors || !isa<bufferization::ToBufferOp>(use.getOwner());
      });
      if (download->use_empty())
        download.erase();
    });
  }
};
} // namespace
} // namespace lispier
