//===- ReduceByDpp.cpp - reductions over a warp without shared memory -----===//
//
// Before: gpu.subgroup_reduce over all lanes of a warp, which LowerGroupOps keeps
// if TargetInfo::warpReductions is set. After: amdgpu.dpp (data-parallel primitives),
// by which an instruction reads an operand of another lane, and a broadcast of the
// result. A shuffle would be a round trip to the LDS unit, with a wait.
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
