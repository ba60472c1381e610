//===- RepeatedHeads.h - heads of keys that several heads of queries share -*- C++ -*-===//
#ifndef LISPIER_LIB_TENSOR_KERNELS_REPEATEDHEADS_H
#define LISPIER_LIB_TENSOR_KERNELS_REPEATEDHEADS_H

#include "lispier/Group/Group.h"

namespace lispier {
/// Heads of keys or values that a copy has repeated, so that each head of queries has its own.
struct RepeatedHeads {
  mlir::Value source;
  group::KernelOp copy;
  mlir::OpFoldResult count; ///< Copies of each head, which are neighbours.
};

/// The copy that has made the heads in `memory`, whose number is dimension `at`, with its source; nullopt if no copy
/// made them, or if something may write one of the two between the copy and `reader`.
std::optional<RepeatedHeads> repeatedHeadsOf(mlir::Value memory, unsigned at, group::KernelOp reader);

/// Erases the copy, and its memory, if no op reads it.
void eraseUnread(group::KernelOp copy);
} // namespace lispier
#endif
