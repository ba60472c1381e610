//===- RotatedAttention.h - rotary embedding in attention -------*- C++ -*-===//
#ifndef LISPIER_LIB_TENSOR_KERNELS_ROTATEDATTENTION_H
#define LISPIER_LIB_TENSOR_KERNELS_ROTATEDATTENTION_H

#include "lispier/NN/NN.h"
#include "lispier/Tensor/Kernels/KernelChoice.h"

namespace lispier {
/// Replaces attention over caches whose queries and keys a group before it rotates, or a group for each, by
/// nn.rotated_attention, which saves a launch or two, where the call has one token; a branch keeps all for several.
/// (Tensors with a static size of 1 have no dimension for tokens in the group; they are not matched.)
void rotateInAttention(nn::AttentionOp attention, const KernelChoice &choice);
} // namespace lispier
#endif
