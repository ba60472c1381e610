//===- DecomposeAddAt.h - lower nn.add_at and its like ------------*- C++ -*-===//
#ifndef LISPIER_NN_DECOMPOSEADDAT_H
#define LISPIER_NN_DECOMPOSEADDAT_H

#include "LoopBuilder.h"
#include "lispier/NN/NN.h"

namespace lispier::nn {
/// Builds the loops that compute `op` at the insertion point; does not erase `op`.
void decompose(LoopBuilder &builder, AddAtOp op);
void decompose(LoopBuilder &builder, SetAtOp op);
void decompose(LoopBuilder &builder, ExtremeAtOp op);
} // namespace lispier::nn
#endif
