//===- VectorMath.h - arithmetic on one shape of f32 and i32 ----*- C++ -*-===//
#ifndef LISPIER_LOOPS_VECTORMATH_H
#define LISPIER_LOOPS_VECTORMATH_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/ArrayRef.h"

namespace lispier {
/// Spells out float and integer ops on values that all have the shape of one
/// f32 value, so that formulas read as formulas.
class VectorMath {
public:
  using Value = mlir::Value;
  VectorMath(mlir::ImplicitLocOpBuilder &b, Value likeF32) : b(b), f32Type(likeF32.getType()) {}

  mlir::ImplicitLocOpBuilder &builder() { return b; }
  mlir::Type floatType() const { return f32Type; }
  mlir::Type integerType(unsigned width) const { return like(b.getIntegerType(width)); }

  Value f(float value) { return constant(b.getF32FloatAttr(value), f32Type); }
  Value i(int32_t value) { return constant(b.getI32IntegerAttr(value), integerType(32)); }
  Value i64(int64_t value) { return constant(b.getI64IntegerAttr(value), integerType(64)); }

  Value fma(Value x, Value y, Value z) { return mlir::math::FmaOp::create(b, x, y, z); }
  Value mul(Value x, Value y) { return mlir::arith::MulFOp::create(b, x, y); }
  Value add(Value x, Value y) { return mlir::arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) { return mlir::arith::SubFOp::create(b, x, y); }
  Value div(Value x, Value y) { return mlir::arith::DivFOp::create(b, x, y); }
  Value abs(Value x) { return mlir::math::AbsFOp::create(b, x); }
  Value copySign(Value x, Value sign) { return mlir::math::CopySignOp::create(b, x, sign); }

  Value bits(Value x) { return mlir::arith::BitcastOp::create(b, integerType(32), x); }
  Value fromBits(Value x) { return mlir::arith::BitcastOp::create(b, f32Type, x); }
  Value toFloat(Value x) { return mlir::arith::SIToFPOp::create(b, f32Type, x); }
  Value extend(Value x) { return mlir::arith::ExtUIOp::create(b, integerType(64), x); }
  Value truncate(Value x) { return mlir::arith::TruncIOp::create(b, integerType(32), x); }
  Value iadd(Value x, Value y) { return mlir::arith::AddIOp::create(b, x, y); }
  Value isub(Value x, Value y) { return mlir::arith::SubIOp::create(b, x, y); }
  Value imul(Value x, Value y) { return mlir::arith::MulIOp::create(b, x, y); }
  Value iand(Value x, Value y) { return mlir::arith::AndIOp::create(b, x, y); }
  Value ior(Value x, Value y) { return mlir::arith::OrIOp::create(b, x, y); }
  Value shl(Value x, Value y) { return mlir::arith::ShLIOp::create(b, x, y); }
  Value shrs(Value x, Value y) { return mlir::arith::ShRSIOp::create(b, x, y); }
  Value shru(Value x, Value y) { return mlir::arith::ShRUIOp::create(b, x, y); }

  /// Ordered comparisons: false when a side is not a number.
  Value less(Value x, Value y) { return compare(mlir::arith::CmpFPredicate::OLT, x, y); }
  Value greater(Value x, Value y) { return compare(mlir::arith::CmpFPredicate::OGT, x, y); }
  Value equal(Value x, Value y) { return compare(mlir::arith::CmpFPredicate::OEQ, x, y); }
  Value iequal(Value x, Value y) {
    return mlir::arith::CmpIOp::create(b, mlir::arith::CmpIPredicate::eq, x, y);
  }
  Value select(Value condition, Value yes, Value no) {
    return mlir::arith::SelectOp::create(b, condition, yes, no);
  }
  /// A NaN x stays: the comparison fails.
  Value atMost(Value x, float high) { return select(greater(x, f(high)), f(high), x); }
  Value atLeast(Value x, float low) { return select(less(x, f(low)), f(low), x); }

  /// c[0] + c[1] x + c[2] x^2 ..., by Horner's rule.
  Value polynomial(Value x, llvm::ArrayRef<float> coefficients) {
    Value sum = f(coefficients.back());
    for (float c : llvm::reverse(coefficients.drop_back()))
      sum = fma(sum, x, f(c));
    return sum;
  }

private:
  mlir::Type like(mlir::Type element) const {
    if (auto vector = llvm::dyn_cast<mlir::VectorType>(f32Type))
      return vector.clone(element);
    return element;
  }
  Value constant(mlir::TypedAttr scalar, mlir::Type type) {
    if (auto vector = llvm::dyn_cast<mlir::VectorType>(type))
      return mlir::arith::ConstantOp::create(b, mlir::DenseElementsAttr::get(vector, mlir::Attribute(scalar)));
    return mlir::arith::ConstantOp::create(b, scalar);
  }
  Value compare(mlir::arith::CmpFPredicate predicate, Value x, Value y) {
    return mlir::arith::CmpFOp::create(b, predicate, x, y);
  }

  mlir::ImplicitLocOpBuilder &b;
  mlir::Type f32Type;
};
} // namespace lispier
#endif
