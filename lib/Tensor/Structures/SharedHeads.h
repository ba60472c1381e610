//===- SharedHeads.h - heads of keys that heads of queries share -*- C++ -*-===//
#ifndef LISPIER_LIB_TENSOR_STRUCTURES_SHAREDHEADS_H
#define LISPIER_LIB_TENSOR_STRUCTURES_SHAREDHEADS_H

#include "lispier/Group/Group.h"

namespace lispier {
/// Where keys and values are copies of fewer heads, each for several heads of queries that are neighbours, replaces the
/// op by one that reads these heads: the heads of queries are two loops, of which keys and values have the first. No
/// kernel copies heads then, and gradients sum over those that share one. The copies remain if others need them.
void shareHeads(group::AttentionOp op);
} // namespace lispier
#endif
