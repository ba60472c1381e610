//===- AttentionParts.h - attention as linalg ops --------------*- C++ -*-===//
#ifndef LISPIER_GROUP_ATTENTIONPARTS_H
#define LISPIER_GROUP_ATTENTIONPARTS_H

#include "lispier/Group/Group.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace lispier::group {
/// The linalg ops that compute a group.attention, whose loops GroupOps.td names: `scores` is q k^T, `maximum` and `sum`
/// are those of a softmax of the changed scores, `product` is the weights times v. Dimensions of the scores and weights
/// are the op's outer loops, the tokens and the positions, in this order; loops of `product` are the result's
/// dimensions, then the positions.
struct AttentionParts {
  mlir::linalg::LinalgOp scores, maximum, sum, product;
  mlir::Value changed;        ///< The score after mask, bias and the like, in the region of `maximum`.
  unsigned tokens, valueSize; ///< Dimensions of the result.

  /// Operands of `scores`, and of `product`.
  static constexpr unsigned kQueries = 0, kKeys = 1, kWeights = 0, kValues = 1;
};

/// The op's region as scalar ops at the builder's place, for the indices of the outer loops, the token and the
/// position, the score, and an element of each other operand.
mlir::Value cloneScore(mlir::OpBuilder &b, AttentionOp op, mlir::ValueRange arguments);

/// Replaces the op by one with the log-sum-exp of the scores as a second result; returns the op itself if it has that
/// result.
AttentionOp withLogSums(mlir::OpBuilder &b, AttentionOp op);

/// Replaces the op by linalg ops that compute its formula one after the other.
AttentionParts expandAttention(AttentionOp op);

/// The attention that the kernel computes; null for other kernels.
AttentionOp attentionIn(KernelOp kernel);
} // namespace lispier::group
#endif
