//===- FlushExponentials.cpp - 2^x in one instruction ---------------------===//
//
// Before: llvm.exp2 that allows an approximation, which the code generator wraps in
// a scaling for denormal results, three more instructions. After: ex2.approx.ftz.
// So are quotients by 1 + 2^x, whose divisors are no denormals: div.approx.ftz.
//
//===----------------------------------------------------------------------===//
#include "lispier/Target/Nvidia/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_FLUSHEXPONENTIALS
#include "lispier/Target/Nvidia/Passes.h.inc"

namespace {
bool isApproximatePower(LLVM::CallIntrinsicOp call) {
  return call.getIntrin() == "llvm.exp2" && bitEnumContainsAll(call.getFastmathFlags(), LLVM::FastmathFlags::afn) &&
         getElementTypeOrSelf(call.getOperand(0).getType()).isF32();
}

/// Whether the quotient may be approximate, and its divisor is 2^x and a number from 1 on.
bool isApproximateQuotient(arith::DivFOp op) {
  auto sum = op.getRhs().getDefiningOp<arith::AddFOp>();
  APFloat number(0.0f);
  auto isOneOrMore = [&](Value value) {
    return matchPattern(value, m_ConstantFloat(&number)) && number >= APFloat::getOne(number.getSemantics());
  };
  auto isPower = [](Value value) {
    auto call = value.getDefiningOp<LLVM::CallIntrinsicOp>();
    return call && isApproximatePower(call);
  };
  return bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::afn) && sum &&
         ((isOneOrMore(sum.getRhs()) && isPower(sum.getLhs())) || (isOneOrMore(sum.getLhs()) && isPower(sum.getRhs())));
}

/// Replaces an op of F32 numbers, or of vectors of them, by calls of the intrinsic for one element each.
void callForElements(Operation *op, StringRef intrinsic) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  Type type = op->getResult(0).getType();
  auto call = [&](ValueRange operands) {
    return LLVM::CallIntrinsicOp::create(b, getElementTypeOrSelf(type), b.getStringAttr(intrinsic), operands)
        .getResult(0);
  };
  Value result;
  if (auto vector = dyn_cast<VectorType>(type)) {
    SmallVector<Value> lanes;
    for (int64_t i = 0; i < vector.getNumElements(); ++i)
      lanes.push_back(call(llvm::map_to_vector(op->getOperands(), [&](Value operand) -> Value {
        return vector::ExtractOp::create(b, operand, ArrayRef<int64_t>{i});
      })));
    result = vector::FromElementsOp::create(b, vector, lanes);
  } else {
    result = call(op->getOperands());
  }
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}

struct FlushExponentials : impl::FlushExponentialsBase<FlushExponentials> {
  void runOnOperation() override {
    getOperation()->walk([](arith::DivFOp op) {
      if (isApproximateQuotient(op))
        callForElements(op, "llvm.nvvm.div.approx.ftz.f");
    });
    getOperation()->walk([](LLVM::CallIntrinsicOp call) {
      if (isApproximatePower(call))
        callForElements(call, "llvm.nvvm.ex2.approx.ftz.f");
    });
  }
};
} // namespace
} // namespace lispier
