//===- HoistInvariants.cpp - what a loop does not change, before it -------===//
//
// A loop may have no iteration, so that only what cannot fail is moved. Upstream's pass
// takes integer remainders for such ops.
//
//===----------------------------------------------------------------------===//
#include "lispier/Device/FailingLanes.h"
#include "lispier/Loops/Passes.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_HOISTINVARIANTS
#include "lispier/Loops/Passes.h.inc"

namespace {
/// Whether the op, and what its regions hold, can be executed where the program does not.
bool isFreeToMove(Operation *op) {
  return !op->walk([](Operation *inside) {
              return device::mayFail(inside) ? WalkResult::interrupt() : WalkResult::advance();
            }).wasInterrupted();
}

struct HoistInvariants : impl::HoistInvariantsBase<HoistInvariants> {
  void runOnOperation() override {
    getOperation()->walk([](LoopLikeOpInterface loop) {
      moveLoopInvariantCode(
          loop.getLoopRegions(), [&](Value value, Region *) { return loop.isDefinedOutsideOfLoop(value); },
          [](Operation *op, Region *) { return isMemoryEffectFree(op) && isSpeculatable(op) && isFreeToMove(op); },
          [&](Operation *op, Region *) { loop.moveOutOfLoop(op); });
    });
  }
};
} // namespace
} // namespace lispier
