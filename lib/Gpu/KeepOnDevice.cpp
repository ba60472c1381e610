//===- KeepOnDevice.cpp - sequential ops on device data -------------------===//
//
// Before: nn.argmax and nn.sample in host code. After: each is in an scf.parallel
// of one iteration, from which TileParallel and later passes make a launch.
//
//===----------------------------------------------------------------------===//

#include "lispier/Gpu/Passes.h"
#include "lispier/NN/NN.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_KEEPONDEVICE
#include "lispier/Gpu/Passes.h.inc"

namespace {
struct KeepOnDevice : impl::KeepOnDeviceBase<KeepOnDevice> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<nn::ArgmaxOp, nn::SampleOp>(op))
        ops.push_back(op);
      return isa<gpu::LaunchOp, scf::ParallelOp>(op) ? WalkResult::skip() : WalkResult::advance();
    });
    for (Operation *op : ops) {
      OpBuilder builder(op);
      Value zero = arith::ConstantIndexOp::create(builder, op->getLoc(), 0);
      Value one = arith::ConstantIndexOp::create(builder, op->getLoc(), 1);
      auto loop = scf::ParallelOp::create(builder, op->getLoc(), ValueRange(zero), ValueRange(one), ValueRange(one));
      op->moveBefore(loop.getBody()->getTerminator());
    }
  }
};
} // namespace
} // namespace lispier
