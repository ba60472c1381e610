//===- ShuffleByMask.cpp - shuffles over a part of a warp -----------------===//
//
// Before: gpu.shuffle of 32 bits over a group of lanes. After: nvvm.shfl.sync whose
// mask contains the lanes of this lane's group. shfl.sync waits for all lanes of its
// mask: with a mask of the whole warp, a group in divergent code would wait forever.
//
//===----------------------------------------------------------------------===//

#include "lispier/Gpu/ShuffleGroups.h"
#include "lispier/Target/Nvidia/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_SHUFFLEBYMASK
#include "lispier/Target/Nvidia/Passes.h.inc"

namespace {
constexpr int64_t kWarp = 32;

void shuffleByMask(gpu::ShuffleOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  auto i32 = [&](int64_t value) -> Value { return arith::ConstantIntOp::create(b, value, 32); };
  GroupPartner partner = partnerInGroup(b, op);
  Value lanes = arith::ShRUIOp::create(b, i32(-1), arith::SubIOp::create(b, i32(kWarp), op.getWidth()));
  Value mask = arith::ShLIOp::create(b, lanes, partner.first);
  Value lastLane = i32(kWarp - 1); // The source lane, computed above, may be any lane of the warp.
  auto shuffle = [&](NVVM::ShflKind kind, Value by) {
    return NVVM::ShflOp::create(b, op.getValue().getType(), mask, op.getValue(), by, lastLane, kind, UnitAttr())
        .getResult();
  };
  if (staysInGroup(op))
    op.replaceAllUsesWith(
        ValueRange{shuffle(NVVM::ShflKind::bfly, op.getOffset()), arith::ConstantIntOp::create(b, 1, 1).getResult()});
  else
    op.replaceAllUsesWith(ValueRange{shuffle(NVVM::ShflKind::idx, partner.lane), partner.valid});
  op.erase();
}

struct ShuffleByMask : impl::ShuffleByMaskBase<ShuffleByMask> {
  void runOnOperation() override {
    SmallVector<gpu::ShuffleOp> parts;
    getOperation().walk([&](gpu::ShuffleOp op) {
      std::optional<APInt> width = knownLanes(op.getWidth());
      if (!width || *width != kWarp)
        parts.push_back(op);
    });
    for (gpu::ShuffleOp op : parts)
      shuffleByMask(op);
  }
};
} // namespace
} // namespace lispier
