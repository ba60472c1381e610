//===- DoubleTrigonometry.cpp - sin, atan, acos ... of f64 in FMAs --------===//
//
// x = q pi/2 + r with |r| <= pi/4 and r a double-double, then a polynomial of r
// chosen by q mod 4. Up to 2^30, FMAs compute r (Cody and Waite). Beyond, x's
// mantissa is multiplied in integers by 192 bits of 2/pi selected by x's exponent
// (Payne and Hanek), inside an scf.if as in TrigonometricFunctions.cpp.
//
//===----------------------------------------------------------------------===//
#include "FloatFormats.h"
#include "lispier/Math/Constants.h"
#include "lispier/Math/DoubleFunctions.h"
#include "lispier/Math/DoubleMath.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SmallVector.h"

using namespace mlir;

namespace lispier::f64 {
namespace {
constexpr double kModerate = 0x1p30;

struct Reduced {
  Value quadrant;
  Pair r;
};

/// For |x| <= 2^30, where x - q (pi/2)_high is exact, and 161 bits of pi/2 suffice.
Reduced reduceModerate(DoubleMath &m, Value x) {
  Value shifted = m.fma(x, m.f(kTwoOverPi), m.f(kRoundMagic));
  Value q = m.sub(shifted, m.f(kRoundMagic));
  Pair product = m.product(q, m.f(kHalfPiLow));
  Pair r = m.sum(m.fma(q, m.f(-kHalfPi), x), m.negate(product.high));
  Value low = m.sub(r.low, m.fma(q, m.f(kHalfPiLowest), product.low));
  return {m.isub(m.bits(shifted), m.i(kRoundMagicBits)), m.fastSum(r.high, low)};
}

/// Selects the four words of kTwoOverPiWords that start at an index of 0 to 16, by shifting down by 16, 8, 4, 2 and 1.
SmallVector<Value> pickWords(DoubleMath &m, Value index) {
  SmallVector<Value> words;
  for (uint64_t word : kTwoOverPiWords)
    words.push_back(m.i(int64_t(word)));
  for (size_t step = 16; step; step /= 2) {
    Value moves = m.iequal(m.iand(index, m.i(step)), m.i(step));
    for (size_t k = 0; k < step + 3; ++k)
      if (k + step < words.size())
        words[k] = m.select(moves, words[k + step], words[k]);
    words.resize(step + 3);
  }
  return words;
}

/// For finite |x| >= 2^29.
Reduced reduceLarge(DoubleMath &m, Value x) {
  ImplicitLocOpBuilder &b = m.builder();
  // |x| = mantissa 2^e. Bits of 2/pi that contribute multiples of 4 to the product do not change the quadrant: the
  // first e - 2 bits, and the 64 zeros.
  Value bits = m.bits(m.abs(x));
  Value mantissa = m.ior(m.iand(bits, m.i(0x000FFFFFFFFFFFFF)), m.i(0x0010000000000000));
  Value dropped = m.iadd(m.shru(bits, m.i(52)), m.i(64 - 2 - 1075));
  Value shift = m.iand(dropped, m.i(63)), shiftBack = m.isub(m.i(63), shift);
  SmallVector<Value> words = pickWords(m, m.shru(dropped, m.i(6)));
  auto window = [&](unsigned k) { // Two right shifts, since a single shift by 64 is poison.
    return m.ior(m.shl(words[k], shift), m.shru(m.shru(words[k + 1], m.i(1)), shiftBack));
  };
  // The product modulo 4, as 2 bits before the point and 126 after it.
  auto middle = arith::MulUIExtendedOp::create(b, mantissa, window(1));
  auto least = arith::MulUIExtendedOp::create(b, mantissa, window(2));
  Value low = m.iadd(middle.getLow(), least.getHigh());
  Value carries = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, low, middle.getLow());
  Value high = m.iadd(m.imul(mantissa, window(0)), middle.getHigh());
  high = m.iadd(high, m.select(carries, m.i(1), m.i(0)));
  Value q = m.shru(m.iadd(high, m.i(int64_t(1) << 61)), m.i(62));
  Value fraction = m.isub(high, m.shl(q, m.i(62)));
  Value converted = m.toFloat(fraction);
  Value rest = m.isub(fraction, arith::FPToSIOp::create(b, m.integerType(64), converted));
  Value lowConverted = arith::UIToFPOp::create(b, m.floatType(), low);
  Pair turns = m.sum(converted, m.fma(lowConverted, m.f(0x1p-64), m.toFloat(rest)));
  Pair r = m.mul(turns, m.constant(kHalfPi * 0x1p-62, kHalfPiLow * 0x1p-62));
  // For negative x, quadrant and remainder are negated.
  Value isNegative = m.less(x, m.f(0.0));
  return {m.select(isNegative, m.isub(m.i(0), q), q), m.select(isNegative, Pair{m.negate(r.high), m.negate(r.low)}, r)};
}

Reduced reduce(DoubleMath &m, Value x) {
  ImplicitLocOpBuilder &b = m.builder();
  Reduced moderate = reduceModerate(m, x);
  Value isLarge = m.greater(m.abs(x), m.f(kModerate));
  auto branch = scf::IfOp::create(
      b, anyLane(b, isLarge),
      [&](OpBuilder &then, Location loc) {
        ImplicitLocOpBuilder inner(loc, then);
        DoubleMath n(inner, x);
        Reduced large = reduceLarge(n, x);
        Pair r = n.select(isLarge, large.r, moderate.r);
        scf::YieldOp::create(inner, ValueRange{n.select(isLarge, large.quadrant, moderate.quadrant), r.high, r.low});
      },
      [&](OpBuilder &otherwise, Location loc) {
        scf::YieldOp::create(otherwise, loc, ValueRange{moderate.quadrant, moderate.r.high, moderate.r.low});
      });
  // For infinite x: inf - inf is NaN, as sin(inf) must be.
  Value r = m.select(m.less(m.abs(x), m.f(kInfinity)), branch.getResult(1), m.sub(x, x));
  return {branch.getResult(0), {r, branch.getResult(2)}};
}

struct SineAndCosine {
  Pair sine, cosine;
};
SineAndCosine sineAndCosine(DoubleMath &m, Pair r) {
  Value square = m.mul(r.high, r.high), half = m.mul(square, m.f(0.5));
  // r + r^3 S(r^2), and 1 - r^2/2 + r^4 C(r^2).
  Value s = m.polynomial(square, kSin);
  Value cosine = m.sub(m.f(1.0), half);
  Value sineTail = m.fma(r.low, cosine, m.mul(m.mul(square, r.high), s));
  Value c = m.polynomial(square, kCos);
  Value lost = m.sub(m.sub(m.f(1.0), cosine), half);
  Value tail = m.fma(m.mul(square, square), c, m.mul(m.negate(r.high), r.low));
  return {m.fastSum(r.high, sineTail), m.fastSum(cosine, m.add(lost, tail))};
}

Value isOdd(DoubleMath &m, Value quadrant) { return m.iequal(m.iand(quadrant, m.i(1)), m.i(1)); }

/// sin of (quadrant pi/2 + r).
Value sinOf(DoubleMath &m, Value quadrant, Pair r) {
  SineAndCosine of = sineAndCosine(m, r);
  Value sign = m.shl(m.iand(quadrant, m.i(2)), m.i(62));
  Value y = m.rounded(m.select(isOdd(m, quadrant), of.cosine, of.sine));
  return m.fromBits(m.iadd(m.bits(y), sign));
}

/// The angle of (x, y) in the first quadrant; x and y are finite, and not both 0.
Pair angleOf(DoubleMath &m, Pair y, Pair x) {
  Value isSteep = m.greater(y.high, x.high);
  Pair low = m.select(isSteep, x, y), high = m.select(isSteep, y, x);
  // atan(low/high) is pi/4 + atan((low - high)/(low + high)).
  Value isWide = m.greater(low.high, m.mul(high.high, m.f(kTanOfEighthOfPi)));
  Pair above = m.select(isWide, m.add(Pair{m.negate(high.high), m.negate(high.low)}, low), low);
  Pair below = m.select(isWide, m.add(high, low), high);
  Pair q = m.div(above, below);
  // q + q^3 P(q^2) for |q| <= tan(pi/8).
  Value square = m.mul(q.high, q.high);
  Value p = m.polynomial(square, kAtan);
  Value tail = m.fma(m.mul(square, q.high), p, m.fma(m.negate(square), q.low, q.low));
  Pair base = m.select(isWide, m.constant(kHalfPi / 2, kHalfPiLow / 2), m.constant(0.0, 0.0));
  Pair angle = m.add(base, {q.high, tail});
  return m.select(isSteep, m.add(m.constant(kHalfPi, kHalfPiLow), {m.negate(angle.high), m.negate(angle.low)}), angle);
}

/// pi - angle if x is negative or -0, else the angle.
Pair mirrored(DoubleMath &m, Value x, Pair angle) {
  Value isLeft = m.less(m.copySign(m.f(1.0), x), m.f(0.0));
  Pair left = m.add(m.constant(2 * kHalfPi, 2 * kHalfPiLow), {m.negate(angle.high), m.negate(angle.low)});
  return m.select(isLeft, left, angle);
}

/// sqrt(1 - x^2); NaN for |x| > 1.
Pair otherSide(DoubleMath &m, Value x) {
  Pair square = m.product(x, x);
  Pair rest = m.sum(m.f(1.0), m.negate(square.high));
  return m.sqrt(m.fastSum(rest.high, m.sub(rest.low, square.low)));
}
} // namespace

