//===- Numbers.h - the default types of bare numbers ------------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_CORE_NUMBERS_H
#define LISPIER_LIB_IRGEN_CORE_NUMBERS_H

namespace lispier {
class Form;

/// Whether `number` is an integer that needs more than 64 bits. Without a type from its context that is an error; it is
/// not rounded to a float.
bool isTooLarge(const Form *number);
/// Whether `number` defaults to f64 where its context gives no type; the default is i64 otherwise.
bool isFraction(const Form *number);
} // namespace lispier
#endif
