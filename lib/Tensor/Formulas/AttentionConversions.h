//===- AttentionConversions.h - copies around attention --------*- C++ -*-===//
#ifndef LISPIER_LIB_TENSOR_FORMULAS_ATTENTIONCONVERSIONS_H
#define LISPIER_LIB_TENSOR_FORMULAS_ATTENTIONCONVERSIONS_H

#include "lispier/Tensor/Formulas/AttentionPattern.h"

namespace lispier {
/// Moves q, k and v to the tensors of which they are copies, in another order of dimensions or another type, q and k
/// also to those of which they are multiples by a number: the scale has the factor then. The ops in between are added
/// to the attention's.
void followOperands(Attention &attention);
/// Moves the result to the last copy of it that is its only use.
void followResult(Attention &attention);
} // namespace lispier
#endif
