//===- FloatFormats.h - what f32 and f64 are ------------------*- C++ -*-===//
#ifndef LISPIER_LIB_MATH_FLOATFORMATS_H
#define LISPIER_LIB_MATH_FLOATFORMATS_H

#include <cstdint>
#include <limits>

namespace lispier {
namespace f32 {
inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
inline constexpr int32_t kExponentBias = 127, kMantissaBits = 23;
/// For |x| < 2^22, x + kRoundMagic - kRoundMagic is x rounded to an integer, and the difference of the bit patterns of
/// the sum and of kRoundMagic is that integer.
inline constexpr float kRoundMagic = 12582912.0f;
inline constexpr int32_t kRoundMagicBits = 0x4B400000;
/// Below this x and x + x^2/2 are the same number.
inline constexpr float kTiny = 0x1p-25f;
/// From here on x^2 and x^2 + 1 are the same number.
inline constexpr float kHuge = 0x1p28f;
} // namespace f32

namespace f64 {
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr int64_t kExponentBias = 1023, kMantissaBits = 52;
/// Rounds as f32::kRoundMagic, for |x| < 2^51.
inline constexpr double kRoundMagic = 0x1.8p52;
inline constexpr int64_t kRoundMagicBits = 0x4338000000000000;
/// Below the first number x and x + x^2/2 are the same, below the second x and x + x^3/3.
inline constexpr double kTiny = 0x1p-54, kNearlyLinear = 0x1p-28;
/// From here on x^2 and x^2 + 1 are the same number.
inline constexpr double kHuge = 0x1p30;
} // namespace f64
} // namespace lispier

#endif
