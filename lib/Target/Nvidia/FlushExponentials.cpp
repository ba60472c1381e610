//===- FlushExponentials.cpp - 2^x in one instruction ---------------------===//
//
// Before: llvm.exp2 that allows an approximation, which the code generator wraps in
// a scaling for denormal results, three more instructions. After: ex2.approx.ftz.
//
//===----------------------------------------------------------------------===//
#include "lispier/Target/Nvidia/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_FLUSHEXPONENTIALS
#include "lispier/Target/Nvidia/Passes.h.inc"

namespace {
bool isApproximatePower(LLVM::CallIntrinsicOp call) {
  return call.getIntrin() == "llvm.exp2" && bitEnumContainsAll(call.getFastmathFlags(), LLVM::FastmathFlags::afn) &&
         getElementTypeOrSelf(call.getOperand(0).getType()).isF32();
}

void flush(LLVM::CallIntrinsicOp call) {
  ImplicitLocOpBuilder b(call.getLoc(), call);
  auto power = [&](Value x) {
    return LLVM::CallIntrinsicOp::create(b, x.getType(), b.getStringAttr("llvm.nvvm.ex2.approx.ftz.f"), ValueRange{x})
        .getResult(0);
  };
  Value x = call.getOperand(0), result;
  if (auto type = dyn_cast<VectorType>(x.getType())) {
    SmallVector<Value> lanes;
    for (int64_t i = 0; i < type.getNumElements(); ++i)
      lanes.push_back(power(vector::ExtractOp::create(b, x, ArrayRef<int64_t>{i})));
    result = vector::FromElementsOp::create(b, type, lanes);
  } else {
    result = power(x);
  }
  call.getResult(0).replaceAllUsesWith(result);
  call.erase();
}

struct FlushExponentials : impl::FlushExponentialsBase<FlushExponentials> {
  void runOnOperation() override {
    getOperation()->walk([](LLVM::CallIntrinsicOp call) {
      if (isApproximatePower(call))
        flush(call);
    });
  }
};
} // namespace
} // namespace lispier
