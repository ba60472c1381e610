//===- Main.h - signature and result of a program's `main` -----*- C++ -*-===//
#ifndef LISPIER_SESSION_MAIN_H
#define LISPIER_SESSION_MAIN_H

#include <cstdint>
#include <string>

namespace lispier {
struct MainSignature {
  bool takesArguments = false; ///< Takes (argc, argv), which do not include the program's name.
  /// Type of the first result. `Other`: a type that cannot be printed.
  enum Kind { None, Integer, Float, BFloat, Other } kind = None;
  unsigned bits = 0;
};

struct MainResult {
  MainSignature signature;
  uint64_t value = 0; ///< In the lowest `bits` bits; those above have no meaning.

  /// The value as text: integers in decimal, with their sign (i1: 0 or 1), floats as the shortest decimal without an
  /// exponent that reads back; empty if there is nothing to print.
  std::string text() const;
  /// The lowest 32 bits of an integer result, which is extended by its sign (i1: 0 or 1); 0 for any other.
  int exitStatus() const;
};
} // namespace lispier
#endif
