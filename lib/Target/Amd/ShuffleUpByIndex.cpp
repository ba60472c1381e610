//===- ShuffleUpByIndex.cpp - lanes that nobody is below of ---------------===//
//
// Before: gpu.shuffle up. After: gpu.shuffle idx from the lane so many below, or
// from the lane itself where there is none, which is not valid.
// convert-gpu-to-rocdl compares the source with the width only, as signed
// numbers, so that lane 0 would take what the last lane has and call it valid.
//
//===----------------------------------------------------------------------===//

#include "lispier/Target/Amd/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_SHUFFLEUPBYINDEX
#include "lispier/Target/Amd/Passes.h.inc"

namespace {
struct ShuffleUpByIndex : impl::ShuffleUpByIndexBase<ShuffleUpByIndex> {
  void runOnOperation() override {
    getOperation().walk([](gpu::ShuffleOp op) {
      if (op.getMode() != gpu::ShuffleMode::UP)
        return;
      ImplicitLocOpBuilder b(op.getLoc(), op);
      Value lane = arith::IndexCastOp::create(b, b.getI32Type(), gpu::LaneIdOp::create(b, /*upper_bound=*/nullptr));
      Value valid = arith::CmpIOp::create(b, arith::CmpIPredicate::uge, lane, op.getOffset());
      Value below = arith::SubIOp::create(b, lane, op.getOffset());
      Value from = arith::SelectOp::create(b, valid, below, lane);
      auto shuffle = gpu::ShuffleOp::create(b, op.getValue(), from, op.getWidth(), gpu::ShuffleMode::IDX);
      op.replaceAllUsesWith(ValueRange{shuffle.getShuffleResult(), valid});
      op.erase();
    });
  }
};
} // namespace
} // namespace lispier
