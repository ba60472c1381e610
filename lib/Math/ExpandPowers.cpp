//===- ExpandPowers.cpp - powers by constant exponents --------------------===//
//
// Before: math.powf and math.fpowi. After: those that upstream's math-expand-ops
// expands are products and square roots. The pass applies upstream's patterns to
// powers only, since upstream's visits all ops of a kernel, and few have a power.
//
//===----------------------------------------------------------------------===//
#include "lispier/Math/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_EXPANDPOWERS
#include "lispier/Math/Passes.h.inc"

namespace {
struct ExpandPowers : impl::ExpandPowersBase<ExpandPowers> {
  void runOnOperation() override {
    SmallVector<Operation *> powers;
    getOperation()->walk([&](Operation *op) {
      if (isa<math::PowFOp, math::FPowIOp>(op))
        powers.push_back(op);
    });
    if (powers.empty())
      return;
    RewritePatternSet patterns(&getContext());
    math::populateExpansionPatterns(patterns, {"powf", "fpowi"});
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    if (failed(applyOpPatternsGreedily(powers, std::move(patterns), config)))
      signalPassFailure();
  }
};
} // namespace
} // namespace lispier
