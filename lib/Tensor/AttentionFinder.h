//===- AttentionFinder.h - what is attention, by evaluating it --*- C++ -*-===//
//
// The parts of matchAttention: AttentionPattern.cpp has the skeleton of contractions
// and reductions, AttentionScores.cpp evaluates scores and weights, AttentionMask.cpp
// reads the mask.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_TENSOR_ATTENTIONFINDER_H
#define LISPIER_LIB_TENSOR_ATTENTIONFINDER_H

#include "AttentionPattern.h"
#include "BatchProduct.h"
#include "MaskRegions.h"
#include "PointEvaluator.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/MapVector.h"

namespace lispier {
/// Finds the attention that ends with a product, as matchAttention describes it.
class AttentionFinder {
public:
  explicit AttentionFinder(mlir::linalg::LinalgOp product) : end(product) {}

  std::optional<Attention> find();

private:
  /// Scores below are those of positions that are not seen: their weight is 0 beside any real score.
  static constexpr double kUnseen = -1e30;
  static constexpr int64_t kFarToken = 1 << 20;
  /// Sizes that the ops do not depend on, if they are attention.
  static constexpr int64_t kKeys = 7, kHeadSize = 16, kOtherHeadSize = 9;

  /// Scores are at [head, token, position], in the order of their dimensions; if heads share keys, their number among
  /// those is a dimension of its own, and `head` that of the keys.
  struct Place {
    int64_t head, token, position;
  };
  using Number = PointEvaluator::Number;
  using Compare = std::function<bool(mlir::arith::CmpIPredicate predicate, int64_t difference)>;

  // AttentionPattern.cpp
  bool findScores(mlir::Value weightsTensor);
  /// Whether the type says that there is one token: then the mask need not say what others would see.
  bool isOneToken() const {
    return mlir::cast<mlir::RankedTensorType>(scores->getResult(0).getType()).getDimSize(tokenAt) == 1;
  }
  bool nameDimensions(BatchProduct product, unsigned weightsOperand, unsigned tokenLoop);
  bool isAsKernel();
  bool isAnyChange();
  bool leaveInputs();
  bool fitsKernels() const;

  // AttentionMask.cpp
  bool readMask();
  std::optional<int64_t> firstPosition();
  std::optional<llvm::SmallVector<MaskLine>> linesOfMask();
  bool isMaskAsRead(int64_t first);
  /// What the mask is with other sizes and other values of symbols in each round.
  struct Round {
    int64_t keys, tokens;
    llvm::MapVector<mlir::Value, int64_t> symbols = {};
    int64_t first = 0;
    std::optional<int64_t> window = std::nullopt;
  };
  bool readRound(Round &round);
  bool matchFirst(llvm::ArrayRef<Round> rounds);
  bool matchWindow(llvm::ArrayRef<Round> rounds);
  bool holdsFarAway();
  static mlir::Value symbolOf(llvm::ArrayRef<Round> rounds,
                              llvm::function_ref<std::optional<int64_t>(const Round &)> number);

  // AttentionScores.cpp
  bool readScale();
  std::optional<double> scaleFor(int64_t headSize);
  bool isSoftmax();
  enum class Size { None, Tokens, Keys, HeadSize, Difference };
  Size kindOfSize(mlir::Value number);
  std::optional<int64_t> sizeOf(mlir::Value number);
  static bool isFromOutside(mlir::Value number);
  Number anyElement(mlir::Value tensor, llvm::ArrayRef<int64_t> index);
  PointEvaluator evaluator(double score);
  /// What is tried for a number from outside.
  int64_t valueOf(mlir::Value symbol) {
    return symbols.insert({symbol, firstSymbol + 6 * int64_t(symbols.size())}).first->second;
  }
  PointEvaluator::Index inOrder(Place place) const {
    PointEvaluator::Index index(sharedAt ? 4 : 3);
    index[headAt] = place.head, index[tokenAt] = place.token, index[positionAt] = place.position;
    if (sharedAt)
      index[*sharedAt] = (place.head + place.token) % 2; // What depends on it is something else.
    return index;
  }
  /// The score after scale and mask if it was `score` before; under another mask if comparisons have other outcomes.
  Number masked(Place place, double score, Compare compare = nullptr);
  /// A position that the token sees.
  int64_t seenBy(int64_t token) const {
    return !found.causal ? 0 : token + (found.alignedToEnd ? keys - tokens : found.firstConstant);
  }
  /// -1 if it cannot be told from a few places, else whether the token sees the position.
  int sees(int64_t token, int64_t position) {
    Number value = masked({token % 3, token, position}, 1.0);
    return value && use <= IndexUse::Piecewise ? *value > kUnseen : -1;
  }

  mlir::linalg::LinalgOp end, scores, maximum;
  mlir::Value weights, maskedScore; ///< The latter in the region of `maximum`.
  unsigned headAt = 0, tokenAt = 0, positionAt = 0;
  std::optional<unsigned> sharedAt;
  llvm::DenseMap<mlir::Value, Size> sizes; ///< Numbers are evaluated often.
  /// Sizes and positions that the ops take from outside, with values to try.
  llvm::MapVector<mlir::Value, int64_t> symbols;
  double scaleNumber = 1;        ///< Of a scale from outside.
  bool anyChange = false;        ///< Tensors and numbers from outside have some value.
  IndexUse use = IndexUse::None; ///< Of the last masked score.
  double far = 1;                ///< Beyond the constants of the last masked score.
  int64_t keys = kKeys, tokens = 3, headSize = kHeadSize, firstSymbol = 5;
  Attention found;
};
} // namespace lispier
#endif
