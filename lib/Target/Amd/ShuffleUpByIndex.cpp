//===- ShuffleUpByIndex.cpp - gpu.shuffle up -> gpu.shuffle idx -----------===//
//
// Before: gpu.shuffle up. After: gpu.shuffle idx from the source lane, or from the
// lane itself, with a result that is not valid, if there is no source lane.
// convert-gpu-to-rocdl only checks that the source is less than the width, as signed
// numbers: a negative lane would read the last lane and be valid.
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
