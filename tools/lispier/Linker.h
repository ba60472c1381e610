//===- Linker.h - LLVM's linker in the tool -------------------------------===//
//
// Linking needs no program of the machine: the tool contains LLVM's linker, and
// calls itself as `ld.lld`. In a child process, since the linker ends the process
// after some errors.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_TOOLS_LISPIER_LINKER_H
#define LISPIER_TOOLS_LISPIER_LINKER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

/// Whether the program is called as the linker.
bool isLinker(llvm::StringRef calledAs);
/// Links, and returns the exit status.
int runLinker(llvm::ArrayRef<const char *> arguments);
#endif
