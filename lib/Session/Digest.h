//===- Digest.h - content digests ------------------------------*- C++ -*-===//
#ifndef LISPIER_LIB_SESSION_DIGEST_H
#define LISPIER_LIB_SESSION_DIGEST_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace lispier {
/// A digest of a sequence of strings: 40 hexadecimal digits.
std::string digest(llvm::ArrayRef<llvm::StringRef> parts);

/// Identifies this compiler by the build ids of the program and of LLVM's libraries. Empty if one has none.
std::string compilerDigest();
} // namespace lispier
#endif
