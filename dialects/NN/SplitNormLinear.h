//===- SplitNormLinear.h - nn.norm_linear as two ops ----------*- C++ -*-===//
#ifndef LISPIER_NN_SPLITNORMLINEAR_H
#define LISPIER_NN_SPLITNORMLINEAR_H

#include "lispier/NN/NN.h"

namespace lispier::nn {
/// Creates the normalisation of a NormLinearOp or NormLinearsOp at the insertion point. An RMS norm is loops, and the
/// result null.
template <typename Op> LayerNormOp createNorm(mlir::OpBuilder &b, Op op);
/// Creates the two equivalent ops at the insertion point and does not erase `op`, which is not gated.
std::pair<LayerNormOp, LinearOp> split(mlir::OpBuilder &b, NormLinearOp op);
} // namespace lispier::nn
#endif
