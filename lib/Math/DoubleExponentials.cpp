//===- DoubleExponentials.cpp - exp, tanh, erf ... of f64 in FMAs ---------===//
#include "lispier/Math/DoubleFunctions.h"
#include "lispier/Math/DoubleMath.h"

#include <limits>

using namespace mlir;

namespace lispier {
namespace {
// As in ElementaryFunctions.cpp: rounds to an integer, for |x| < 2^51.
constexpr double kRoundMagic = 0x1.8p52;
constexpr int64_t kRoundMagicBits = 0x4338000000000000;
constexpr int64_t kExponentBias = 1023, kMantissaBits = 52;
// ln 2 in 42 bits, so that its product with an exponent is exact, and the rest.
constexpr double kLn2 = 0x1.62e42fefa38p-1, kLn2Low = 0x1.ef35793c7673p-45;
constexpr double kLog2E = 0x1.71547652b82fep+0;
// Below this x and x + x^2/2 are the same f64.
constexpr double kTiny = 0x1p-54;
// Below this x and x + x^3/3 are.
constexpr double kNearlyLinear = 0x1p-28;
constexpr double kMostExp = 710.0, kLeastExp = -746.0;

Value powerOfTwo(DoubleMath &m, Value n) {
  return m.fromBits(m.shl(m.iadd(n, m.i(kExponentBias)), m.i(kMantissaBits)));
}

/// e^r for |r| <= ln(2)/2 + 2^-10 as 1 + (r + r^2/2 + r^3 Q(r)), fitted to 2^-64.8 of e^r - 1.
Pair smallExponential(DoubleMath &m, Pair r) {
  Value q =
      m.polynomial(r.high, {0x1.5555555555555p-3, 0x1.5555555555559p-5, 0x1.11111111113a9p-7, 0x1.6c16c16c1470ep-10,
                            0x1.a01a019e8240ep-13, 0x1.a01a01b0c8721p-16, 0x1.71de41168f934p-19, 0x1.27e4c435128adp-22,
                            0x1.ae4a726a4a78ap-26, 0x1.1f990add5a8d3p-29, 0x1.862ed11777400p-33});
  Value square = m.mul(r.high, r.high);
  Value tail = m.fma(square, m.fma(r.high, q, m.f(0.5)), m.fma(r.high, r.low, r.low));
  Pair s = m.fastSum(m.f(1.0), r.high);
  return {s.high, m.add(s.low, tail)};
}
} // namespace

Exponential exponential(DoubleMath &m, Pair x) {
  Value shifted = m.fma(x.high, m.f(kLog2E), m.f(kRoundMagic));
  Value n = m.sub(shifted, m.f(kRoundMagic));
  Value reduced = m.fma(n, m.f(-kLn2), x.high); // exact
  Pair r = m.sum(reduced, m.fma(n, m.f(-kLn2Low), x.low));
  return {smallExponential(m, r), m.isub(m.bits(shifted), m.i(kRoundMagicBits))};
}

Value scaleByPowerOfTwo(DoubleMath &m, Value x, Value n) {
  Value half = m.shrs(n, m.i(1));
  return m.mul(m.mul(x, powerOfTwo(m, half)), powerOfTwo(m, m.isub(n, half)));
}

namespace {
/// e^x - 1, for an exponent of at least -64 and at most 1023.
Pair minusOne(DoubleMath &m, Exponential e) {
  Value scale = powerOfTwo(m, e.exponent);
  Pair whole = m.sum(m.mul(e.value.high, scale), m.f(-1.0));
  return m.fastSum(whole.high, m.fma(e.value.low, scale, whole.low));
}

/// e^|x| / 2, which is finite a little further than e^|x|.
Pair halfExponential(DoubleMath &m, Value a) {
  Exponential e = exponential(m, {m.atMost(a, kMostExp + 1.0), m.f(0.0)});
  Value n = m.isub(e.exponent, m.i(1));
  Value half = m.shrs(n, m.i(1));
  Value first = powerOfTwo(m, half), second = powerOfTwo(m, m.isub(n, half));
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
  Value shifted = m.add(x, m.f(kRoundMagic));
  Value fraction = m.sub(x, m.sub(shifted, m.f(kRoundMagic))); // exact
  Pair r = m.product(fraction, m.f(0x1.62e42fefa39efp-1));
  r.low = m.fma(fraction, m.f(0x1.abc9e3b39803fp-56), r.low);
  Value n = m.isub(m.bits(shifted), m.i(kRoundMagicBits));
  return scaleByPowerOfTwo(m, m.rounded(smallExponential(m, r)), n);
}

Value emitExpm1(ImplicitLocOpBuilder &b, Value x) {
  DoubleMath m(b, x);
  Exponential e = exponential(m, {m.atLeast(m.atMost(x, kMostExp), -40.0), m.f(0.0)});
  // From 40 on the 1 is less than an ulp, and 2^1024 may be needed.
  Value large = scaleByPowerOfTwo(m, m.rounded(e.value), e.exponent);
  Value y = m.select(m.greater(x, m.f(40.0)), large, m.rounded(minusOne(m, e)));
  return m.select(m.less(m.abs(x), m.f(kTiny)), x, y); // keeps -0
}

Value emitTanh(ImplicitLocOpBuilder &b, Value x) {
  DoubleMath m(b, x);
  // tanh |x| = (e^2|x| - 1) / (e^2|x| + 1); it rounds to 1 from 19.1 on.
  Value a = m.abs(x);
  Pair em = minusOne(m, exponential(m, {m.atMost(m.add(a, a), 40.0), m.f(0.0)}));
  Pair above = m.sum(em.high, m.f(2.0));
  Value y = m.rounded(m.div(em, {above.high, m.add(above.low, em.low)}));
  return m.copySign(m.select(m.less(a, m.f(kNearlyLinear)), a, y), x);
}

Value emitSinh(ImplicitLocOpBuilder &b, Value x) {
  DoubleMath m(b, x);
  Value a = m.abs(x);
  // |x| < 1: x + x^3 P(x^2), fitted to 2^-62.9.
  Value square = m.mul(a, a);
  Value p = m.polynomial(square,
                         {0x1.5555555555555p-3, 0x1.1111111111199p-7, 0x1.a01a01a007b26p-13, 0x1.71de3a6821f1ap-19,
                          0x1.ae64420bd607fp-26, 0x1.6130ab7288590p-33, 0x1.a6d5bbc8e158fp-41, 0x1.c32bc6fbf284ep-48});
  Value small = m.fma(m.mul(square, a), p, a);
  Pair half = halfExponential(m, a);
  Pair difference = m.sum(half.high, m.div(m.f(-0.25), half.high));
  Value large = m.add(difference.high, m.add(difference.low, half.low));
  // Where e^|x| is infinite the errors of the sums are no numbers.
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
/// erf of |x| < 1: x + x P(x^2), fitted to 2^-56.1.
Value erfNearZero(DoubleMath &m, Value x) {
  Value p = m.polynomial(m.mul(x, x),
                         {0x1.06eba8214db69p-3, -0x1.812746b037a27p-2, 0x1.ce2f21a045b8fp-4, -0x1.b82ce31366562p-6,
                          0x1.565bcd2fa9845p-8, -0x1.c02db9e1991e7p-11, 0x1.f9a3cf8b490cap-14, -0x1.f4dec311aadd7p-17,
                          0x1.ba821989e1ff3p-20, -0x1.647147f87cc12p-23, 0x1.18126781d1fd4p-26, -0x1.e485396d8d63ep-30,
                          0x1.681726dbc4cc9p-33});
  return m.fma(x, p, x);
}

/// erfc of a >= 1/2: e^-a^2 P(t) / (1 + 2 a) with t = (a - 4)/(a + 4), fitted to 2^-54.4.
Value erfcOfLarge(DoubleMath &m, Value a) {
  a = m.atMost(a, 28.0); // It rounds to 0 from 27.3 on.
  Value t = m.div(m.sub(a, m.f(4.0)), m.add(a, m.f(4.0)));
  Value p =
      m.polynomial(t, {0x1.3ba5916e9fd7fp+0,   -0x1.1df1ad154a28ep-3,  0x1.f7f5df66fd534p-7,   0x1.16ecefcfa5310p-4,
                       -0x1.9ddb23c3e7ad9p-4,  0x1.7fee004e13ba1p-4,   -0x1.0fb06dfe6e788p-4,  0x1.3079edf649066p-5,
                       -0x1.0962387d0546dp-6,  0x1.49c6729b774f8p-8,   -0x1.8d4aa20580971p-11, -0x1.a1df3914ab944p-13,
                       0x1.3be0e01dff1ebp-13,  -0x1.995650dbecd21p-16, -0x1.78a55e021b480p-17, 0x1.7f034740116e1p-18,
                       0x1.41f97d32cc661p-22,  -0x1.b8a62885e5186p-21, 0x1.1ebacd30536dcp-24,  0x1.c003ff5ebe693p-24,
                       -0x1.a0a8e0d8491f6p-27, -0x1.5885fe0776716p-27});
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
