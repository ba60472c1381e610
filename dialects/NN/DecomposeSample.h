//===- DecomposeSample.h - from logits to a token, as loops ----*- C++ -*-===//
#ifndef LISPIER_NN_DECOMPOSESAMPLE_H
#define LISPIER_NN_DECOMPOSESAMPLE_H

#include "LoopBuilder.h"
#include "lispier/NN/NN.h"

namespace lispier::nn {
void decompose(LoopBuilder &builder, ArgmaxOp op);
void decompose(LoopBuilder &builder, SampleOp op);
} // namespace lispier::nn
#endif
