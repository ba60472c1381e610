//===- Products.h - products that have a hand-written kernel ----*- C++ -*-===//
//
// A group of a product x w^T becomes nn.linear. For one row, short kernels take less time
// than their launches: products of one x that have weights of their own, such as queries,
// keys and values, become one op, with the norm before them, and one product is an op with
// the norm before it and the gate of its outputs. Where only the run knows the number of
// rows, it decides.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_TENSOR_KERNELS_PRODUCTS_H
#define LISPIER_LIB_TENSOR_KERNELS_PRODUCTS_H

#include "KernelChoice.h"

namespace lispier {
/// Replaces those of the groups, each with one contraction, and the norms and gates around them, for which the kernel
/// index has implementations.
void matchProducts(llvm::ArrayRef<group::KernelOp> groups, KernelChoice &choice);
} // namespace lispier
#endif
