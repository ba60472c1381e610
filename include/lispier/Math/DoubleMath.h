//===- DoubleMath.h - double-double arithmetic ------------------*- C++ -*-===//
//
// Error-free sums and products (Knuth, Dekker; see Muller et al., "Handbook of
// Floating-Point Arithmetic", chapters 4 and 14), and functions that several
// families of elementary functions use.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_MATH_DOUBLEMATH_H
#define LISPIER_MATH_DOUBLEMATH_H

#include "lispier/Math/VectorMath.h"

namespace lispier {
/// A double-double: the unevaluated sum of two f64, |low| at most about an ulp of high.
struct Pair {
  mlir::Value high, low;
};

class DoubleMath : public BasicVectorMath<double, int64_t> {
public:
  using BasicVectorMath::BasicVectorMath;

  Value sqrt(Value x) { return mlir::math::SqrtOp::create(builder(), x); }
  Pair select(Value condition, Pair yes, Pair no);
  using BasicVectorMath::select;

  /// a + b, exactly; |a| >= |b|, or a is 0.
  Pair fastSum(Value a, Value b);
  /// a + b, exactly.
  Pair sum(Value a, Value b);
  /// a b, exactly.
  Pair product(Value a, Value b);
  /// Barring underflow, `mul`, `div` and `sqrt` have a relative error of about 2^-100. The error of `add` is about
  /// 2^-100 (|a| + |b|): relative to the result only if it does not cancel. `add` requires |a| >= |b|, or a = 0.
  Pair add(Pair a, Pair b);
  using BasicVectorMath::add;
  Pair mul(Pair a, Pair b);
  using BasicVectorMath::mul;
  Pair div(Pair a, Pair b);
  using BasicVectorMath::div;
  Pair sqrt(Pair x);
  Value rounded(Pair x) { return add(x.high, x.low); }
  Pair constant(double high, double low) { return {f(high), f(low)}; }
};

/// e^x = (value.high + value.low) 2^exponent with a relative error of 2^-59; value is in [0.7, 1.42].
struct Exponential {
  Pair value;
  mlir::Value exponent; ///< i64, or a vector of i64 with x's shape.
};
/// Emits e^x for |x.high| <= 800. x.low need not be below an ulp of x.high, only below 2^-10 in magnitude.
Exponential exponential(DoubleMath &m, Pair x);
/// Emits x 2^n with one rounding, for an i64 or vector of i64 |n| <= 1200 and 2^-64 < x < 2^64: as two products, of
/// which the first is always a normal number and thus exact.
mlir::Value scaleByPowerOfTwo(DoubleMath &m, mlir::Value x, mlir::Value n);
} // namespace lispier
#endif
