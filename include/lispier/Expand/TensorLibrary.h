//===- TensorLibrary.h - names of the library of tensors --------*- C++ -*-===//
#ifndef LISPIER_EXPAND_TENSORLIBRARY_H
#define LISPIER_EXPAND_TENSORLIBRARY_H

#include "llvm/ADT/StringRef.h"

namespace lispier {
/// Core forms name the functions of lib/Prelude/tensor with this prefix: tensor/gelu.
inline constexpr llvm::StringLiteral kTensorLibrary = "tensor/";
} // namespace lispier
#endif
