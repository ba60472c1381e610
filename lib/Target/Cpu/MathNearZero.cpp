//===- MathNearZero.cpp - expm1 and log1p as calls of libm ----------------===//
//
// Runs before convert-math-to-llvm, which lowers expm1(x) to exp(x) - 1 and log1p(x)
// to log(1 + x), which are inaccurate near zero.
//
//===----------------------------------------------------------------------===//
#include "lispier/Target/Cpu/Passes.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"

namespace lispier {
#define GEN_PASS_DEF_MATHNEARZERO
#include "lispier/Target/Cpu/Passes.h.inc"
} // namespace lispier

using namespace mlir;

namespace {
struct MathNearZero : lispier::impl::MathNearZeroBase<MathNearZero> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateMathToLibmConversionPatterns(patterns);
    ConversionTarget target(getContext());
    target.addIllegalOp<math::ExpM1Op, math::Log1pOp>();
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    if (failed(applyPartialConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
