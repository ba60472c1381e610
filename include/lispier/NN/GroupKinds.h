//===- GroupKinds.h - groups that hand-written kernels compete for -*- C++ -*-===//
//
// A group of tensor ops has a generated kernel. A kernel implementation (`deftemplate`)
// lists in `:groups` the kinds of groups for which it is to be taken instead, since it
// is faster. Only groups that the op of a kind computes are of that kind.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_NN_GROUPKINDS_H
#define LISPIER_NN_GROUPKINDS_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace lispier::nn {
enum class GroupKind : unsigned {
  OneRowProduct,          ///< One row times a matrix (GEMV), with bias, activation and residual.
  Product,                ///< The same of several rows (GEMM).
  WideProduct,            ///< A product as large as `:wide-product` and `:wide-finished-product` in tuning.lisp say.
  LayerNorm,              ///< A layer norm of rows.
  LayerNormBeforeProduct, ///< One that only a Product reads.
  NormedOneRowProduct,    ///< A OneRowProduct with the layer norm or the RMS norm before it.
  NormedProduct,          ///< A Product with a layer norm before it that nothing else reads.
  GatedOneRowProduct,     ///< The same whose outputs are gated.
  OneRowProducts,         ///< Several OneRowProducts of one row, without activation and residual.
  NormedOneRowProducts,   ///< The same with the norm before them.
  Attention,              ///< softmax(mask(scale q k^T)) v.
  WholeAttention,         ///< The same of several tokens that see all positions.
  WideAttention,          ///< Causal attention as large as `:wide-attention` in tuning.lisp says.
  RotatedAttention,       ///< Attention of one token over caches, with the rotation of its query and key.
};

struct GroupKindName {
  llvm::StringLiteral name;
  llvm::StringLiteral op;     ///< Which computes groups of the kind.
  llvm::StringLiteral plural; ///< In messages.
};
/// In the order of GroupKind.
inline constexpr GroupKindName kGroupKinds[] = {
    {"one-row-product", "nn.linear", "products of one row"},
    {"product", "nn.linear", "products of several rows"},
    {"wide-product", "nn.linear", "products that give each multiprocessor several large tiles"},
    {"layer-norm", "nn.layer_norm", "layer norms"},
    {"layer-norm-before-product", "nn.layer_norm", "layer norms before products of several rows"},
    {"normed-one-row-product", "nn.norm_linear", "products of one row with the norm before them"},
    {"normed-product", "nn.norm_product", "products of several rows with the layer norm before them"},
    {"gated-one-row-product", "nn.norm_linear", "gated products of one row with the norm before them"},
    {"one-row-products", "nn.linears", "products of one row with several weights"},
    {"normed-one-row-products", "nn.norm_linears", "products of one row with several weights and the norm before them"},
    {"attention", "nn.attention", "attention"},
    {"whole-attention", "nn.attention", "attention of tokens that see all positions"},
    {"wide-attention", "nn.attention", "attention of large heads that gives each multiprocessor a block of tokens"},
    {"rotated-attention", "nn.rotated_attention", "attention of one token with its rotation"},
};

inline const GroupKindName &describe(GroupKind kind) { return kGroupKinds[static_cast<unsigned>(kind)]; }

/// The kind of that name; nullopt if there is none.
inline std::optional<GroupKind> groupKindOf(llvm::StringRef name) {
  for (unsigned i = 0; i < std::size(kGroupKinds); ++i)
    if (kGroupKinds[i].name == name)
      return static_cast<GroupKind>(i);
  return std::nullopt;
}

/// The names of the kinds that the op computes.
inline std::vector<std::string> groupKindsOf(llvm::StringRef op) {
  std::vector<std::string> names;
  for (const GroupKindName &kind : kGroupKinds)
    if (kind.op == op)
      names.push_back(kind.name.str());
  return names;
}
} // namespace lispier::nn
#endif
