//===- AlignVectors.cpp - alignment of vector accesses --------------------===//
//
// Before: vector loads and stores have the alignment of one element. After: they
// have that of the vector, up to the widest access of the target, so that code
// generation need not split them.
//
//===----------------------------------------------------------------------===//

#include "lispier/Device/DeviceDialect.h"
#include "lispier/Gpu/Passes.h"
#include "lispier/TargetInfo/TargetInfo.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_ALIGNVECTORS
#include "lispier/Gpu/Passes.h.inc"

namespace {
/// Size of `type` in bytes if it is a vector of numbers short enough for one access, else 0.
uint64_t bytesOf(VectorType type) {
  if (type.isScalable() || !type.getElementType().isIntOrFloat())
    return 0;
  return uint64_t(type.getNumElements()) * type.getElementTypeBitWidth() / 8;
}

template <typename Access> void align(Access access, unsigned most) {
  uint64_t bytes = bytesOf(access.getVectorType());
  if (access.getAlignment() || !llvm::isPowerOf2_64(bytes))
    return;
  access.setAlignment(std::min<uint64_t>(bytes, most));
}

struct AlignVectors : impl::AlignVectorsBase<AlignVectors> {
  using AlignVectorsBase::AlignVectorsBase;

  void runOnOperation() override {
    const TargetInfo *info = device::targetInfoOf(getOperation());
    unsigned most = vectorBytes ? vectorBytes : info ? info->vectorBytes : 16;
    getOperation().walk([&](vector::LoadOp load) { align(load, most); });
    getOperation().walk([&](vector::StoreOp store) { align(store, most); });
  }
};
} // namespace
} // namespace lispier
