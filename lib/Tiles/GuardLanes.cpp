//===- GuardLanes.cpp - tile programs that do not fail beyond the end -----===//
//
// Before and after: tile programs. Those that lib/Schedule makes have such guards already,
// so that this runs before lispier-schedule-groups.
//
//===----------------------------------------------------------------------===//
#include "UsedLanes.h"
#include "lispier/Device/FailingLanes.h"
#include "lispier/Tile/Tile.h"
#include "lispier/Tiles/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_GUARDLANES
#include "lispier/Tiles/Passes.h.inc"

namespace {
struct GuardLanes : impl::GuardLanesBase<GuardLanes> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>()) {
      if (!tile::programOf(kernel))
        continue;
      SmallVector<Operation *> failing;
      kernel.walk([&](Operation *op) {
        if (device::mayFail(op) && isa<VectorType>(op->getResult(0).getType()))
          failing.push_back(op);
      });
      if (failing.empty())
        continue;
      UsedLanesAnalysis lanes(kernel);
      for (Operation *op : failing)
        if (Value mask = lanes.mask(op)) {
          OpBuilder b(op);
          device::failOnlyWhere(b, op, mask);
        }
    }
  }
};
} // namespace
} // namespace lispier
