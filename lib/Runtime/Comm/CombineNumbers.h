//===- CombineNumbers.h - numbers of several ranks become one ---*- C++ -*-===//
#ifndef LISPIER_LIB_RUNTIME_COMBINENUMBERS_H
#define LISPIER_LIB_RUNTIME_COMBINENUMBERS_H

#include "CommTable.h"

namespace lispier::runtime {
/// `to[i]` becomes the combination of `to[i]` and `from[i]`, in this order; of floats of 16 bits rounded to them.
/// `by` is not Mean, which is a sum and `divide`.
void combineNumbers(void *to, const void *from, int64_t count, Element element, Combine by);
/// Divides floats.
void divideNumbers(void *numbers, int64_t count, Element element, int64_t by);
} // namespace lispier::runtime
#endif
