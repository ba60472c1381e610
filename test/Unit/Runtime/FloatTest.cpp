// The helpers against the definition: the nearest 16-bit value, found by search among all of them, ties to even.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <vector>

extern "C" {
__bf16 __truncsfbf2(float);
__bf16 __truncdfbf2(double);
_Float16 __truncsfhf2(float);
_Float16 __truncdfhf2(double);
float __extendhfsf2(_Float16);
float __extendbfsf2(__bf16);
}

namespace {
template <typename To, typename From> To bitsOf(From value) {
  To result;
  memcpy(&result, &value, sizeof(result));
  return result;
}

/// A 16-bit format by its number of exponent bits, with its non-negative finite values in order.
struct Format {
  int exponentBits;
  std::vector<double> values;
  explicit Format(int exponentBits) : exponentBits(exponentBits) {
    int fraction = 15 - exponentBits, bias = (1 << (exponentBits - 1)) - 1;
    for (int bits = 0; bits < ((1 << exponentBits) - 1) << fraction; ++bits) {
      int exponent = bits >> fraction, mantissa = bits & ((1 << fraction) - 1);
      values.push_back(exponent ? std::ldexp(mantissa + (1 << fraction), exponent - bias - fraction)
                                : std::ldexp(mantissa, 1 - bias - fraction));
    }
  }
  /// Bits of the nearest value of a non-NaN number.
  uint16_t nearest(double value) const {
    uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    double magnitude = std::fabs(value);
    // The last step of the finite values continues once to infinity.
    double beyond = 2 * values.back() - values[values.size() - 2];
    size_t above = std::lower_bound(values.begin(), values.end(), magnitude) - values.begin();
    if (above == 0)
      return sign;
    double upper = above < values.size() ? values[above] : beyond, lower = values[above - 1];
    if (magnitude >= beyond)
      return sign | uint16_t(values.size());
    double toLower = magnitude - lower, toUpper = upper - magnitude;
    bool up = toUpper < toLower || (toUpper == toLower && above % 2 == 0);
    return sign | uint16_t(up ? above : above - 1);
  }
};
const Format kHalf(5), kBFloat(8);

std::vector<double> interesting(const Format &format) {
  std::vector<double> result = {0.0, -0.0, INFINITY, -INFINITY, 1e300, -1e300, 1e-300, 3.4028235e38};
  for (size_t i = 0; i + 1 < format.values.size(); i += 7) {
    double low = format.values[i], high = format.values[i + 1], middle = (low + high) / 2;
    for (double value : {low, middle, std::nextafter(middle, 0.0), std::nextafter(middle, INFINITY)})
      result.insert(result.end(), {value, -value});
  }
  double last = format.values.back(), step = last - format.values[format.values.size() - 2];
  result.insert(result.end(), {last, last + step / 2, std::nextafter(last + step / 2, 0.0), last + step});
  return result;
}
} // namespace

TEST(Float, RoundsToNearestEven) {
  for (double value : interesting(kHalf)) {
    EXPECT_EQ(bitsOf<uint16_t>(__truncdfhf2(value)), kHalf.nearest(value)) << value;
    EXPECT_EQ(bitsOf<uint16_t>(__truncsfhf2(float(value))), kHalf.nearest(float(value))) << value;
  }
  for (double value : interesting(kBFloat)) {
    EXPECT_EQ(bitsOf<uint16_t>(__truncdfbf2(value)), kBFloat.nearest(value)) << value;
    EXPECT_EQ(bitsOf<uint16_t>(__truncsfbf2(float(value))), kBFloat.nearest(float(value))) << value;
  }
}

TEST(Float, RandomBits) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100000; ++i) {
    float value = bitsOf<float>(uint32_t(random()));
    if (std::isnan(value))
      continue;
    ASSERT_EQ(bitsOf<uint16_t>(__truncsfhf2(value)), kHalf.nearest(value)) << value;
    ASSERT_EQ(bitsOf<uint16_t>(__truncsfbf2(value)), kBFloat.nearest(value)) << value;
  }
}

TEST(Float, NotANumberStaysOne) {
  for (uint32_t bits : {0x7fc00000u, 0x7f800001u, 0xffc12345u}) {
    EXPECT_TRUE(std::isnan(__extendhfsf2(__truncsfhf2(bitsOf<float>(bits)))));
    EXPECT_TRUE(std::isnan(__extendbfsf2(__truncsfbf2(bitsOf<float>(bits)))));
  }
}

TEST(Float, WidensEveryHalf) {
  for (uint32_t bits = 0; bits < 0x7c00; ++bits) {
    ASSERT_EQ(__extendhfsf2(bitsOf<_Float16>(uint16_t(bits))), kHalf.values[bits]);
    ASSERT_EQ(__extendhfsf2(bitsOf<_Float16>(uint16_t(bits | 0x8000))), -kHalf.values[bits]);
  }
  EXPECT_EQ(__extendhfsf2(bitsOf<_Float16>(uint16_t(0x7c00))), INFINITY);
}
