//===- DecomposeSample.h - lower nn.argmax and nn.sample -------*- C++ -*-===//
#ifndef LISPIER_NN_DECOMPOSESAMPLE_H
#define LISPIER_NN_DECOMPOSESAMPLE_H

#include "LoopBuilder.h"
#include "lispier/NN/NN.h"

namespace lispier::nn {
/// Builds the loops that compute `op` at the insertion point; does not erase `op`.
void decompose(LoopBuilder &builder, ArgmaxOp op);
void decompose(LoopBuilder &builder, SampleOp op);
} // namespace lispier::nn
#endif
