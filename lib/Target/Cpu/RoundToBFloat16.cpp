//===- RoundToBFloat16.cpp - f32 to bf16 in integers ----------------------===//
//
// Before: arith.truncf to bf16. Without an instruction for it LLVM calls a library
// function per lane; the instruction of AVX512-BF16 flushes subnormals to 0. After:
// integer ops that round to nearest even: for scalars on every processor, so that
// results do not depend on it; for vectors only if there is no instruction, because
// the speed of kernels depends on it.
//
//===----------------------------------------------------------------------===//
#include "lispier/Target/Cpu/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_ROUNDTOBFLOAT16
#include "lispier/Target/Cpu/Passes.h.inc"

namespace {
/// The bf16 nearest to x, an f32 or a vector of f32. A NaN stays a NaN, with its sign.
Value rounded(ImplicitLocOpBuilder &b, Value x, Type type) {
  auto like = [&](Type element) {
    auto vector = dyn_cast<VectorType>(type);
    return vector ? Type(vector.clone(element)) : element;
  };
  Type i32 = like(b.getI32Type());
  auto constant = [&](int32_t value) -> Value {
    TypedAttr attribute = b.getI32IntegerAttr(value);
    if (auto vector = dyn_cast<VectorType>(i32))
      attribute = DenseElementsAttr::get(vector, Attribute(attribute));
    return arith::ConstantOp::create(b, attribute);
  };
  Value bits = arith::BitcastOp::create(b, i32, x), sixteen = constant(16);
  Value upper = arith::ShRUIOp::create(b, bits, sixteen);
  Value isOdd = arith::AndIOp::create(b, upper, constant(1)); // For ties to even.
  Value sum = arith::AddIOp::create(b, arith::AddIOp::create(b, bits, constant(0x7FFF)), isOdd);
  Value nearest = arith::ShRUIOp::create(b, sum, sixteen);
  Value quietNan = arith::OrIOp::create(b, upper, constant(0x40));
  Value isNan = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, x, x);
  Value result = arith::SelectOp::create(b, isNan, quietNan, nearest);
  return arith::BitcastOp::create(b, type, arith::TruncIOp::create(b, like(b.getI16Type()), result));
}

struct RoundToBFloat16 : impl::RoundToBFloat16Base<RoundToBFloat16> {
  using RoundToBFloat16Base::RoundToBFloat16Base;

  void runOnOperation() override {
    getOperation()->walk([&](arith::TruncFOp op) {
      if (!getElementTypeOrSelf(op.getType()).isBF16() || !getElementTypeOrSelf(op.getIn().getType()).isF32())
        return;
      using Mode = arith::RoundingMode;
      if (op.getRoundingmode().value_or(Mode::to_nearest_even) != Mode::to_nearest_even)
        return;
      if (isa<ShapedType>(op.getType()) && !(vectors && isa<VectorType>(op.getType())))
        return;
      ImplicitLocOpBuilder b(op.getLoc(), op);
      op.replaceAllUsesWith(rounded(b, op.getIn(), op.getType()));
      op.erase();
    });
  }
};
} // namespace
} // namespace lispier
