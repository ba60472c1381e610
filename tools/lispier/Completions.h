//===- Completions.h - words that a shell offers ----------------*- C++ -*-===//
#ifndef LISPIER_TOOLS_LISPIER_COMPLETIONS_H
#define LISPIER_TOOLS_LISPIER_COMPLETIONS_H

#include "llvm/ADT/StringRef.h"

namespace llvm {
class raw_ostream;
} // namespace llvm

/// Prints a script by which a shell, "bash", "zsh" or "fish", completes commands, options and their words. Returns
/// false for another shell.
bool printCompletions(llvm::raw_ostream &os, llvm::StringRef shell);
#endif
