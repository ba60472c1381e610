//===- CacheAppend.h - writes to caches as part of attention ----*- C++ -*-===//
#ifndef LISPIER_LIB_TENSOR_CACHEAPPEND_H
#define LISPIER_LIB_TENSOR_CACHEAPPEND_H

#include "lispier/NN/NN.h"

namespace lispier {
/// Lets attention over two caches write the new keys and values to them itself, where it follows the groups that do so
/// from the position on that it takes as that of the first token: two launches less. The op is replaced. On a GPU the
/// host then does not read the position, not even to check that the rows are in the cache: a step can be replayed.
void appendToCaches(nn::AttentionOp attention, bool onGpu);
} // namespace lispier
#endif
