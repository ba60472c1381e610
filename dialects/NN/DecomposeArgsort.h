//===- DecomposeArgsort.h - lower nn.argsort to loops ----------*- C++ -*-===//
#ifndef LISPIER_NN_DECOMPOSEARGSORT_H
#define LISPIER_NN_DECOMPOSEARGSORT_H

#include "LoopBuilder.h"
#include "lispier/NN/NN.h"

namespace lispier::nn {
/// Builds the loops that compute `op` at the insertion point; does not erase `op`.
void decompose(LoopBuilder &builder, ArgsortOp op);
} // namespace lispier::nn
#endif
