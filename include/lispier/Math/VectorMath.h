//===- VectorMath.h - arithmetic on one shape of floats ---------*- C++ -*-===//
#ifndef LISPIER_MATH_VECTORMATH_H
#define LISPIER_MATH_VECTORMATH_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/ArrayRef.h"

#include <limits>

namespace lispier {
/// Creates float and integer ops on values that all have the shape of one value of type Float; integers have the same
/// width, but for i64, extend (to 64 bits) and truncate (to 32). Short names keep formulas readable.
template <typename Float, typename Integer> class BasicVectorMath {
public:
  static_assert(sizeof(Float) == sizeof(Integer));
  using Value = mlir::Value;
  BasicVectorMath(mlir::ImplicitLocOpBuilder &b, Value like) : b(b), type(like.getType()) {}

  mlir::ImplicitLocOpBuilder &builder() { return b; }
  mlir::Type floatType() const { return type; }
  mlir::Type integerType(unsigned width) const { return like(b.getIntegerType(width)); }

  Value f(Float value) { return constant(b.getFloatAttr(mlir::getElementTypeOrSelf(type), value), type); }
  Value i(Integer value) { return constant(b.getIntegerAttr(b.getIntegerType(kBits), value), integerType(kBits)); }
  Value i64(int64_t value) { return constant(b.getI64IntegerAttr(value), integerType(64)); }

  Value fma(Value x, Value y, Value z) { return mlir::math::FmaOp::create(b, x, y, z); }
  Value mul(Value x, Value y) { return mlir::arith::MulFOp::create(b, x, y); }
  Value add(Value x, Value y) { return mlir::arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) { return mlir::arith::SubFOp::create(b, x, y); }
  Value div(Value x, Value y) { return mlir::arith::DivFOp::create(b, x, y); }
  Value abs(Value x) { return mlir::math::AbsFOp::create(b, x); }
  Value negate(Value x) { return mlir::arith::NegFOp::create(b, x); }
  Value trunc(Value x) { return mlir::math::TruncOp::create(b, x); }
  Value both(Value x, Value y) { return mlir::arith::AndIOp::create(b, x, y); }
  Value either(Value x, Value y) { return mlir::arith::OrIOp::create(b, x, y); }
  Value copySign(Value x, Value sign) { return mlir::math::CopySignOp::create(b, x, sign); }

  Value bits(Value x) { return mlir::arith::BitcastOp::create(b, integerType(kBits), x); }
  Value fromBits(Value x) { return mlir::arith::BitcastOp::create(b, type, x); }
  Value toFloat(Value x) { return mlir::arith::SIToFPOp::create(b, type, x); }
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

  /// Ordered comparisons: false if an operand is NaN.
  Value less(Value x, Value y) { return compare(mlir::arith::CmpFPredicate::OLT, x, y); }
  Value greater(Value x, Value y) { return compare(mlir::arith::CmpFPredicate::OGT, x, y); }
  Value equal(Value x, Value y) { return compare(mlir::arith::CmpFPredicate::OEQ, x, y); }
  Value iequal(Value x, Value y) { return mlir::arith::CmpIOp::create(b, mlir::arith::CmpIPredicate::eq, x, y); }
  Value select(Value condition, Value yes, Value no) { return mlir::arith::SelectOp::create(b, condition, yes, no); }
  /// min(x, high) and max(x, low); a NaN x is returned, because the comparison is false.
  Value atMost(Value x, Float high) { return select(greater(x, f(high)), f(high), x); }
  Value atLeast(Value x, Float low) { return select(less(x, f(low)), f(low), x); }

  /// x^y, given |x|^y.
  Value powerOf(Value x, Value y, Value ofMagnitude) {
    constexpr Float infinity = std::numeric_limits<Float>::infinity(), nan = std::numeric_limits<Float>::quiet_NaN();
    Value zero = f(0), one = f(1), half = mul(y, f(Float(0.5)));
    Value isInteger = equal(trunc(y), y), isEven = equal(trunc(half), half);
    Value isNegative = less(copySign(one, x), zero); // also -0
    Value flipped = select(isEven, ofMagnitude, negate(ofMagnitude));
    Value result = select(both(isNegative, isInteger), flipped, ofMagnitude);
    Value isReal = select(both(less(x, zero), greater(x, f(-infinity))), isInteger, equal(zero, zero));
    result = select(isReal, result, f(nan));
    return select(either(equal(x, one), equal(y, zero)), one, result);
  }

  /// c[0] + c[1] x + c[2] x^2 ..., by Horner's rule.
  Value polynomial(Value x, llvm::ArrayRef<Float> coefficients) {
    Value sum = f(coefficients.back());
    for (Float c : llvm::reverse(coefficients.drop_back()))
      sum = fma(sum, x, f(c));
    return sum;
  }

private:
  static constexpr unsigned kBits = 8 * sizeof(Float);

  mlir::Type like(mlir::Type element) const {
    if (auto vector = llvm::dyn_cast<mlir::VectorType>(type))
      return vector.clone(element);
    return element;
  }
  Value constant(mlir::TypedAttr scalar, mlir::Type shape) {
    if (auto vector = llvm::dyn_cast<mlir::VectorType>(shape))
      return mlir::arith::ConstantOp::create(b, mlir::DenseElementsAttr::get(vector, mlir::Attribute(scalar)));
    return mlir::arith::ConstantOp::create(b, scalar);
  }
  Value compare(mlir::arith::CmpFPredicate predicate, Value x, Value y) {
    return mlir::arith::CmpFOp::create(b, predicate, x, y);
  }

  mlir::ImplicitLocOpBuilder &b;
  mlir::Type type;
};

using VectorMath = BasicVectorMath<float, int32_t>;

/// Whether a condition, or at least one lane of a vector of conditions, holds: an i1.
mlir::Value anyLane(mlir::ImplicitLocOpBuilder &b, mlir::Value condition);
} // namespace lispier
#endif
