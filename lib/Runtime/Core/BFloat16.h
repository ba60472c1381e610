//===- BFloat16.h - BF16 numbers of compiled programs -----------*- C++ -*-===//
#ifndef LISPIER_LIB_RUNTIME_BFLOAT16_H
#define LISPIER_LIB_RUNTIME_BFLOAT16_H

#include <cstdint>
#include <cstring>

namespace lispier::runtime {
/// The upper half of a float.
struct BFloat16 {
  uint16_t bits;
};

inline float toFloat(BFloat16 value) {
  uint32_t bits = uint32_t(value.bits) << 16;
  float result;
  memcpy(&result, &bits, sizeof(result));
  return result;
}
/// Rounds to nearest even; a NaN stays one.
inline BFloat16 toBFloat16(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof(bits));
  if (value != value)
    return {uint16_t(bits >> 16 | 0x40)};
  return {uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
}
} // namespace lispier::runtime
#endif
