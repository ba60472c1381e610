//===- AttentionFormula.h - which attention kernels compute -----*- C++ -*-===//
#ifndef LISPIER_TENSOR_FORMULAS_ATTENTIONFORMULA_H
#define LISPIER_TENSOR_FORMULAS_ATTENTIONFORMULA_H

#include "lispier/Group/Group.h"

namespace lispier {
/// Scores below are those of positions that are not seen: their weight is 0 beside any real score.
inline constexpr double kUnseenScore = -1e30;

/// An operand of attention or its result: dimension `order[i]` of the tensor is dimension i of [tokens, heads, size].
/// Of four dimensions the heads are two: those of keys, and for each of them those of queries that share it; or batches
/// and heads.
struct AttentionHeads {
  using Order = llvm::SmallVector<unsigned, 4>;
  mlir::Value tensor;
  Order order;
  bool hasTokens = true; ///< Else the tensor is of one token, and `order` begins with the heads, which are two.

  /// Whether the numbers of a head are one after the other in memory, and the two dimensions of heads are neighbours,
  /// so that memory has them as one.
  bool fitsKernels() const {
    unsigned heads = hasTokens ? 1 : 0;
    return order.back() == order.size() - 1 && (order.size() == heads + 2 || order[heads + 1] == order[heads] + 1);
  }
};

/// Attention as nn.attention has it: the scores are scaled and masked, and there is one dimension of heads, or two that
/// are one in memory.
struct KernelAttention {
  AttentionHeads q, k, v, result;
  /// Nothing: 1 / sqrt(head size).
  std::optional<double> scale;
  mlir::Value scaleValue; ///< A number that only the call knows, if it is the scale; nn.attention takes none.
  bool causal = false;
  std::optional<int64_t> window;
  mlir::Value windowValue; ///< The window if only the call knows it: an integer, or a tensor of one.
  /// With a causal mask: the position of the first token, an index, an integer, or a tensor of one; null if it is
  /// `firstConstant`.
  mlir::Value first;
  int64_t firstConstant = 0;
  bool alignedToEnd = false; ///< The last token is at the last position; `first` and `firstConstant` do not count then.
};

/// The attention as nn.attention computes it; nothing if the region changes scores in another way, or operands do not
/// fit. Masks are compared by which positions each token sees.
std::optional<KernelAttention> kernelAttentionOf(group::AttentionOp op);
} // namespace lispier
#endif
