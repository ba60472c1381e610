//===- ReduceByDpp.cpp - reductions over a warp without shared memory -----===//
//
// Before: gpu.subgroup_reduce over all lanes of a warp, which LowerGroupOps
// leaves where TargetInfo says so. After: amdgpu.dpp, by which an instruction
// reads the operand of a neighbouring lane, and one lane's value for all. A
// shuffle would go through the unit of shared memory, and wait for it each time.
//
//===----------------------------------------------------------------------===//

#include "lispier/Target/Amd/Passes.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/AMDGPU/Utils/Chipset.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_REDUCEBYDPP
#include "lispier/Target/Amd/Passes.h.inc"

namespace {
struct ReduceByDpp : impl::ReduceByDppBase<ReduceByDpp> {
  using ReduceByDppBase::ReduceByDppBase;

  void runOnOperation() override {
    FailureOr<amdgpu::Chipset> known = amdgpu::Chipset::parse(chip);
    if (failed(known)) {
      getOperation().emitError("no AMD chip is called ") << chip;
      return signalPassFailure();
    }
    RewritePatternSet patterns(&getContext());
    populateGpuLowerSubgroupReduceToDPPPatterns(patterns, warpWidth, *known);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
} // namespace lispier
