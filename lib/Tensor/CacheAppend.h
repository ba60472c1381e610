//===- CacheAppend.h - writes to caches as part of attention ----*- C++ -*-===//
#ifndef LISPIER_LIB_TENSOR_CACHEAPPEND_H
#define LISPIER_LIB_TENSOR_CACHEAPPEND_H

#include "lispier/NN/NN.h"

namespace lispier {
/// Lets attention over two caches write the new keys and values to them itself, where it follows the groups that do so
/// from the position on that it takes as that of the first token: two launches less, and the host does not read the
/// position. The op is replaced.
void appendToCaches(nn::AttentionOp attention);
} // namespace lispier
#endif
