//===- ManPage.h - the help as a manual page --------------------*- C++ -*-===//
#ifndef LISPIER_TOOLS_LISPIER_MANPAGE_H
#define LISPIER_TOOLS_LISPIER_MANPAGE_H

#include "llvm/ADT/StringRef.h"

namespace llvm {
class raw_ostream;
} // namespace llvm

/// Prints lispier(1) in the macros of man(7), from the tables of commands and options.
void printManPage(llvm::raw_ostream &os, llvm::StringRef version);
#endif
