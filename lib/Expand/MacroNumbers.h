//===- MacroNumbers.h - numbers as arguments of macro functions -*- C++ -*-===//
#ifndef LISPIER_LIB_EXPAND_MACRONUMBERS_H
#define LISPIER_LIB_EXPAND_MACRONUMBERS_H

#include <cstdint>
#include <optional>

namespace lispier {
class Form;
class MacroInterpreter;
struct Value;

/// Returns the value as an integer of 64 bits; nullopt, after an error at `at`, if it is none.
std::optional<int64_t> asInteger(MacroInterpreter &in, Value value, const Form *at);
} // namespace lispier
#endif
