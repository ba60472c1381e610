//===- TrigonometricFunctions.cpp - sin, cos, tan in FMAs ------------------===//
//
// x = q pi/2 + r with |r| <= pi/4, then a polynomial of r chosen by q mod 4.
// Up to 2^16, three FMAs compute r (Cody and Waite). Beyond, x's mantissa is
// multiplied in integers by 96 bits of 2/pi selected by x's exponent (Payne and
// Hanek), inside an scf.if that vectors of moderate numbers skip.
//
//===----------------------------------------------------------------------===//
#include "FloatFormats.h"
#include "lispier/Math/Constants.h"
#include "lispier/Math/ElementaryFunctions.h"
#include "lispier/Math/VectorMath.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;

namespace lispier {
Value anyLane(ImplicitLocOpBuilder &b, Value condition) {
  auto type = dyn_cast<VectorType>(condition.getType());
  if (!type)
    return condition;
  if (type.getRank() == 1)
    return vector::ReductionOp::create(b, vector::CombiningKind::OR, condition);
  SmallVector<bool> all(type.getRank(), true);
  Value none = arith::ConstantOp::create(b, b.getBoolAttr(false));
  return vector::MultiDimReductionOp::create(b, condition, none, all, vector::CombiningKind::OR);
}

namespace {
constexpr float kModerate = 0x1p16f;

struct Reduced {
  Value quadrant, r;
};

/// For |x| <= 2^16, where x - q (pi/2)_high is exact, and 72 bits of pi/2 suffice.
Reduced reduceModerate(VectorMath &m, Value x) {
  Value sum = m.fma(x, m.f(f32::kTwoOverPi), m.f(f32::kRoundMagic));
  Value q = m.sub(sum, m.f(f32::kRoundMagic));
  Value r = m.fma(q, m.f(-f32::kHalfPi), x);
  r = m.fma(q, m.f(-f32::kHalfPiLow), r);
  r = m.fma(q, m.f(-f32::kHalfPiLowest), r);
  return {m.isub(m.bits(sum), m.i(f32::kRoundMagicBits)), r};
}

/// f32::kTwoOverPiWords[index + offset] for index in 0 .. 4.
Value pickWord(VectorMath &m, Value index, unsigned offset) {
  Value word = m.i64(f32::kTwoOverPiWords[4 + offset]);
  for (int k = 3; k >= 0; --k)
    word = m.select(m.iequal(index, m.i(k)), m.i64(f32::kTwoOverPiWords[k + offset]), word);
  return word;
}

/// For finite |x| >= 2^15.
Reduced reduceLarge(VectorMath &m, Value x) {
  // |x| = mantissa 2^e. Bits of 2/pi that contribute multiples of 4 to the product
  // do not change the quadrant: the first `dropped` bits, including the 32 zeros.
  Value bits = m.bits(m.abs(x));
  Value mantissa = m.extend(m.ior(m.iand(bits, m.i(0x007FFFFF)), m.i(0x00800000)));
  Value e = m.isub(m.shru(bits, m.i(23)), m.i(150));
  Value dropped = m.iadd(e, m.i(30));
  Value index = m.shru(dropped, m.i(5));
  Value shift = m.extend(m.isub(m.i(32), m.iand(dropped, m.i(31))));
  Value words[4];
  for (unsigned offset = 0; offset < 4; ++offset)
    words[offset] = pickWord(m, index, offset);
  auto window = [&](unsigned k) {
    Value pair = m.ior(m.shl(words[k], m.i64(32)), words[k + 1]);
    return m.iand(m.shru(pair, shift), m.i64(0xFFFFFFFF));
  };
  // The product modulo 4, as 2 bits before the point and 62 after it.
  Value product = m.shl(m.imul(mantissa, window(0)), m.i64(32));
  product = m.iadd(product, m.imul(mantissa, window(1)));
  product = m.iadd(product, m.shru(m.imul(mantissa, window(2)), m.i64(32)));
  Value q = m.shru(m.iadd(product, m.i64(int64_t(1) << 61)), m.i64(62));
  Value fraction = m.isub(product, m.shl(q, m.i64(62)));
  Value r = m.mul(m.toFloat(fraction), m.f(f32::kHalfPi * 0x1p-62f));
  // For negative x, quadrant and remainder are negated.
  Value negative = m.less(x, m.f(0.0f));
  Value quadrant = m.truncate(q);
  return {m.select(negative, m.isub(m.i(0), quadrant), quadrant), m.select(negative, m.mul(r, m.f(-1.0f)), r)};
}

Reduced reduce(VectorMath &m, Value x) {
  ImplicitLocOpBuilder &b = m.builder();
  Reduced moderate = reduceModerate(m, x);
  Value isLarge = m.greater(m.abs(x), m.f(kModerate));
  auto branch = scf::IfOp::create(
      b, anyLane(b, isLarge),
      [&](OpBuilder &then, Location loc) {
        ImplicitLocOpBuilder inner(loc, then);
        VectorMath n(inner, x);
        Reduced large = reduceLarge(n, x);
        scf::YieldOp::create(inner, ValueRange{n.select(isLarge, large.quadrant, moderate.quadrant),
                                               n.select(isLarge, large.r, moderate.r)});
      },
      [&](OpBuilder &otherwise, Location loc) {
        scf::YieldOp::create(otherwise, loc, ValueRange{moderate.quadrant, moderate.r});
      });
  // For infinite x: inf - inf is NaN, as sin(inf) must be.
  Value r = m.select(m.less(m.abs(x), m.f(std::numeric_limits<float>::infinity())), branch.getResult(1), m.sub(x, x));
  return {branch.getResult(0), r};
}

/// sin of (quadrant pi/2 + r).
Value sinOf(VectorMath &m, Value quadrant, Value r) {
  Value square = m.mul(r, r);
  // r + r^3 S(r^2), and 1 - r^2/2 + r^4 C(r^2).
  Value s = m.polynomial(square, f32::kSin);
  Value sine = m.fma(m.mul(square, r), s, r);
  Value c = m.polynomial(square, f32::kCos);
  Value cosine = m.fma(m.mul(square, square), c, m.fma(square, m.f(-0.5f), m.f(1.0f)));
  Value isOdd = m.iequal(m.iand(quadrant, m.i(1)), m.i(1));
  Value sign = m.shl(m.iand(quadrant, m.i(2)), m.i(30));
  Value y = m.select(isOdd, cosine, sine);
  return m.fromBits(m.iadd(m.bits(y), sign));
}
} // namespace

Value emitSin(ImplicitLocOpBuilder &b, Value x) {
  VectorMath m(b, x);
  Reduced reduced = reduce(m, x);
  Value y = sinOf(m, reduced.quadrant, reduced.r);
  return m.select(m.equal(x, m.f(0.0f)), x, y); // keeps -0
}

Value emitTan(ImplicitLocOpBuilder &b, Value x) {
  VectorMath m(b, x);
  Reduced reduced = reduce(m, x);
  Value sine = sinOf(m, reduced.quadrant, reduced.r);
  Value cosine = sinOf(m, m.iadd(reduced.quadrant, m.i(1)), reduced.r);
  return m.select(m.equal(x, m.f(0.0f)), x, m.div(sine, cosine));
}

Value emitCos(ImplicitLocOpBuilder &b, Value x) {
  VectorMath m(b, x);
  Reduced reduced = reduce(m, x);
  return sinOf(m, m.iadd(reduced.quadrant, m.i(1)), reduced.r);
}
} // namespace lispier
