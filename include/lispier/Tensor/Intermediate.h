//===- Intermediate.h - memory of intermediate tensors ---------*- C++ -*-===//
#ifndef LISPIER_TENSOR_INTERMEDIATE_H
#define LISPIER_TENSOR_INTERMEDIATE_H

#include "llvm/ADT/StringRef.h"

namespace lispier {
/// Unit attribute of a memref.alloc that bufferization made for a tensor, and of the memref.view that becomes of it:
/// what is in use at the same time as another does not overlap it.
inline constexpr llvm::StringLiteral kIntermediateAttr = "lispier.intermediate";
} // namespace lispier
#endif
