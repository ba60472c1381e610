//===- CombineNumbers.cpp - numbers of several ranks become one -----------===//
#include "CombineNumbers.h"
#include "Core/BFloat16.h"

namespace lispier::runtime {
namespace {
/// A float type's numbers as they are computed.
inline double wide(double value) { return value; }
inline float wide(float value) { return value; }
inline float wide(_Float16 value) { return float(value); }
inline float wide(BFloat16 value) { return toFloat(value); }
inline int64_t wide(int64_t value) { return value; }
inline int32_t wide(int32_t value) { return value; }
inline int32_t wide(int8_t value) { return value; }
inline int32_t wide(bool value) { return value; }

template <typename T, typename Wide> inline T narrow(Wide value) { return T(value); }
template <> inline BFloat16 narrow<BFloat16, float>(float value) { return toBFloat16(value); }
template <> inline int32_t narrow<int32_t, int64_t>(int64_t value) { return int32_t(value); }

/// A NaN is greater and less than all else, as for `max` and `min` of tensors.
template <typename T> inline T greater(T a, T b) { return a != a || a > b ? a : b; }
template <typename T> inline T less(T a, T b) { return a != a || a < b ? a : b; }
/// Without overflow, which C++ leaves undefined.
template <typename T> inline T sum(T a, T b) { return a + b; }
inline int64_t sum(int64_t a, int64_t b) { return int64_t(uint64_t(a) + uint64_t(b)); }
inline int32_t sum(int32_t a, int32_t b) { return int32_t(uint32_t(a) + uint32_t(b)); }

template <typename T> void combine(void *to, const void *from, int64_t count, Combine by) {
  auto *result = static_cast<T *>(to);
  auto *other = static_cast<const T *>(from);
  switch (by) {
  case LISPIER_MAX:
    for (int64_t i = 0; i < count; ++i)
      result[i] = narrow<T>(greater(wide(result[i]), wide(other[i])));
    return;
  case LISPIER_MIN:
    for (int64_t i = 0; i < count; ++i)
      result[i] = narrow<T>(less(wide(result[i]), wide(other[i])));
    return;
  case LISPIER_ADD:
  case LISPIER_MEAN:
    for (int64_t i = 0; i < count; ++i)
      result[i] = narrow<T>(sum(wide(result[i]), wide(other[i])));
    return;
  }
}

template <typename T> void divideAll(void *numbers, int64_t count, int64_t by) {
  auto *number = static_cast<T *>(numbers);
  using Wide = decltype(wide(*number));
  for (int64_t i = 0; i < count; ++i)
    number[i] = narrow<T>(wide(number[i]) / Wide(by));
}
} // namespace

int64_t bytesOf(Element element) {
  switch (element) {
  case LISPIER_F64:
  case LISPIER_I64:
    return 8;
  case LISPIER_F32:
  case LISPIER_I32:
    return 4;
  case LISPIER_F16:
  case LISPIER_BF16:
    return 2;
  case LISPIER_I8:
  case LISPIER_I1:
    return 1;
  }
  return 0;
}

const char *nameOf(Element element) {
  constexpr const char *names[] = {"f64", "f32", "f16", "bf16", "i64", "i32", "i8", "i1"};
  return names[element];
}

void combineNumbers(void *to, const void *from, int64_t count, Element element, Combine by) {
  switch (element) {
  case LISPIER_F64:
    return combine<double>(to, from, count, by);
  case LISPIER_F32:
    return combine<float>(to, from, count, by);
  case LISPIER_F16:
    return combine<_Float16>(to, from, count, by);
  case LISPIER_BF16:
    return combine<BFloat16>(to, from, count, by);
  case LISPIER_I64:
    return combine<int64_t>(to, from, count, by);
  case LISPIER_I32:
    return combine<int32_t>(to, from, count, by);
  case LISPIER_I8:
    return combine<int8_t>(to, from, count, by);
  case LISPIER_I1:
    return combine<bool>(to, from, count, by);
  }
}

void divideNumbers(void *numbers, int64_t count, Element element, int64_t by) {
  switch (element) {
  case LISPIER_F64:
    return divideAll<double>(numbers, count, by);
  case LISPIER_F32:
    return divideAll<float>(numbers, count, by);
  case LISPIER_F16:
    return divideAll<_Float16>(numbers, count, by);
  case LISPIER_BF16:
    return divideAll<BFloat16>(numbers, count, by);
  default:
    return; // The compiler takes means of floats only.
  }
}
} // namespace lispier::runtime
