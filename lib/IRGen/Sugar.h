//===- Sugar.h - shorter spellings of some ops ------------------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_SUGAR_H
#define LISPIER_LIB_IRGEN_SUGAR_H

#include "Part.h"

namespace lispier {
/// Generates shorter spellings of particular ops. Functions return nullopt if the form is not in the short spelling.
class OpSugar : public Part {
public:
  using Part::Part;
  std::optional<mlir::FailureOr<Values>> sugarBefore(OpDraft &draft, mlir::Type hint);
  bool sugarAfter(OpDraft &draft);

private:
  std::optional<mlir::FailureOr<Values>> funcCall(OpDraft &draft, mlir::Type hint);
  std::optional<mlir::FailureOr<Values>> subview(OpDraft &draft);
  std::optional<mlir::FailureOr<Values>> forall(OpDraft &draft);
  void splitIndices(OpDraft &draft, unsigned first, llvm::StringRef key);
  bool affineFor(OpDraft &draft);
  bool affineAccess(OpDraft &draft);
  bool llvmCall(OpDraft &draft);
  bool memrefGlobal(OpDraft &draft);
};
} // namespace lispier
#endif
