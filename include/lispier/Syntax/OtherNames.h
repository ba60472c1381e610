//===- OtherNames.h - what other languages call our forms -------*- C++ -*-===//
#ifndef LISPIER_SYNTAX_OTHERNAMES_H
#define LISPIER_SYNTAX_OTHERNAMES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace lispier {
/// A row of OtherNames.def.
struct OtherName {
  llvm::StringLiteral name;      ///< "arange"
  llvm::StringLiteral languages; ///< "NumPy, PyTorch, Triton"
  llvm::StringLiteral ours;      ///< "(iota f32 [n])": how it is written here.
};

llvm::ArrayRef<OtherName> otherNames();
/// Finds a name, also behind the prefix that its language gives it (np.arange, tl.arange, threadIdx.x); null if it is
/// none of those in the table.
const OtherName *findOtherName(llvm::StringRef name);

/// A hint for a name that is not known: how one of another language is written here, or else which of the candidates
/// are written alike; empty if there are none.
std::string hintFor(llvm::StringRef name, llvm::ArrayRef<std::string> candidates);
} // namespace lispier
#endif
