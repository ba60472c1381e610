//===- OpForms.h - the ops that the language writes in its own way -*- C++ -*-===//
//
// Lookup in the rows of OpForms.def, where each of them is explained.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_IRGEN_CORE_OPFORMS_H
#define LISPIER_LIB_IRGEN_CORE_OPFORMS_H

#include "llvm/ADT/StringRef.h"

namespace lispier {
/// Returns the attribute of `op` that programs may also call `key`; `key` itself if there is none.
llvm::StringRef attributeOfKey(llvm::StringRef op, llvm::StringRef key);
/// Whether `op` reads the attribute `key` in C++ without declaring it in ODS.
bool isUndeclaredKey(llvm::StringRef op, llvm::StringRef key);
/// Whether `key` is a discardable unit attribute; programs may write `true` or `false` as its value.
bool isUnitKey(llvm::StringRef key);
/// Whether `key` belongs to a short form of `op` and does not become an attribute.
bool isKeyOfShortForm(llvm::StringRef op, llvm::StringRef key);
/// The terminator that a program may leave out of `op` though its ODS definition names none; empty if there is none.
llvm::StringRef usualTerminator(llvm::StringRef op);
/// Whether the verifier of `op` may crash on an invalid op.
bool hasUncheckedVerifier(llvm::StringRef op);
} // namespace lispier
#endif
