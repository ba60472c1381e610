//===- NumberText.h - the exact value of a number's spelling ----*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_CORE_NUMBERTEXT_H
#define LISPIER_LIB_IRGEN_CORE_NUMBERTEXT_H

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace lispier {
/// Whether `text` is one of inf +inf -inf nan.
bool isSpecialFloat(llvm::StringRef text);
/// The value of an integer: 3, -7, 0xff, 0b101, 1_000.
std::optional<llvm::APInt> exactInteger(llvm::StringRef text);
/// The value of a number or a special float, rounded to the nearest one.
std::optional<llvm::APFloat> exactFloat(llvm::StringRef text, const llvm::fltSemantics &semantics);
/// The width of the smallest signless type that can represent it.
unsigned bitsOf(const llvm::APInt &value);
/// Whether a number such as 1e3 is an integer that f64 represents exactly.
bool isWhole(const llvm::APFloat &real);
} // namespace lispier
#endif
