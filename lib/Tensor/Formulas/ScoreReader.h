//===- ScoreReader.h - how attention changes scores -------------*- C++ -*-===//
//
// The parts of kernelAttentionOf: ScoreReader.cpp reads the scale, AttentionMask.cpp the
// mask.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_TENSOR_FORMULAS_SCOREREADER_H
#define LISPIER_LIB_TENSOR_FORMULAS_SCOREREADER_H

#include "IndexSum.h"
#include "ScalarForm.h"
#include "lispier/Tensor/Formulas/AttentionFormula.h"

namespace lispier {
/// Reads the region of an attention, as kernelAttentionOf describes it.
class ScoreReader {
public:
  explicit ScoreReader(group::AttentionOp op) : op(op), forms(op->getContext()) {}

  std::optional<KernelAttention> read();

private:
  using Ref = ScalarForm::Ref;

  // ScoreReader.cpp
  bool nameHeads();
  /// Whether what the op has for tokens can be heads of one token that share those of keys: scores do not depend on it.
  bool mayBeHeads();
  /// Whether the score that is seen is the product's by a factor, which it takes.
  bool readScale(Ref seen);
  enum class Size { None, Tokens, Keys, HeadSize, Difference };
  Size kindOfSize(mlir::Value number);
  bool isHeadSize(Ref form);

  // AttentionMask.cpp
  /// Which positions a token sees; takes the form of a score that is seen.
  bool readMask(Ref &seen);
  std::optional<llvm::SmallVector<IndexSum>> linesOfSeen(Ref &seen);
  bool takeFirst(const IndexSum &first);
  bool takeWindow(const IndexSum &window);
  void readComparisons();
  IndexSum indexSumOf(Ref form);
  IndexSum sizeSum(Size kind, Ref number);
  /// A number from outside, or one in memory, whose value the sum is; null if it is no such number.
  static mlir::Value symbolOf(const IndexSum &sum);
  static bool isUnseen(Ref score);
  Ref token() { return forms.place(op.tokens()); }
  Ref position() { return forms.place(op.positions()); }
  /// Whether the type says that there is one token: then the mask need not say what others would see.
  bool isOneToken() { return rowsAreHeads || op.staticSize(op.tokens()) == 1; }
  /// Of the tokens, or of the keys.
  int64_t staticSize(Size kind) {
    return kind == Size::Keys ? op.staticSize(op.positions()) : isOneToken() ? 1 : op.staticSize(op.tokens());
  }

  group::AttentionOp op;
  bool rowsAreHeads = false;               ///< There is one token.
  llvm::DenseMap<mlir::Value, Size> sizes; ///< Numbers are looked at often.
  std::map<Size, Ref> sizeNodes;           ///< A number that is the size.
  ScalarForms forms;
  Ref product = nullptr, score = nullptr; ///< An element of q k^T, and what the region makes of it.
  /// A comparison of integers in the mask: `difference` with 0.
  struct Comparison {
    Ref node;
    IndexSum difference;
  };
  llvm::SmallVector<Comparison> comparisons;
  KernelAttention found;
};
} // namespace lispier
#endif
