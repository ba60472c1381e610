//===- Inout.h - tensors that a function writes in place --------*- C++ -*-===//
#ifndef LISPIER_GROUP_INOUT_H
#define LISPIER_GROUP_INOUT_H

#include "llvm/ADT/StringRef.h"

namespace lispier {
/// Unit attribute of a function's argument, a tensor that the function writes in the caller's memory. Its last value is
/// a further result of the function, after its own results, in the order of the arguments.
inline constexpr llvm::StringLiteral kInoutAttr = "lispier.inout";
} // namespace lispier
#endif
