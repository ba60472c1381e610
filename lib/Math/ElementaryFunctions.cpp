//===- ElementaryFunctions.cpp - exp, log, tanh ... in FMAs ---------------===//
//
// The coefficients, in Constants.h, are minimax fits by tools/dev/math-constants.
// The comment of each states the largest relative error of the fit, without
// rounding errors.
//
//===----------------------------------------------------------------------===//
#include "lispier/Math/ElementaryFunctions.h"
#include "FloatFormats.h"
#include "lispier/Math/Constants.h"
#include "lispier/Math/VectorMath.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <limits>

using namespace mlir;

namespace lispier {
namespace {
/// x rounded to the nearest integer, as a float and as an i32.
struct Rounded {
  Value asFloat, asInteger;
};
/// Rounds fma(x, scale, 0); |x scale| < 2^22.
Rounded roundScaled(VectorMath &m, Value x, float scale) {
  Value sum = m.fma(x, m.f(scale), m.f(f32::kRoundMagic));
  return {m.sub(sum, m.f(f32::kRoundMagic)), m.isub(m.bits(sum), m.i(f32::kRoundMagicBits))};
}

/// 2^n, for -126 <= n <= 127.
Value powerOfTwo(VectorMath &m, Value n) {
  return m.fromBits(m.shl(m.iadd(n, m.i(f32::kExponentBias)), m.i(f32::kMantissaBits)));
}

/// x 2^n with one rounding, for -252 <= n <= 254 and 1/2 < x < 2: the first of two
/// products is always normal and thus exact. 0 where `isZero`.
Value scaleByPowerOfTwo(VectorMath &m, Value x, Value n, Value isZero = {}) {
  Value half = m.shrs(n, m.i(1)), second = powerOfTwo(m, m.isub(n, half));
  return m.mul(m.mul(x, powerOfTwo(m, half)), isZero ? m.select(isZero, m.f(0.0f), second) : second);
}

/// As scaleByPowerOfTwo, of a vector of 16, by one instruction of AVX-512, which rounds as those products do. The
/// choice becomes its mask.
Value scaleByInstruction(VectorMath &m, Value x, Value n, Value isZero) {
  ImplicitLocOpBuilder &b = m.builder();
  Value all = arith::ConstantIntOp::create(b, b.getIntegerType(16), -1);
  Value currentRounding = arith::ConstantIntOp::create(b, b.getI32Type(), 4);
  Value scaled = LLVM::CallIntrinsicOp::create(b, x.getType(), b.getStringAttr("llvm.x86.avx512.mask.scalef.ps.512"),
                                               ValueRange{x, n, x, all, currentRounding})
                     .getResult(0);
  return m.select(isZero, m.f(0.0f), scaled);
}

/// e^r - 1 for |r| <= ln(2)/2.
Value expm1Core(VectorMath &m, Value r) {
  Value q = m.polynomial(r, f32::kExpm1);
  return m.fma(m.mul(r, r), q, r);
}

/// x = n ln(2) + r with |r| <= ln(2)/2.
Value reduceByLn2(VectorMath &m, Value x, Rounded n) {
  return m.fma(n.asFloat, m.f(-f32::kLn2Low), m.fma(n.asFloat, m.f(-f32::kLn2), x));
}

/// x = m 2^e with m in [sqrt(1/2), sqrt(2)), for positive normal x.
struct Split {
  Value exponent, mantissa;
};
Split splitExponent(VectorMath &m, Value x) {
  Value bits = m.bits(x);
  Value e = m.shrs(m.isub(bits, m.i(f32::kSqrtHalfBits)), m.i(f32::kMantissaBits));
  return {e, m.fromBits(m.isub(bits, m.shl(e, m.i(f32::kMantissaBits))))};
}

/// log(1 + f) - f for 1 + f in [sqrt(1/2), sqrt(2)).
Value logTail(VectorMath &m, Value f) {
  Value p = m.polynomial(f, f32::kLog1p);
  Value square = m.mul(f, f);
  return m.fma(square, m.f(-0.5f), m.mul(m.mul(square, f), p));
}

/// Replaces a logarithm's `result`, valid for positive finite x, in the other cases.
/// `pole` is the x at which it is -inf.
Value logSpecials(VectorMath &m, Value x, float pole, Value result) {
  result = m.select(m.less(x, m.f(f32::kInfinity)), result, x); // inf and NaN stay
  result = m.select(m.less(x, m.f(pole)), m.f(f32::kNan), result);
  return m.select(m.equal(x, m.f(pole)), m.f(-f32::kInfinity), result);
}

/// Scales denormals by 2^23 to normal numbers, whose exponent field is valid.
Split splitPositive(VectorMath &m, Value x) {
  Value small = m.less(x, m.f(std::numeric_limits<float>::min()));
  Split s = splitExponent(m, m.select(small, m.mul(x, m.f(0x1p23f)), x));
  s.exponent = m.isub(s.exponent, m.select(small, m.i(f32::kMantissaBits), m.i(0)));
  return s;
}
} // namespace

namespace {
/// x 2^n, which rounds to 0 where `isZero`: such as e^-inf of positions that a mask excludes. To round a number to 0
/// takes Intel's processors some 300 cycles a vector of 16, so that there it is multiplied by 0.
using Scale = llvm::function_ref<Value(VectorMath &m, Value x, Rounded n, Value isZero)>;

Value exponential(ImplicitLocOpBuilder &b, Value x, Scale scale) {
  VectorMath m(b, x);
  // Beyond these limits the result is inf or 0, and n would be out of range.
  Value isZero = m.less(x, m.f(-104.0f));
  x = m.atLeast(m.atMost(x, 89.0f), -104.0f);
  Rounded n = roundScaled(m, x, f32::kLog2E);
  return scale(m, m.add(expm1Core(m, reduceByLn2(m, x, n)), m.f(1.0f)), n, isZero);
}

Value exponentialOfTwo(ImplicitLocOpBuilder &b, Value x, Scale scale) {
  VectorMath m(b, x);
  Value isZero = m.less(x, m.f(-151.0f));
  x = m.atLeast(m.atMost(x, 129.0f), -151.0f);
  Rounded n = roundScaled(m, x, 1.0f);
  Value r = m.mul(m.sub(x, n.asFloat), m.f(f32::kLn2)); // the difference is exact
  return scale(m, m.add(expm1Core(m, r), m.f(1.0f)), n, isZero);
}

Value byProducts(VectorMath &m, Value x, Rounded n, Value isZero) {
  return scaleByPowerOfTwo(m, x, n.asInteger, isZero);
}
Value byInstruction(VectorMath &m, Value x, Rounded n, Value isZero) {
  return scaleByInstruction(m, x, n.asFloat, isZero);
}
} // namespace

Value emitExp(ImplicitLocOpBuilder &b, Value x) { return exponential(b, x, byProducts); }
Value emitExp2(ImplicitLocOpBuilder &b, Value x) { return exponentialOfTwo(b, x, byProducts); }
Value emitExpByScaling(ImplicitLocOpBuilder &b, Value x) { return exponential(b, x, byInstruction); }
Value emitExp2ByScaling(ImplicitLocOpBuilder &b, Value x) { return exponentialOfTwo(b, x, byInstruction); }

Value emitExp2ByInstruction(ImplicitLocOpBuilder &b, Value x) {
  auto power = LLVM::CallIntrinsicOp::create(b, x.getType(), b.getStringAttr("llvm.exp2"), ValueRange{x});
  power.setFastmathFlags(LLVM::FastmathFlags::afn);
  return power.getResult(0);
}

Value emitExpByInstruction(ImplicitLocOpBuilder &b, Value x) {
  VectorMath m(b, x);
  // 2^n is a normal number, and what is beyond that range is left to the other factor: it is then no longer between
  // sqrt(1/2) and sqrt(2), and the product is a denormal, 0 or inf. The bounds are 127 ln(2) and -126 ln(2).
  Value inRange = arith::MaxNumFOp::create(b, arith::MinNumFOp::create(b, x, m.f(88.02969f)), m.f(-87.33654f));
  Value sum = m.fma(inRange, m.f(f32::kLog2E), m.f(f32::kRoundMagic));
  Value n = m.sub(sum, m.f(f32::kRoundMagic));
  Value rest = m.fma(x, m.f(f32::kLog2ELow), m.fma(x, m.f(f32::kLog2E), m.negate(n)));
  Value scale =
      m.shl(m.iadd(m.bits(sum), m.i(f32::kExponentBias)), m.i(f32::kMantissaBits)); // Shifts the constant's bits out.
  return m.mul(emitExp2ByInstruction(b, rest), m.fromBits(scale));
}

Value emitExpm1(ImplicitLocOpBuilder &b, Value argument) {
  VectorMath m(b, argument);
  // e^-20 - 1 rounds to -1.
  Value x = m.atLeast(m.atMost(argument, 89.0f), -20.0f);
  Rounded n = roundScaled(m, x, f32::kLog2E);
  Value em = expm1Core(m, reduceByLn2(m, x, n));
  // 2^n em + (2^n - 1), computed in halves because 2^128 overflows.
  Value half = powerOfTwo(m, m.isub(n.asInteger, m.i(1)));
  Value y = m.mul(m.fma(em, half, m.sub(half, m.f(0.5f))), m.f(2.0f));
  // Keeps -0, and the last bit of a denormal.
  return m.select(m.less(m.abs(argument), m.f(f32::kTiny)), argument, y);
}

Value emitLog(ImplicitLocOpBuilder &b, Value x) {
  VectorMath m(b, x);
  Split s = splitPositive(m, x);
  Value f = m.sub(s.mantissa, m.f(1.0f)); // exact
  Value e = m.toFloat(s.exponent);
  Value low = m.fma(e, m.f(f32::kLn2Low), logTail(m, f));
  return logSpecials(m, x, 0.0f, m.fma(e, m.f(f32::kLn2), m.add(f, low)));
}

Value emitLog2(ImplicitLocOpBuilder &b, Value x) {
  VectorMath m(b, x);
  Split s = splitPositive(m, x);
  Value f = m.sub(s.mantissa, m.f(1.0f));
  Value low = m.fma(f, m.f(f32::kLog2ELow), m.mul(logTail(m, f), m.f(f32::kLog2E)));
  Value y = m.add(m.toFloat(s.exponent), m.fma(f, m.f(f32::kLog2E), low));
  return logSpecials(m, x, 0.0f, y);
}

Value emitLog10(ImplicitLocOpBuilder &b, Value x) {
  VectorMath m(b, x);
  Split s = splitPositive(m, x);
  Value f = m.sub(s.mantissa, m.f(1.0f));
  Value e = m.toFloat(s.exponent);
  Value low = m.fma(f, m.f(f32::kLog10ELow), m.fma(e, m.f(f32::kLog10Of2Low), m.mul(logTail(m, f), m.f(f32::kLog10E))));
  return logSpecials(m, x, 0.0f, m.fma(e, m.f(f32::kLog10Of2), m.fma(f, m.f(f32::kLog10E), low)));
}

Value emitLog1p(ImplicitLocOpBuilder &b, Value x) {
  VectorMath m(b, x);
  Split s = splitExponent(m, m.add(x, m.f(1.0f)));
  // f = (1 + x) 2^-e - 1 without the rounding of 1 + x. For huge x, where 2^-e may
  // underflow, that rounding does not matter.
  Value scale = powerOfTwo(m, m.isub(m.i(0), s.exponent));
  Value f = m.fma(x, scale, m.sub(scale, m.f(1.0f)));
  f = m.select(m.greater(x, m.f(0x1p26f)), m.sub(s.mantissa, m.f(1.0f)), f);
  Value e = m.toFloat(s.exponent);
  Value low = m.fma(e, m.f(f32::kLn2Low), logTail(m, f));
  Value y = logSpecials(m, x, -1.0f, m.fma(e, m.f(f32::kLn2), m.add(f, low)));
  return m.select(m.less(m.abs(x), m.f(f32::kTiny)), x, y);
}

namespace {
/// The unevaluated sum of two f32.
struct FloatPair {
  Value high, low;
};

/// log x to 2^-30 of itself, for positive normal and denormal x; for others a high part that logSpecials replaces.
/// log m is 2 atanh(f / (2 + f)) with f = m - 1: the series of u = 2 f / (2 + f) is u + u^3/12 + u^5/80 ..., of which
/// only u needs more digits than an f32 has.
FloatPair logarithm(VectorMath &m, Value x) {
  Split s = splitPositive(m, x);
  Value f = m.sub(s.mantissa, m.f(1.0f)), two = m.f(2.0f); // exact
  Value below = m.add(f, two), belowLow = m.sub(f, m.sub(below, two));
  Value inverse = m.div(m.f(1.0f), below), twice = m.add(f, f);
  Value u = m.mul(twice, inverse);
  Value rest = m.fma(m.negate(u), below, twice);
  Value uLow = m.mul(inverse, m.fma(m.negate(u), belowLow, rest));
  Value square = m.mul(u, u);
  Value p = m.polynomial(square, f32::kAtanhSeries);
  // The derivative of the series is 1 + u^2/4 ...
  Value tail = m.fma(m.mul(square, p), u, m.fma(m.mul(square, m.f(0.25f)), uLow, uLow));
  Value e = m.toFloat(s.exponent), large = m.mul(e, m.f(f32::kLn2Short));
  Value sum = m.add(large, u);
  Value low = m.add(m.sub(u, m.sub(sum, large)), m.fma(e, m.f(f32::kLn2Rest), tail));
  Value high = m.add(sum, low);
  return {high, m.sub(low, m.sub(high, sum))};
}
} // namespace

Value emitPow(ImplicitLocOpBuilder &b, Value x, Value y) {
  VectorMath m(b, x);
  Value a = m.abs(x), zero = m.f(0.0f);
  FloatPair log = logarithm(m, a);
  log.high = logSpecials(m, a, 0.0f, log.high);
  Value factor = m.select(m.equal(log.high, zero), zero, y); // 0 times inf must be 0.
  Value exponent = m.mul(factor, log.high);
  Value low = m.fma(factor, log.low, m.fma(factor, log.high, m.negate(exponent)));
  // Beyond 128 the result is 0 or inf, and error terms of products may be NaN.
  low = m.select(m.less(m.abs(exponent), m.f(128.0f)), low, zero);
  exponent = m.atLeast(m.atMost(exponent, 89.0f), -104.0f);
  Rounded n = roundScaled(m, exponent, f32::kLog2E);
  Value r = m.add(reduceByLn2(m, exponent, n), low);
  Value ofMagnitude = scaleByPowerOfTwo(m, m.add(expm1Core(m, r), m.f(1.0f)), n.asInteger);
  return m.powerOf(x, y, ofMagnitude);
}

namespace {
Value tanhBy(ImplicitLocOpBuilder &b, Value x, arith::FastMathFlags division) {
  VectorMath m(b, x);
  // tanh |x| = (e^2|x| - 1) / (e^2|x| + 1); it rounds to 1 from 9.02 on.
  Value twice = m.atMost(m.mul(m.abs(x), m.f(2.0f)), 18.5f);
  Rounded n = roundScaled(m, twice, f32::kLog2E);
  Value em = expm1Core(m, reduceByLn2(m, twice, n));
  Value scale = powerOfTwo(m, n.asInteger);
  Value y = m.fma(em, scale, m.sub(scale, m.f(1.0f)));
  return m.copySign(arith::DivFOp::create(b, y, m.add(y, m.f(2.0f)), division), x);
}
} // namespace

Value emitTanh(ImplicitLocOpBuilder &b, Value x) { return tanhBy(b, x, arith::FastMathFlags::none); }
Value emitTanhByInstruction(ImplicitLocOpBuilder &b, Value x) { return tanhBy(b, x, arith::FastMathFlags::afn); }

Value emitOnePlusTanhByInstruction(ImplicitLocOpBuilder &b, Value x) {
  VectorMath m(b, x);
  APFloat factor(1.0f), constant(0.0f);
  auto product = x.getDefiningOp<arith::MulFOp>(); // Of a number, which is one with -2 log2(e).
  if (product && matchPattern(product.getRhs(), m_ConstantFloat(&constant)))
    std::tie(x, factor) = std::pair(product.getLhs(), constant);
  else if (product && matchPattern(product.getLhs(), m_ConstantFloat(&constant)))
    std::tie(x, factor) = std::pair(product.getRhs(), constant);
  // May be 0 or inf.
  Value power = emitExp2ByInstruction(b, m.mul(x, m.f(factor.convertToFloat() * (-2 * f32::kLog2E))));
  return arith::DivFOp::create(b, m.f(2.0f), m.add(power, m.f(1.0f)), arith::FastMathFlags::afn);
}

namespace {
/// From here on sinh x and cosh x round to e^x / 2. It is computed as a square of e^(x/2), since e^x may overflow.
constexpr float kHalfOfExp = 88.0f;
Value halfOfExp(VectorMath &m, Value x) {
  Value root = emitExp(m.builder(), m.mul(x, m.f(0.5f)));
  return m.mul(m.mul(root, m.f(0.5f)), root);
}
} // namespace

Value emitSinh(ImplicitLocOpBuilder &b, Value x) {
  VectorMath m(b, x);
  Value a = m.abs(x);
  Value em = emitExpm1(b, m.atMost(a, kHalfOfExp));
  Value y = m.mul(m.add(em, m.div(em, m.add(em, m.f(1.0f)))), m.f(0.5f));
  return m.copySign(m.select(m.greater(a, m.f(kHalfOfExp)), halfOfExp(m, a), y), x);
}

Value emitCosh(ImplicitLocOpBuilder &b, Value x) {
  VectorMath m(b, x);
  Value a = m.abs(x);
  Value e = emitExp(b, m.atMost(a, kHalfOfExp));
  Value y = m.fma(e, m.f(0.5f), m.div(m.f(0.5f), e));
  return m.select(m.greater(a, m.f(kHalfOfExp)), halfOfExp(m, a), y);
}

Value emitErfc(ImplicitLocOpBuilder &b, Value x) {
  VectorMath m(b, x);
  // erfc rounds to 0 from 10.06 on.
  Value a = m.atMost(m.abs(x), 10.1f);
  // |x| >= 1/2: e^-x^2 P(t) / (1 + 2 |x|) with t = (|x| - 4)/(|x| + 4).
  Value t = m.div(m.sub(a, m.f(4.0f)), m.add(a, m.f(4.0f)));
  Value p = m.polynomial(t, f32::kErfc);
  p = m.div(p, m.fma(a, m.f(2.0f), m.f(1.0f)));
  // The absolute rounding error d of the square matters: e^-(s + d) is e^-s (1 - d).
  Value square = m.mul(a, a), rest = m.fma(a, a, m.mul(square, m.f(-1.0f)));
  p = m.fma(m.mul(rest, m.f(-1.0f)), p, p);
  Value large = m.mul(emitExp(b, m.mul(square, m.f(-1.0f))), p);
  large = m.select(m.less(x, m.f(0.0f)), m.sub(m.f(2.0f), large), large);
  return m.select(m.less(a, m.f(0.5f)), m.sub(m.f(1.0f), emitErf(b, x)), large);
}

Value emitErf(ImplicitLocOpBuilder &b, Value x) {
  VectorMath m(b, x);
  Value a = m.abs(x);
  // |x| < 0.9: x + x P(x^2).
  Value p = m.polynomial(m.mul(x, x), f32::kErf);
  Value small = m.fma(x, p, x);
  // Else 1 - e^-Q(|x|); erf rounds to 1 from 3.92 on.
  Value q = m.polynomial(m.atMost(a, 3.95f), f32::kErfExponent);
  Value exponent = m.mul(q, m.f(-1.0f));
  Rounded n = roundScaled(m, exponent, f32::kLog2E);
  Value scale = powerOfTwo(m, n.asInteger);
  Value em = expm1Core(m, reduceByLn2(m, exponent, n));
  Value large = m.sub(m.sub(m.f(1.0f), scale), m.mul(em, scale));
  return m.select(m.less(a, m.f(0.9f)), small, m.copySign(large, x));
}

Value emitRsqrt(ImplicitLocOpBuilder &b, Value x) {
  VectorMath m(b, x);
  // Every target has square roots and divisions, correctly rounded, without a library.
  return m.div(m.f(1.0f), math::SqrtOp::create(b, x));
}
} // namespace lispier
