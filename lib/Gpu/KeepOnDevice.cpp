//===- KeepOnDevice.cpp - ops of host code on device data -----------------===//
//
// Before: nn.argmax and nn.sample in host code. After: each is in an scf.parallel
// of one iteration, from which TileParallel and later passes make a launch. And
// copies from a tensor's memory, or from what the program allocates on the device,
// whose rows are apart on one side, are linalg.copy, which becomes a kernel: a driver
// would copy row by row, or number by number. What is contiguous stays a copy of the
// device's queue.
//
//===----------------------------------------------------------------------===//

#include "lispier/Gpu/Passes.h"
#include "lispier/Group/MemoryAttributes.h"
#include "lispier/Loops/ByteSize.h"
#include "lispier/NN/NN.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_KEEPONDEVICE
#include "lispier/Gpu/Passes.h.inc"

namespace {
/// Whether kernels can read the memory where it is: it is that of a tensor, which a loop may carry, or the device's.
bool isOnDevice(Value memref) {
  while (true) {
    if (auto carried = dyn_cast<BlockArgument>(memref)) {
      auto loop = dyn_cast_or_null<LoopLikeOpInterface>(carried.getOwner()->getParentOp());
      OpOperand *init = loop ? loop.getTiedLoopInit(carried) : nullptr;
      if (!init)
        return false;
      memref = init->get();
      continue;
    }
    Operation *op = memref.getDefiningOp();
    if (op->hasAttr(kIntermediateAttr) || isa<gpu::AllocOp>(op))
      return true;
    if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
      OpOperand *init = loop.getTiedLoopInit(cast<OpResult>(memref));
      if (!init)
        return false;
      memref = init->get();
    } else if (auto view = dyn_cast<ViewLikeOpInterface>(op)) {
      memref = view.getViewSource();
    } else {
      return false;
    }
  }
}

bool isStridedCopy(memref::CopyOp copy) {
  auto source = dyn_cast<MemRefType>(copy.getSource().getType()),
       target = dyn_cast<MemRefType>(copy.getTarget().getType());
  return source && target && !(isContiguous(source) && isContiguous(target)) && isOnDevice(copy.getSource());
}

struct KeepOnDevice : impl::KeepOnDeviceBase<KeepOnDevice> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    SmallVector<memref::CopyOp> copies;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<nn::ArgmaxOp, nn::SampleOp>(op))
        ops.push_back(op);
      if (auto copy = dyn_cast<memref::CopyOp>(op); copy && isStridedCopy(copy))
        copies.push_back(copy);
      return isa<gpu::LaunchOp, scf::ParallelOp>(op) ? WalkResult::skip() : WalkResult::advance();
    });
    for (memref::CopyOp copy : copies) {
      OpBuilder builder(copy);
      linalg::CopyOp::create(builder, copy.getLoc(), copy.getSource(), copy.getTarget());
      copy.erase();
    }
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
