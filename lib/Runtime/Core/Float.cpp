//===- Float.cpp - conversions of 16-bit floats ---------------------------===//
//
// LLVM calls these to convert bfloat and half on processors without such
// instructions. They are weak, since the compiler's own library may define them
// too. Rounding is to nearest, ties to even; NaNs become quiet NaNs.
//
//===----------------------------------------------------------------------===//
#include <cmath>
#include <cstdint>
#include <cstring>

namespace {
template <typename To, typename From> To bitsOf(From value) {
  static_assert(sizeof(To) == sizeof(From));
  To result;
  memcpy(&result, &value, sizeof(result));
  return result;
}

__bf16 roundToBFloat(float value) {
  uint32_t bits = bitsOf<uint32_t>(value);
  if (value != value)
    return bitsOf<__bf16>(uint16_t(bits >> 16 | 0x40));
  return bitsOf<__bf16>(uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16));
}

_Float16 roundToHalf(float value) {
  uint32_t bits = bitsOf<uint32_t>(value);
  uint16_t sign = bits >> 16 & 0x8000;
  uint32_t magnitude = bits & 0x7fffffff;
  uint16_t result;
  if (magnitude > 0x7f800000) // NaN
    result = 0x7e00 | (magnitude >> 13 & 0x3ff);
  else if (magnitude >= 0x477ff000) // 65520 and more round to infinity
    result = 0x7c00;
  else if (magnitude >= 0x38800000) // normal
    result = (magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13;
  else // subnormal: adding 0.5 aligns the last bit to 2^-24, so the float unit rounds in the current mode
    result = uint16_t(bitsOf<uint32_t>(bitsOf<float>(magnitude) + 0.5f) - 0x3f000000);
  return bitsOf<_Float16>(uint16_t(sign | result));
}

float widen(_Float16 value) {
  uint16_t bits = bitsOf<uint16_t>(value);
  uint32_t sign = uint32_t(bits & 0x8000) << 16, exponent = bits >> 10 & 31, mantissa = bits & 0x3ff;
  if (exponent == 0) { // mantissa * 2^-24
    float magnitude = float(mantissa) * 0x1p-24f;
    return bitsOf<float>(sign | bitsOf<uint32_t>(magnitude));
  }
  uint32_t newExponent = exponent == 31 ? 255 : exponent + 112;
  uint32_t quiet = exponent == 31 && mantissa ? 0x400000 : 0;
  return bitsOf<float>(sign | newExponent << 23 | mantissa << 13 | quiet);
}

/// Rounds to float, to odd: an inexact result has its last bit set. Rounding that again to fewer bits gives the same as
/// rounding `value` directly.
float roundToOdd(double value) {
  float nearest = float(value);
  if (double(nearest) == value || value != value || std::isinf(nearest))
    return std::isinf(nearest) && !std::isinf(value) ? std::copysign(3.40282347e38f, nearest) : nearest;
  uint32_t bits = bitsOf<uint32_t>(nearest);
  if (std::fabs(double(nearest)) > std::fabs(value))
    bits -= 1; // toward zero; nearest is not zero here
  return bitsOf<float>(bits | 1);
}
} // namespace

#define WEAK extern "C" __attribute__((weak))
WEAK __bf16 __truncsfbf2(float value) { return roundToBFloat(value); }
WEAK __bf16 __truncdfbf2(double value) { return roundToBFloat(roundToOdd(value)); }
WEAK _Float16 __truncsfhf2(float value) { return roundToHalf(value); }
WEAK _Float16 __truncdfhf2(double value) { return roundToHalf(roundToOdd(value)); }
WEAK float __extendhfsf2(_Float16 value) { return widen(value); }
WEAK double __extendhfdf2(_Float16 value) { return double(widen(value)); }
WEAK float __extendbfsf2(__bf16 value) { return bitsOf<float>(uint32_t(bitsOf<uint16_t>(value)) << 16); }
// Names on targets that pass half as an integer.
WEAK uint16_t __gnu_f2h_ieee(float value) { return bitsOf<uint16_t>(roundToHalf(value)); }
WEAK float __gnu_h2f_ieee(uint16_t bits) { return widen(bitsOf<_Float16>(bits)); }
