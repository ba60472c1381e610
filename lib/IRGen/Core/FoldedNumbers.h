//===- FoldedNumbers.h - arithmetic of numbers while compiling --*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_CORE_FOLDEDNUMBERS_H
#define LISPIER_LIB_IRGEN_CORE_FOLDEDNUMBERS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace lispier {
/// Whether `head` is a form of numbers that the functions below compute, for some numbers of operands.
bool isArithmetic(llvm::StringRef head);
/// The value of the form `head` of integers, computed in 64 bits; nullopt for other heads and where it has none.
std::optional<int64_t> foldedIntegers(llvm::StringRef head, llvm::ArrayRef<int64_t> numbers);
/// The value of the form `head` of numbers, computed in f64; nullopt if this is no arithmetic form of so many.
std::optional<double> foldedReals(llvm::StringRef head, llvm::ArrayRef<double> numbers);
} // namespace lispier
#endif
