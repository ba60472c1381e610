//===- OverlapTilePrograms.cpp - tile programs that start early -----------===//
//
// Before: tile programs. After: on chips with programmatic dependent launch, a block
// lets the next kernel begin, and then waits for the kernels before its own, so that
// their launches overlap (CUDA C++ Programming Guide). MarkWaitingKernels and
// MarkDependentLaunches do the rest. The wait comes first of all, since the pass does
// not know which memory is constant.
//
//===----------------------------------------------------------------------===//
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Target/Nvidia/Passes.h"
#include "lispier/TargetInfo/TargetInfo.h"
#include "lispier/Tile/Tile.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_OVERLAPTILEPROGRAMS
#include "lispier/Target/Nvidia/Passes.h.inc"

namespace {
struct OverlapTilePrograms : impl::OverlapTileProgramsBase<OverlapTilePrograms> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>()) {
      const TargetInfo *target = device::targetInfoOf(kernel);
      if (!target || !target->has(Ability::DependentLaunch) || !tile::programOf(kernel))
        continue;
      OpBuilder b = OpBuilder::atBlockBegin(&kernel.getBody().front());
      for (auto action : {NVVM::GridDepActionKind::launch_dependents, NVVM::GridDepActionKind::wait})
        NVVM::GriddepcontrolOp::create(b, kernel.getLoc(), action);
    }
  }
};
} // namespace
} // namespace lispier
