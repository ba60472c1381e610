//===- ReduceByDpp.cpp - reductions over a warp without shared memory -----===//
//
// Before: gpu.subgroup_reduce over all lanes of a warp, which LowerGroupOps keeps
// if TargetInfo::warpReductions is set. After: amdgpu.dpp (data-parallel primitives),
// by which an instruction reads an operand of another lane, and a broadcast of the
// result. A shuffle would be a round trip to the LDS unit, with a wait. The same goes for
// shuffles between lanes whose numbers differ in one bit, which stay in a row of 16
// lanes or, on gfx10 and later, in 32.
//
//===----------------------------------------------------------------------===//

#include "lispier/Target/Amd/Passes.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/AMDGPU/Utils/Chipset.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_REDUCEBYDPP
#include "lispier/Target/Amd/Passes.h.inc"

namespace {
constexpr unsigned kRow = 16, kFirstWithPermutedRows = 10;

/// The value of the lane whose number differs in bit `bit`; null if no instruction of the chip reads that.
Value ofLane(ImplicitLocOpBuilder &b, Value value, int64_t bit, unsigned chipMajor) {
  using Kind = amdgpu::DPPPerm;
  auto dpp = [&](Value of, Kind kind, Attribute argument) -> Value {
    return amdgpu::DPPOp::create(b, of.getType(), of, of, kind, argument);
  };
  switch (bit) {
  case 1:
    return dpp(value, Kind::quad_perm, b.getI32ArrayAttr({1, 0, 3, 2}));
  case 2:
    return dpp(value, Kind::quad_perm, b.getI32ArrayAttr({2, 3, 0, 1}));
  case 4: // All three bits of eight lanes, and two of them back.
    return dpp(dpp(value, Kind::row_half_mirror, b.getUnitAttr()), Kind::quad_perm, b.getI32ArrayAttr({3, 2, 1, 0}));
  case 8:
    return dpp(value, Kind::row_ror, b.getI32IntegerAttr(8));
  case kRow: {
    if (chipMajor < kFirstWithPermutedRows)
      return nullptr;
    Value low = arith::ConstantIntOp::create(b, 0x76543210, 32), high = arith::ConstantIntOp::create(b, 0xfedcba98, 32);
    return ROCDL::PermlaneX16Op::create(b, value.getType(), value, value, low, high, /*fi=*/true,
                                        /*boundControl=*/false);
  }
  default:
    return nullptr;
  }
}

/// An instruction reads nothing of lanes that there are not.
bool hasWholeWarps(gpu::GPUFuncOp kernel, unsigned warpWidth) {
  std::optional<ArrayRef<int32_t>> sizes = kernel ? kernel.getKnownBlockSize() : std::nullopt;
  int64_t threads = 1;
  for (int32_t size : sizes.value_or(ArrayRef<int32_t>()))
    threads *= size;
  return sizes && threads % warpWidth == 0;
}

void shuffleByDpp(gpu::ShuffleOp shuffle, unsigned warpWidth, unsigned chipMajor) {
  APInt bit, width;
  Value value = shuffle.getValue();
  if (!value.getType().isIntOrFloat() || value.getType().getIntOrFloatBitWidth() != 32 ||
      !hasWholeWarps(shuffle->getParentOfType<gpu::GPUFuncOp>(), warpWidth))
    return;
  bool isOfWarp = matchPattern(shuffle.getWidth(), m_ConstantInt(&width)) && width == warpWidth;
  if (!isOfWarp || shuffle.getMode() != gpu::ShuffleMode::XOR ||
      !matchPattern(shuffle.getOffset(), m_ConstantInt(&bit)))
    return;
  ImplicitLocOpBuilder b(shuffle.getLoc(), shuffle);
  Value other = ofLane(b, value, bit.getZExtValue(), chipMajor);
  if (!other)
    return;
  Value valid = arith::ConstantIntOp::create(b, 1, 1);
  shuffle->replaceAllUsesWith(ValueRange{other, valid});
  shuffle.erase();
}

struct ReduceByDpp : impl::ReduceByDppBase<ReduceByDpp> {
  using ReduceByDppBase::ReduceByDppBase;

  void runOnOperation() override {
    FailureOr<amdgpu::Chipset> known = amdgpu::Chipset::parse(chip);
    if (failed(known)) {
      getOperation().emitError("no AMD chip is called ") << chip;
      return signalPassFailure();
    }
    getOperation()->walk([&](gpu::ShuffleOp shuffle) { shuffleByDpp(shuffle, warpWidth, known->majorVersion); });
    RewritePatternSet patterns(&getContext());
    populateGpuLowerSubgroupReduceToDPPPatterns(patterns, warpWidth, *known);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
} // namespace lispier
