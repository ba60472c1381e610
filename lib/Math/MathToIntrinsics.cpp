//===- MathToIntrinsics.cpp - math ops with GPU instructions --------------===//
//
// Before: math.sqrt, math.fma and their like. After: LLVM's intrinsics of the
// same meaning, which both code generators select directly. The generic op
// llvm.call_intrinsic is used because the vendors' conversions declare the
// named llvm.intr ops illegal, to catch calls that would need a library.
//
//===----------------------------------------------------------------------===//

#include "lispier/Math/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_MATHTOINTRINSICS
#include "lispier/Math/Passes.h.inc"

namespace {
StringRef intrinsicFor(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case<math::SqrtOp>([](auto) { return "llvm.sqrt"; })
      .Case<math::FmaOp>([](auto) { return "llvm.fma"; })
      .Case<math::AbsFOp>([](auto) { return "llvm.fabs"; })
      .Case<math::FloorOp>([](auto) { return "llvm.floor"; })
      .Case<math::CeilOp>([](auto) { return "llvm.ceil"; })
      .Case<math::TruncOp>([](auto) { return "llvm.trunc"; })
      .Case<math::RoundOp>([](auto) { return "llvm.round"; })
      .Case<math::RoundEvenOp>([](auto) { return "llvm.roundeven"; })
      .Case<math::CopySignOp>([](auto) { return "llvm.copysign"; })
      .Case<math::CtPopOp>([](auto) { return "llvm.ctpop"; })
      .Case<math::CountLeadingZerosOp>([](auto) { return "llvm.ctlz"; })
      .Case<math::CountTrailingZerosOp>([](auto) { return "llvm.cttz"; })
      .Case<math::AbsIOp>([](auto) { return "llvm.abs"; })
      .Case<arith::MaxNumFOp>([](auto) { return "llvm.maxnum"; })
      .Case<arith::MinNumFOp>([](auto) { return "llvm.minnum"; })
      .Default([](Operation *) { return StringRef(); });
}

/// The type of as many i64 as the type has indices.
Type numbersOf(Type indices) {
  Type number = IntegerType::get(indices.getContext(), 64);
  auto vector = dyn_cast<VectorType>(indices);
  return vector ? Type(vector.clone(number)) : number;
}

struct MathToIntrinsics : impl::MathToIntrinsicsBase<MathToIntrinsics> {
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      StringRef intrinsic = intrinsicFor(op);
      if (intrinsic.empty())
        return;
      OpBuilder builder(op);
      SmallVector<Value> operands(op->getOperands());
      Type type = op->getResult(0).getType();
      // LLVM has no index: a vector of them is not converted around a call.
      bool isIndex = getElementTypeOrSelf(type).isIndex();
      Type number = isIndex ? numbersOf(type) : type;
      for (Value &operand : operands)
        if (isIndex)
          operand = arith::IndexCastOp::create(builder, op->getLoc(), number, operand);
      if (isa<math::CountLeadingZerosOp, math::CountTrailingZerosOp, math::AbsIOp>(
              op)) // The second operand: no input gives poison.
        operands.push_back(arith::ConstantIntOp::create(builder, op->getLoc(), 0, 1));
      auto call =
          LLVM::CallIntrinsicOp::create(builder, op->getLoc(), number, builder.getStringAttr(intrinsic), operands);
      Value result = call.getResult(0);
      if (isIndex)
        result = arith::IndexCastOp::create(builder, op->getLoc(), type, result);
      op->getResult(0).replaceAllUsesWith(result);
      op->erase();
    });
  }
};
} // namespace
} // namespace lispier