Value emitSin(ImplicitLocOpBuilder &b, Value x) {
  DoubleMath m(b, x);
  Reduced reduced = reduce(m, x);
  return m.select(m.equal(x, m.f(0.0)), x, sinOf(m, reduced.quadrant, reduced.r)); // keeps -0
}

Value emitCos(ImplicitLocOpBuilder &b, Value x) {
  DoubleMath m(b, x);
  Reduced reduced = reduce(m, x);
  return sinOf(m, m.iadd(reduced.quadrant, m.i(1)), reduced.r);
}

Value emitTan(ImplicitLocOpBuilder &b, Value x) {
  DoubleMath m(b, x);
  Reduced reduced = reduce(m, x);
  SineAndCosine of = sineAndCosine(m, reduced.r);
  Pair negated{m.negate(of.sine.high), m.negate(of.sine.low)};
  Value odd = isOdd(m, reduced.quadrant);
  Value y = m.rounded(m.div(m.select(odd, of.cosine, of.sine), m.select(odd, negated, of.cosine)));
  return m.select(m.equal(x, m.f(0.0)), x, y);
}

Value emitAtan2(ImplicitLocOpBuilder &b, Value y, Value x) {
  DoubleMath m(b, x);
  Value one = m.f(1.0), zero = m.f(0.0), infinity = m.f(kInfinity);
  Value ax = m.abs(x), ay = m.abs(y), high = m.select(m.greater(ay, ax), ay, ax);
  // Only the ratio matters: scales both, so that sums are finite and remainders of divisions are normal.
  Value scale =
      m.select(m.greater(high, m.f(0x1p1020)), m.f(0x1p-4), m.select(m.less(high, m.f(0x1p-900)), m.f(0x1p200), one));
  Value isInfinite = m.equal(high, infinity);
  auto side = [&](Value v) {
    return Pair{m.select(isInfinite, m.select(m.equal(v, infinity), one, zero), m.mul(v, scale)), zero};
  };
  Pair sideOfX = side(ax);
  sideOfX.high = m.select(m.equal(high, zero), one, sideOfX.high);
  Value angle = m.copySign(m.rounded(mirrored(m, x, angleOf(m, side(ay), sideOfX))), y);
  // The comparisons above do not propagate NaN.
  Value sum = m.add(ax, ay);
  return m.select(m.equal(sum, sum), angle, sum);
}

Value emitAtan(ImplicitLocOpBuilder &b, Value x) {
  DoubleMath m(b, x);
  Value a = m.atMost(m.abs(x), 0x1p100); // From there on the result is pi/2.
  Value angle = m.rounded(angleOf(m, {a, m.f(0.0)}, {m.f(1.0), m.f(0.0)}));
  return m.copySign(angle, x);
}

Value emitAsin(ImplicitLocOpBuilder &b, Value x) {
  DoubleMath m(b, x);
  return m.copySign(m.rounded(angleOf(m, {m.abs(x), m.f(0.0)}, otherSide(m, x))), x);
}

Value emitAcos(ImplicitLocOpBuilder &b, Value x) {
  DoubleMath m(b, x);
  return m.rounded(mirrored(m, x, angleOf(m, otherSide(m, x), {m.abs(x), m.f(0.0)})));
}
} // namespace lispier::f64
