//===- CacheAppend.h - writes to caches as part of attention ----*- C++ -*-===//
#ifndef LISPIER_LIB_TENSOR_KERNELS_CACHEAPPEND_H
#define LISPIER_LIB_TENSOR_KERNELS_CACHEAPPEND_H

#include "lispier/NN/NN.h"

namespace lispier {
/// The memory of attention's queries, and its dimensions that are the heads of keys and the size of a head.
struct QueryHeads {
  mlir::Value memory;
  unsigned heads, size;
};

/// Replaces attention over two caches by attention that also writes the new keys and values to them, if the groups
/// before it write them from the position of its first token on; erases these groups, and so saves two launches. On a
/// GPU the host then does not read the position, not even to check that the rows are in the cache, so that a step can
/// be replayed. Returns the new op, or null if it keeps the old one.
nn::AttentionOp appendToCaches(nn::AttentionOp attention, const QueryHeads &queries, bool onGpu);
} // namespace lispier
#endif
