//===- Digest.h - names for contents ---------------------------*- C++ -*-===//
#ifndef LISPIER_LIB_SESSION_DIGEST_H
#define LISPIER_LIB_SESSION_DIGEST_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace lispier {
/// 40 letters that no other sequence of parts has.
std::string digest(llvm::ArrayRef<llvm::StringRef> parts);

/// Of this compiler: the build ids of the program and of LLVM's libraries. Empty when it has none.
std::string compilerDigest();
} // namespace lispier
#endif
