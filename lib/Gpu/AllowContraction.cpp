//===- AllowContraction.cpp - fused multiply-add in kernels ---------------===//
//
// Before: float arithmetic with the flags of the source. After: products and sums
// also have `contract`, which code generation needs to form FMAs.
//
//===----------------------------------------------------------------------===//

#include "lispier/Gpu/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_ALLOWCONTRACTION
#include "lispier/Gpu/Passes.h.inc"

namespace {
struct AllowContraction : impl::AllowContractionBase<AllowContraction> {
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (!isa<arith::AddFOp, arith::SubFOp, arith::MulFOp>(op))
        return;
      auto flagged = cast<arith::ArithFastMathInterface>(op);
      arith::FastMathFlags flags = flagged.getFastMathFlagsAttr().getValue() | arith::FastMathFlags::contract;
      op->setAttr(flagged.getFastMathAttrName(), arith::FastMathFlagsAttr::get(op->getContext(), flags));
    });
  }
};
} // namespace
} // namespace lispier
