//===- AllowContraction.cpp - fused multiply-add in kernels ---------------===//
//
// Before: float arithmetic with the flags of the source. After: products and sums
// also have `contract`, which code generation needs to form FMAs, except a product
// that many elements share, such as the mean of a row as its sum times 1 / n: an FMA
// for each element would save nothing, and subtract another mean, which is not
// rounded, than a kernel where the product is too far from the elements for FMAs.
//
//===----------------------------------------------------------------------===//

#include "lispier/Gpu/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_ALLOWCONTRACTION
#include "lispier/Gpu/Passes.h.inc"

namespace {
/// Whether several elements of a vector are the number, or one of the numbers.
bool isShared(Value numbers) {
  return llvm::any_of(numbers.getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<vector::ToElementsOp, vector::ExtractOp, vector::ShapeCastOp>(user))
      return llvm::any_of(user->getResults(), isShared);
    return isa<vector::BroadcastOp>(user) ||
           (isa<vector::FromElementsOp>(user) && llvm::count(user->getOperands(), use.get()) > 1);
  });
}

struct AllowContraction : impl::AllowContractionBase<AllowContraction> {
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (!isa<arith::AddFOp, arith::SubFOp, arith::MulFOp>(op) ||
          (isa<arith::MulFOp>(op) && isShared(op->getResult(0))))
        return;
      auto flagged = cast<arith::ArithFastMathInterface>(op);
      arith::FastMathFlags flags = flagged.getFastMathFlagsAttr().getValue() | arith::FastMathFlags::contract;
      op->setAttr(flagged.getFastMathAttrName(), arith::FastMathFlagsAttr::get(op->getContext(), flags));
    });
  }
};
} // namespace
} // namespace lispier
