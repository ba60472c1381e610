//===- AttentionFinder.h - what is attention, by its formulas ---*- C++ -*-===//
//
// The parts of matchAttention: AttentionPattern.cpp has the skeleton of contractions
// and reductions, AttentionScores.cpp compares the formulas of scores and weights,
// AttentionMask.cpp reads the mask.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_TENSOR_FORMULAS_ATTENTIONFINDER_H
#define LISPIER_LIB_TENSOR_FORMULAS_ATTENTIONFINDER_H

#include "IndexSum.h"
#include "ScalarForm.h"
#include "lispier/Tensor/Formulas/AttentionPattern.h"
#include "lispier/Tensor/Formulas/BatchProduct.h"

namespace lispier {
/// Finds the attention that ends with a product, as matchAttention describes it.
class AttentionFinder {
public:
  explicit AttentionFinder(mlir::linalg::LinalgOp product) : end(product) {}

  std::optional<Attention> find();

private:
  using Ref = ScalarForm::Ref;
  /// Scores below are those of positions that are not seen: their weight is 0 beside any real score.
  static constexpr double kUnseen = -1e30;

  // AttentionPattern.cpp
  bool findScores(mlir::Value weightsTensor);
  bool nameDimensions(BatchProduct product, unsigned weightsOperand, unsigned tokenLoop);
  bool isAsKernel();
  bool isAnyChange();
  bool leaveInputs();
  bool fitsKernels() const;

  // AttentionScores.cpp
  /// Reads the formulas of the changed score and of the weight. False if a score is changed by others.
  bool readForms();
  bool isSoftmax();
  /// Whether the score that is seen is the product's by a factor, which it takes.
  bool readScale(Ref seen);
  enum class Size { None, Tokens, Keys, HeadSize, Difference };
  Size kindOfSize(mlir::Value number);
  bool isHeadSize(Ref form);

  // AttentionMask.cpp
  /// Which positions a token sees; takes the form of a score that is seen.
  bool readMask(Ref &seen);
  bool isSeenAs(llvm::ArrayRef<IndexSum> kernelLines, Ref &seen);
  bool takeFirst(const IndexSum &first);
  bool takeWindow(const IndexSum &window);
  void readComparisons();
  IndexSum indexSumOf(Ref form);
  IndexSum sizeSum(Size kind, Ref number);
  /// A number from outside, or one in memory, whose value the sum is; null if it is no such number.
  static mlir::Value symbolOf(const IndexSum &sum);
  static bool isUnseen(Ref score);
  /// Whether the type says that there is one token: then the mask need not say what others would see.
  bool isOneToken() const {
    return mlir::cast<mlir::RankedTensorType>(scores->getResult(0).getType()).getDimSize(tokenAt) == 1;
  }

  mlir::linalg::LinalgOp end, scores, maximum;
  mlir::Value weights, maskedScore; ///< The latter in the region of `maximum`.
  unsigned headAt = 0, tokenAt = 0, positionAt = 0;
  std::optional<unsigned> sharedAt;
  llvm::DenseMap<mlir::Value, Size> sizes; ///< Numbers are looked at often.
  std::map<Size, Ref> sizeNodes;           ///< A number that is the size.
  std::optional<ScalarForms> forms;
  Ref product = nullptr, score = nullptr, weight = nullptr; ///< Elements of q k^T, of the changed scores, the weights.
  /// A comparison of integers in the mask: `difference` with 0.
  struct Comparison {
    Ref node;
    IndexSum difference;
  };
  llvm::SmallVector<Comparison> comparisons;
  Attention found;
};
} // namespace lispier
#endif
