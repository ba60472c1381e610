//===- ParallelBody.h - functions that run on one thread -------*- C++ -*-===//
#ifndef LISPIER_LOOPS_PARALLELBODY_H
#define LISPIER_LOOPS_PARALLELBODY_H

#include "llvm/ADT/StringRef.h"

namespace lispier {
/// Unit attribute of a function whose callers run on the runtime's threads already: lispier-outline-parallel leaves its
/// loops in sequence.
inline constexpr llvm::StringLiteral kParallelBodyAttr = "lispier.parallel_body";
} // namespace lispier
#endif
