//===- Numbers.h - what a bare number is -----------------------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_NUMBERS_H
#define LISPIER_LIB_IRGEN_NUMBERS_H

namespace lispier {
class Form;

/// Whether a number is an integer beyond 64 bits: an error where nothing says its type, never a float that is near it.
bool isTooLarge(const Form *number);
/// Whether a number is an f64 where nothing says its type; else it is an i64.
bool isFraction(const Form *number);
} // namespace lispier
#endif
