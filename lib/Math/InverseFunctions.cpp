//===- InverseFunctions.cpp - atan, asin, asinh, cbrt ... in FMAs ---------===//
//
// The coefficients, in Constants.h, are minimax fits as in ElementaryFunctions.cpp.
//
//===----------------------------------------------------------------------===//
#include "FloatFormats.h"
#include "lispier/Math/Constants.h"
#include "lispier/Math/ElementaryFunctions.h"
#include "lispier/Math/VectorMath.h"

#include <limits>

using namespace mlir;

namespace lispier {
namespace {
/// pi/2 - y and pi - y, with pi as the sum of two f32.
Value fromHalfPi(VectorMath &m, Value y) { return m.sub(m.f(f32::kHalfPi), m.sub(y, m.f(f32::kHalfPiLow))); }
Value fromPi(VectorMath &m, Value y) { return m.sub(m.f(2 * f32::kHalfPi), m.sub(y, m.f(2 * f32::kHalfPiLow))); }

/// atan of 0 <= x <= 1: x + x^3 P(x^2).
Value atanCore(VectorMath &m, Value x) {
  Value square = m.mul(x, x);
  Value p = m.polynomial(square, f32::kAtan);
  return m.fma(m.mul(square, x), p, x);
}

/// asin of |x| <= 1/2, given x^2: x + x^3 P(x^2).
Value asinCore(VectorMath &m, Value x, Value square) {
  Value p = m.polynomial(square, f32::kAsin);
  return m.fma(m.mul(square, x), p, x);
}

/// 2 asin(sqrt((1 - a)/2)), which is acos(a), for a >= 1/2; NaN for a > 1.
Value acosNearOne(VectorMath &m, Value a) {
  Value square = m.fma(a, m.f(-0.5f), m.f(0.5f)); // exact
  Value y = asinCore(m, math::SqrtOp::create(m.builder(), square), square);
  return m.add(y, y);
}
} // namespace

Value emitAtan(ImplicitLocOpBuilder &b, Value x) {
  VectorMath m(b, x);
  Value a = m.abs(x), isLarge = m.greater(a, m.f(1.0f));
  Value y = atanCore(m, m.select(isLarge, m.div(m.f(1.0f), a), a));
  return m.copySign(m.select(isLarge, fromHalfPi(m, y), y), x);
}

Value emitAtan2(ImplicitLocOpBuilder &b, Value y, Value x) {
  VectorMath m(b, x);
  Value ax = m.abs(x), ay = m.abs(y), isSteep = m.greater(ay, ax);
  Value low = m.select(isSteep, ax, ay), high = m.select(isSteep, ay, ax);
  Value ratio = m.div(low, high);
  ratio = m.select(m.equal(high, m.f(0.0f)), m.f(0.0f), ratio);
  ratio = m.select(m.equal(low, m.f(f32::kInfinity)), m.f(1.0f), ratio);
  Value angle = atanCore(m, ratio);
  angle = m.select(isSteep, fromHalfPi(m, angle), angle);
  Value isLeft = m.less(m.copySign(m.f(1.0f), x), m.f(0.0f)); // also -0
  angle = m.copySign(m.select(isLeft, fromPi(m, angle), angle), y);
  // The comparisons above do not propagate NaN.
  Value sum = m.add(ax, ay);
  return m.select(m.equal(sum, sum), angle, sum);
}

Value emitAsin(ImplicitLocOpBuilder &b, Value x) {
  VectorMath m(b, x);
  Value a = m.abs(x);
  Value near = fromHalfPi(m, acosNearOne(m, a));
  Value y = m.select(m.greater(a, m.f(0.5f)), near, asinCore(m, a, m.mul(a, a)));
  return m.copySign(y, x);
}

Value emitAcos(ImplicitLocOpBuilder &b, Value x) {
  VectorMath m(b, x);
  Value a = m.abs(x);
  Value near = acosNearOne(m, a);
  near = m.select(m.less(x, m.f(0.0f)), fromPi(m, near), near);
  return m.select(m.greater(a, m.f(0.5f)), near, fromHalfPi(m, asinCore(m, x, m.mul(x, x))));
}

Value emitAsinh(ImplicitLocOpBuilder &b, Value x) {
  VectorMath m(b, x);
  Value a = m.abs(x), square = m.mul(a, a);
  Value root = math::SqrtOp::create(b, m.add(square, m.f(1.0f)));
  Value y = emitLog1p(b, m.add(a, m.div(square, m.add(root, m.f(1.0f)))));
  Value isHuge = m.greater(a, m.f(f32::kHuge));
  return m.copySign(m.select(isHuge, m.add(emitLog(b, a), m.f(f32::kLn2)), y), x);
}

Value emitAcosh(ImplicitLocOpBuilder &b, Value x) {
  VectorMath m(b, x);
  Value above = m.sub(x, m.f(1.0f));
  Value root = math::SqrtOp::create(b, m.fma(above, above, m.add(above, above)));
  Value y = emitLog1p(b, m.add(above, root));
  y = m.select(m.greater(x, m.f(f32::kHuge)), m.add(emitLog(b, x), m.f(f32::kLn2)), y);
  return m.select(m.less(x, m.f(1.0f)), m.f(f32::kNan), y);
}

Value emitAtanh(ImplicitLocOpBuilder &b, Value x) {
  VectorMath m(b, x);
  Value a = m.abs(x);
  Value y = emitLog1p(b, m.div(m.add(a, a), m.sub(m.f(1.0f), a)));
  return m.copySign(m.mul(y, m.f(0.5f)), x);
}

Value emitCbrt(ImplicitLocOpBuilder &b, Value x) {
  VectorMath m(b, x);
  Value a = m.abs(x);
  // Scales denormals, which have no valid exponent field, and the largest numbers, of which 3 x overflows.
  auto choose = [&](float small, float large) {
    Value isSmall = m.less(a, m.f(std::numeric_limits<float>::min())), isLarge = m.greater(a, m.f(0x1p125f));
    return m.select(isSmall, m.f(small), m.select(isLarge, m.f(large), m.f(1.0f)));
  };
  Value s = m.mul(a, choose(0x1p24f, 0x1p-24f));
  // A first estimate within 3.2 %: a third of the bits, which are nearly the logarithm. A Halley step reduces the error
  // to 10^-5, a Newton step to its rounding.
  Value third = m.truncate(m.shru(m.imul(m.extend(m.bits(s)), m.i64(0x55555556)), m.i64(32)));
  Value y = m.fromBits(m.iadd(third, m.i(f32::kCubeRootBits)));
  Value cube = m.mul(m.mul(y, y), y);
  y = m.mul(y, m.div(m.fma(s, m.f(2.0f), cube), m.fma(cube, m.f(2.0f), s)));
  Value square = m.mul(y, y);
  Value excess = m.fma(square, y, m.mul(s, m.f(-1.0f)));
  y = m.sub(y, m.div(excess, m.mul(square, m.f(3.0f))));
  y = m.copySign(m.mul(y, choose(0x1p-8f, 0x1p8f)), x);
  // Zeros, infinities and NaN stay.
  Value isOrdinary = m.select(m.greater(a, m.f(0.0f)), m.less(a, m.f(f32::kInfinity)), m.greater(a, a));
  return m.select(isOrdinary, y, x);
}
} // namespace lispier
