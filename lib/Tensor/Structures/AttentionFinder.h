//===- AttentionFinder.h - attention among linalg ops -----------*- C++ -*-===//
//
// Two contractions with a softmax between them, whatever changes the scores before it,
// in any order of dimensions. The scores are the result of the first contraction, the
// weights that of the softmax, which is an operand of the second. AttentionFinder.cpp has
// the search, ScoreRegion.cpp makes the region of group.attention from the ops that change
// scores.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_TENSOR_STRUCTURES_ATTENTIONFINDER_H
#define LISPIER_LIB_TENSOR_STRUCTURES_ATTENTIONFINDER_H

#include "Formulas/ScalarForm.h"
#include "lispier/Group/Group.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace lispier {
/// For each dimension of a tensor, the dimension of the weights whose index it has; kFirst for a dimension of one
/// element, whose index is 0.
using WeightsPlace = llvm::SmallVector<int>;
inline constexpr int kFirst = -1;

/// A tensor, and which dimension of the weights each of its dimensions is. Numbers above those are what the weights do
/// not have: kHeadSize, kValueSize.
struct PlacedTensor {
  mlir::Value tensor;
  WeightsPlace place;
};
inline constexpr int kHeadSize = 1000, kValueSize = 1001;

/// The indices that these are.
inline llvm::SmallVector<ScalarForm::Ref> placesIn(ScalarForms &forms, const WeightsPlace &place) {
  return llvm::map_to_vector(place, [&](int each) { return each == kFirst ? forms.index(0) : forms.place(each); });
}

/// Softmax of changed scores, times values.
struct FoundAttention {
  mlir::linalg::LinalgOp product, scores, maximum;
  PlacedTensor query, key, value, result;
  WeightsPlace scoresPlace, maximumPlace;   ///< Of the results of `scores` and `maximum`.
  int positions;                            ///< Dimension of the weights.
  llvm::SmallVector<int> rows;              ///< Dimensions that may be the tokens: keys and values have none of them.
  llvm::SmallVector<int> outer;             ///< The others, in the order of the result.
  mlir::Type rounded;                       ///< The type to which weights are rounded; null if it is the scores'.
  double factor = 1;                        ///< Multiplies the product of `query` and `key`.
  mlir::Value last;                         ///< The tensor that is the result.
  llvm::SetVector<mlir::Operation *> chain; ///< The ops that depend on scores, up to the weights.
  llvm::SmallVector<mlir::Location> places; ///< Of these, and of `product`.
  /// Tensors that are m + log sum exp(s - m) of each row, as the program has written it.
  llvm::SmallVector<PlacedTensor> logSums;
};

/// The attention that ends with `product`, if nothing of its inside is needed elsewhere but the log-sum-exp.
std::optional<FoundAttention> findAttention(mlir::linalg::LinalgOp product);

/// The op in place of what was found, with tokens `rows[tokens]`; the replaced ops remain, and so do the uses of their
/// results. Null if the changes of the scores have no form as a region.
struct FormedAttention {
  group::AttentionOp op;
  mlir::Value result;
  llvm::SmallVector<mlir::Value> logSums; ///< For each of FoundAttention.
};
std::optional<FormedAttention> formAttention(mlir::OpBuilder &b, const FoundAttention &found, unsigned tokens);
} // namespace lispier
#endif
