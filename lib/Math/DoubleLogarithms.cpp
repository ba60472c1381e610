//===- DoubleLogarithms.cpp - log, pow, asinh, cbrt ... of f64 in FMAs ----===//
#include "FloatFormats.h"
#include "lispier/Math/Constants.h"
#include "lispier/Math/DoubleFunctions.h"
#include "lispier/Math/DoubleMath.h"

#include <limits>

using namespace mlir;

namespace lispier::f64 {
namespace {
constexpr double kSmallestNormal = std::numeric_limits<double>::min();

/// log(1 + f) to 2^-66 of itself, for 1 + f in [sqrt(1/2), sqrt(2)): with s = f/(2 + f) that is
/// 2 s + 2/3 s^3 + s^5 P(s^2). The first two terms are double-doubles.
Pair logNearOne(DoubleMath &m, Pair f) {
  Pair below = m.fastSum(m.f(2.0), f.high);
  Pair s = m.div(f, {below.high, m.add(below.low, f.low)});
  Pair square = m.mul(s, s);
  Pair third = m.mul(m.mul(s, square), m.constant(kTwoThirds, kTwoThirdsLow));
  Value p = m.polynomial(square.high, kAtanh);
  Value fifth = m.mul(m.mul(s.high, square.high), square.high);
  return m.add(Pair{m.add(s.high, s.high), m.add(s.low, s.low)}, {third.high, m.fma(fifth, p, third.low)});
}

/// log x + more log 2, for positive finite x; x.low may be null, and is where x.high is denormal.
Pair logarithm(DoubleMath &m, Pair x, int64_t more = 0) {
  // Scales denormals by 2^54 to normal numbers, whose exponent field is valid.
  Value small = m.less(x.high, m.f(kSmallestNormal));
  Value bits = m.bits(m.select(small, m.mul(x.high, m.f(0x1p54)), x.high));
  Value exponent = m.shrs(m.isub(bits, m.i(kSqrtHalfBits)), m.i(kMantissaBits));
  Value mantissa = m.fromBits(m.isub(bits, m.shl(exponent, m.i(kMantissaBits))));
  Value f = m.sub(mantissa, m.f(1.0)); // exact
  Pair near{f, m.f(0.0)};
  if (x.low) {
    // If 2^-exponent underflows, x is so large that its low part does not matter.
    Value scale = m.fromBits(m.shl(m.isub(m.i(kExponentBias), exponent), m.i(kMantissaBits)));
    Value low = m.select(m.less(x.high, m.f(0x1p1000)), m.mul(x.low, scale), m.f(0.0));
    near = m.fastSum(f, low);
  }
  Value e = m.toFloat(m.isub(exponent, m.select(small, m.i(54 - more), m.i(-more))));
  return m.add({m.mul(e, m.f(kLn2Short)), m.mul(e, m.f(kLn2Rest))}, logNearOne(m, near));
}
Pair logarithm(DoubleMath &m, Value x, int64_t more = 0) { return logarithm(m, Pair{x, nullptr}, more); }

/// Replaces a logarithm's `result`, valid for positive finite x, in the other cases. `pole` is the x at which it is
/// -inf.
Value logSpecials(DoubleMath &m, Value x, double pole, Value result) {
  result = m.select(m.less(x, m.f(kInfinity)), result, x); // inf and NaN stay
  result = m.select(m.less(x, m.f(pole)), m.f(kNan), result);
  return m.select(m.equal(x, m.f(pole)), m.f(-kInfinity), result);
}

/// log(1 + f) for f > -1.
Value logOfOnePlus(DoubleMath &m, Pair f) {
  Pair x = m.sum(m.f(1.0), f.high);
  Value y = m.rounded(logarithm(m, {x.high, m.add(x.low, f.low)}));
  return logSpecials(m, f.high, -1.0, y);
}
} // namespace

Value emitLog(ImplicitLocOpBuilder &b, Value x) {
  DoubleMath m(b, x);
  return logSpecials(m, x, 0.0, m.rounded(logarithm(m, x)));
}

Value emitLog2(ImplicitLocOpBuilder &b, Value x) {
  DoubleMath m(b, x);
  Pair y = m.mul(logarithm(m, x), m.constant(kLog2E, kLog2ELow));
  return logSpecials(m, x, 0.0, m.rounded(y));
}

Value emitLog10(ImplicitLocOpBuilder &b, Value x) {
  DoubleMath m(b, x);
  Pair y = m.mul(logarithm(m, x), m.constant(kLog10E, kLog10ELow));
  return logSpecials(m, x, 0.0, m.rounded(y));
}

Value emitLog1p(ImplicitLocOpBuilder &b, Value x) {
  DoubleMath m(b, x);
  Value y = logOfOnePlus(m, {x, m.f(0.0)});
  return m.select(m.less(m.abs(x), m.f(kTiny)), x, y);
}

Value emitPow(ImplicitLocOpBuilder &b, Value x, Value y) {
  DoubleMath m(b, x);
  Value zero = m.f(0.0), a = m.abs(x);
  Pair log = logarithm(m, a);
  Value isOrdinary = m.both(m.greater(a, zero), m.less(a, m.f(kInfinity)));
  log = {logSpecials(m, a, 0.0, log.high), m.select(isOrdinary, log.low, zero)};
  Pair exponent = m.product(y, log.high);
  exponent.low = m.fma(y, log.low, exponent.low);
  // Beyond 1000 the result is 0 or inf, and error terms of products may be NaN. A logarithm of 0 stays 0, also if
  // multiplied by inf.
  exponent.low = m.select(m.less(m.abs(exponent.high), m.f(1000.0)), exponent.low, zero);
  exponent.high = m.select(m.equal(log.high, zero), zero, exponent.high);
  exponent.high = m.atLeast(m.atMost(exponent.high, 710.0), -746.0);
  Exponential e = exponential(m, exponent);
  Value result = scaleByPowerOfTwo(m, m.rounded(e.value), e.exponent);
  return m.powerOf(x, y, result);
}

Value emitAsinh(ImplicitLocOpBuilder &b, Value x) {
  DoubleMath m(b, x);
  Value a = m.abs(x), square = m.mul(a, a);
  Value root = m.sqrt(m.add(square, m.f(1.0)));
  Value y = logOfOnePlus(m, m.fastSum(a, m.div(square, m.add(root, m.f(1.0)))));
  Value huge = logSpecials(m, a, 0.0, m.rounded(logarithm(m, a, /*more=*/1)));
  y = m.select(m.less(a, m.f(kNearlyLinear)), a, m.select(m.greater(a, m.f(kHuge)), huge, y));
  return m.copySign(y, x);
}

Value emitAcosh(ImplicitLocOpBuilder &b, Value x) {
  DoubleMath m(b, x);
  Value above = m.sub(x, m.f(1.0));
  Value root = m.sqrt(m.fma(above, above, m.add(above, above)));
  Value y = logOfOnePlus(m, m.fastSum(root, above));
  Value huge = logSpecials(m, x, 0.0, m.rounded(logarithm(m, x, /*more=*/1)));
  y = m.select(m.greater(x, m.f(kHuge)), huge, y);
  return m.select(m.less(x, m.f(1.0)), m.f(kNan), y);
}

Value emitAtanh(ImplicitLocOpBuilder &b, Value x) {
  DoubleMath m(b, x);
  Value a = m.abs(x), zero = m.f(0.0);
  Pair ratio = m.div(Pair{m.add(a, a), zero}, m.sum(m.f(1.0), m.negate(a)));
  Value y = m.mul(logOfOnePlus(m, ratio), m.f(0.5));
  y = m.select(m.equal(a, m.f(1.0)), m.f(kInfinity), m.select(m.less(a, m.f(kNearlyLinear)), a, y));
  return m.copySign(m.select(m.greater(a, m.f(1.0)), m.f(kNan), y), x);
}

Value emitCbrt(ImplicitLocOpBuilder &b, Value x) {
  DoubleMath m(b, x);
  Value a = m.abs(x);
  // Scales denormals, which have no valid exponent field, and the largest numbers, of which 3 x overflows.
  auto choose = [&](double small, double large) {
    Value isSmall = m.less(a, m.f(kSmallestNormal)), isLarge = m.greater(a, m.f(0x1p1020));
    return m.select(isSmall, m.f(small), m.select(isLarge, m.f(large), m.f(1.0)));
  };
  Value s = m.mul(a, choose(0x1p54, 0x1p-54));
  // A first estimate within 3.2 %: a third of the bits, which are nearly the logarithm. Two Halley steps reduce the
  // error to 3 10^-5 and 2 10^-14, a Newton step with a double-double residual to its rounding.
  Value third = m.shru(m.imul(m.shru(m.bits(s), m.i(32)), m.i(0x55555556)), m.i(32));
  Value y = m.fromBits(m.shl(m.iadd(third, m.i(kCubeRootBits)), m.i(32)));
  for (int step = 0; step < 2; ++step) {
    Value cube = m.mul(m.mul(y, y), y);
    y = m.mul(y, m.div(m.fma(s, m.f(2.0), cube), m.fma(cube, m.f(2.0), s)));
  }
  Pair square = m.product(y, y);
  Value excess = m.fma(square.low, y, m.fma(square.high, y, m.negate(s)));
  y = m.sub(y, m.div(excess, m.mul(square.high, m.f(3.0))));
  y = m.copySign(m.mul(y, choose(0x1p-18, 0x1p18)), x);
  // Zeros, infinities and NaN stay.
  return m.select(m.both(m.greater(a, m.f(0.0)), m.less(a, m.f(kInfinity))), y, x);
}
} // namespace lispier::f64
