//===- Main.h - what a program's `main` takes and returns ------*- C++ -*-===//
#ifndef LISPIER_SESSION_MAIN_H
#define LISPIER_SESSION_MAIN_H

#include <cstdint>
#include <string>

namespace lispier {
struct MainSignature {
  bool takesArguments = false; ///< (argc, argv), without the program's name.
  /// Of the first result. `Other`: a type that cannot be printed.
  enum Kind { None, Integer, Float, BFloat, Other } kind = None;
  unsigned bits = 0;
};

struct MainResult {
  MainSignature signature;
  uint64_t value = 0; ///< The lowest `bits` bits hold it.

  /// Integers in decimal, floats as the shortest decimal that reads back, without an exponent;
  /// empty when there is nothing to print.
  std::string text() const;
  /// The lowest 32 bits of an integer result; 0 for everything else.
  int exitStatus() const;
};
} // namespace lispier
#endif
