//===- AttentionPattern.h - attention among tensor ops ---------*- C++ -*-===//
#ifndef LISPIER_TENSOR_FORMULAS_ATTENTIONPATTERN_H
#define LISPIER_TENSOR_FORMULAS_ATTENTIONPATTERN_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/SetVector.h"

namespace lispier {
/// An operand of attention or its result: dimension `order[i]` of the tensor is dimension i of [tokens, heads, size].
/// Of four dimensions the heads are two: those of keys, and for each of them those of queries that share it.
struct AttentionHeads {
  using Order = llvm::SmallVector<unsigned, 4>;
  mlir::Value tensor;
  Order order;

  /// Whether the numbers of a head are one after the other in memory, and the two dimensions of heads are neighbours,
  /// so that memory has them as one.
  bool fitsKernels() const {
    return order.back() == order.size() - 1 && (order.size() == 3 || order[2] == order[1] + 1);
  }
};

/// softmax(f(q k^T)) v of several heads, where f changes each score by itself.
struct Attention {
  llvm::SetVector<mlir::Operation *> ops; ///< Those that compute it, in no order.
  AttentionHeads q, k, v, result;
  mlir::linalg::LinalgOp product, maximum; ///< The last product, and the softmax's maximum of the changed scores.
  mlir::Value score;                       ///< The changed score, in the region of `maximum`.

  /// Whether f is a scale and a mask, and the types are as nn.attention has them. What follows is about these.
  bool isKernel = false;
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

/// The attention that ends with the product of weights and values `product`, if it is one, however it is written: the
/// order of dimensions, where scale and mask are applied, conversions. Masks are compared by which positions each token
/// sees, weights with the softmax of the changed scores, also where f is something else: a bias, a soft cap, a mask in
/// memory, a scale that only the call knows.
std::optional<Attention> matchAttention(mlir::linalg::LinalgOp product);
} // namespace lispier
#endif
