//===- RotatedAttention.h - rotary embedding in attention -------*- C++ -*-===//
#ifndef LISPIER_LIB_TENSOR_KERNELS_ROTATEDATTENTION_H
#define LISPIER_LIB_TENSOR_KERNELS_ROTATEDATTENTION_H

#include "KernelChoice.h"
#include "lispier/NN/NN.h"

namespace lispier {
/// Replaces attention over caches whose queries and keys a group before it rotates, or a group for each, by
/// nn.rotated_attention, which saves a launch or two, where the call has one token; a branch keeps all for several.
/// (Tensors with a static size of 1 have no dimension for tokens in the group; they are not matched.)
void rotateInAttention(nn::AttentionOp attention, KernelChoice &choice);
} // namespace lispier
#endif
