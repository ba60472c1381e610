//===- DoubleExponentials.cpp - exp, tanh, erf ... of f64 in FMAs ---------===//
#include "FloatFormats.h"
#include "lispier/Math/Constants.h"
#include "lispier/Math/DoubleFunctions.h"
#include "lispier/Math/DoubleMath.h"

#include <limits>

using namespace mlir;

namespace lispier {
namespace {
constexpr double kMostExp = 710.0, kLeastExp = -746.0;

Value toPowerOfTwo(DoubleMath &m, Value n) {
  return m.fromBits(m.shl(m.iadd(n, m.i(f64::kExponentBias)), m.i(f64::kMantissaBits)));
}

/// e^r for |r| <= ln(2)/2 + 2^-10 as 1 + (r + r^2/2 + r^3 Q(r)).
Pair smallExponential(DoubleMath &m, Pair r) {
  Value q = m.polynomial(r.high, f64::kExpm1);
  Value square = m.mul(r.high, r.high);
  Value tail = m.fma(square, m.fma(r.high, q, m.f(0.5)), m.fma(r.high, r.low, r.low));
  Pair s = m.fastSum(m.f(1.0), r.high);
  return {s.high, m.add(s.low, tail)};
}
} // namespace

Exponential exponential(DoubleMath &m, Pair x) {
  Value shifted = m.fma(x.high, m.f(f64::kLog2E), m.f(f64::kRoundMagic));
  Value n = m.sub(shifted, m.f(f64::kRoundMagic));
  Value reduced = m.fma(n, m.f(-f64::kLn2Short), x.high); // exact
  Pair r = m.sum(reduced, m.fma(n, m.f(-f64::kLn2Rest), x.low));
  return {smallExponential(m, r), m.isub(m.bits(shifted), m.i(f64::kRoundMagicBits))};
}

Value scaleByPowerOfTwo(DoubleMath &m, Value x, Value n) {
  Value half = m.shrs(n, m.i(1));
  return m.mul(m.mul(x, toPowerOfTwo(m, half)), toPowerOfTwo(m, m.isub(n, half)));
}

namespace {
/// e^x - 1, for an exponent of at least -64 and at most 1023.
Pair minusOne(DoubleMath &m, Exponential e) {
  Value scale = toPowerOfTwo(m, e.exponent);
  Pair whole = m.sum(m.mul(e.value.high, scale), m.f(-1.0));
  return m.fastSum(whole.high, m.fma(e.value.low, scale, whole.low));
}

/// e^|x| / 2, which is finite a little further than e^|x|.
Pair halfExponential(DoubleMath &m, Value a) {
  Exponential e = exponential(m, {m.atMost(a, kMostExp + 1.0), m.f(0.0)});
  Value n = m.isub(e.exponent, m.i(1));
  Value half = m.shrs(n, m.i(1));
  Value first = toPowerOfTwo(m, half), second = toPowerOfTwo(m, m.isub(n, half));
  Pair value = m.fastSum(e.value.high, e.value.low);
  return {m.mul(m.mul(value.high, first), second), m.mul(m.mul(value.low, first), second)};
}
} // namespace

namespace f64 {
Value emitExp(ImplicitLocOpBuilder &b, Value x) {
  DoubleMath m(b, x);
  x = m.atLeast(m.atMost(x, kMostExp), kLeastExp);
  Exponential e = exponential(m, {x, m.f(0.0)});
  return scaleByPowerOfTwo(m, m.rounded(e.value), e.exponent);
}

Value emitExp2(ImplicitLocOpBuilder &b, Value x) {
  DoubleMath m(b, x);
  x = m.atLeast(m.atMost(x, 1025.0), -1076.0);
  Value shifted = m.add(x, m.f(f64::kRoundMagic));
  Value fraction = m.sub(x, m.sub(shifted, m.f(f64::kRoundMagic))); // exact
  Pair r = m.product(fraction, m.f(kLn2));
  r.low = m.fma(fraction, m.f(kLn2Low), r.low);
  Value n = m.isub(m.bits(shifted), m.i(f64::kRoundMagicBits));
  return scaleByPowerOfTwo(m, m.rounded(smallExponential(m, r)), n);
}

Value emitExpm1(ImplicitLocOpBuilder &b, Value x) {
  DoubleMath m(b, x);
  Exponential e = exponential(m, {m.atLeast(m.atMost(x, kMostExp), -40.0), m.f(0.0)});
  // From 40 on the 1 is less than an ulp, and 2^1024, which overflows, could be needed.
  Value large = scaleByPowerOfTwo(m, m.rounded(e.value), e.exponent);
  Value y = m.select(m.greater(x, m.f(40.0)), large, m.rounded(minusOne(m, e)));
  return m.select(m.less(m.abs(x), m.f(f64::kTiny)), x, y); // keeps -0
}

Value emitTanh(ImplicitLocOpBuilder &b, Value x) {
  DoubleMath m(b, x);
  // tanh |x| = (e^2|x| - 1) / (e^2|x| + 1); it rounds to 1 from 19.1 on.
  Value a = m.abs(x);
  Pair em = minusOne(m, exponential(m, {m.atMost(m.add(a, a), 40.0), m.f(0.0)}));
  Pair above = m.sum(em.high, m.f(2.0));
  Value y = m.rounded(m.div(em, {above.high, m.add(above.low, em.low)}));
  return m.copySign(m.select(m.less(a, m.f(f64::kNearlyLinear)), a, y), x);
}

Value emitSinh(ImplicitLocOpBuilder &b, Value x) {
  DoubleMath m(b, x);
  Value a = m.abs(x);
  // |x| < 1: x + x^3 P(x^2).
  Value square = m.mul(a, a);
  Value p = m.polynomial(square, kSinh);
  Value small = m.fma(m.mul(square, a), p, a);
  Pair half = halfExponential(m, a);
  Pair difference = m.sum(half.high, m.div(m.f(-0.25), half.high));
  Value large = m.add(difference.high, m.add(difference.low, half.low));
  // If e^|x| is infinite, the error terms of the sums are NaN.
  large = m.select(m.greater(a, m.f(40.0)), m.add(half.high, half.low), large);
  large = m.select(m.less(half.high, m.f(std::numeric_limits<double>::infinity())), large, half.high);
  return m.copySign(m.select(m.less(a, m.f(1.0)), small, large), x);
}

Value emitCosh(ImplicitLocOpBuilder &b, Value x) {
  DoubleMath m(b, x);
  Pair half = halfExponential(m, m.abs(x));
  Value y = m.add(half.high, m.add(m.div(m.f(0.25), half.high), half.low));
  return m.select(m.less(half.high, m.f(std::numeric_limits<double>::infinity())), y, half.high);
}

namespace {
/// erf of |x| < 1: x + x P(x^2).
Value erfNearZero(DoubleMath &m, Value x) {
  Value p = m.polynomial(m.mul(x, x), kErf);
  return m.fma(x, p, x);
}

/// erfc of a >= 1/2: e^-a^2 P(t) / (1 + 2 a) with t = (a - 4)/(a + 4).
Value erfcOfLarge(DoubleMath &m, Value a) {
  a = m.atMost(a, 28.0); // It rounds to 0 from 27.3 on.
  Value t = m.div(m.sub(a, m.f(4.0)), m.add(a, m.f(4.0)));
  Value p = m.polynomial(t, kErfc);
  Pair square = m.product(a, a);
  Exponential e = exponential(m, {m.negate(square.high), m.negate(square.low)});
  Pair below = m.sum(m.add(a, a), m.f(1.0));
  Value y = m.rounded(m.div(m.mul(e.value, {p, m.f(0.0)}), below));
  return scaleByPowerOfTwo(m, y, e.exponent);
}
} // namespace

Value emitErfc(ImplicitLocOpBuilder &b, Value x) {
  DoubleMath m(b, x);
  Value a = m.abs(x), large = erfcOfLarge(m, a);
  large = m.select(m.less(x, m.f(0.0)), m.sub(m.f(2.0), large), large);
  return m.select(m.less(a, m.f(0.5)), m.sub(m.f(1.0), erfNearZero(m, x)), large);
}

Value emitErf(ImplicitLocOpBuilder &b, Value x) {
  DoubleMath m(b, x);
  Value a = m.abs(x), large = m.copySign(m.sub(m.f(1.0), erfcOfLarge(m, a)), x);
  return m.select(m.less(a, m.f(1.0)), erfNearZero(m, x), large);
}
} // namespace f64
} // namespace lispier
