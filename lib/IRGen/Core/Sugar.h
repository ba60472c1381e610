//===- Sugar.h - shorter spellings of some ops ------------------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_CORE_SUGAR_H
#define LISPIER_LIB_IRGEN_CORE_SUGAR_H

#include "Part.h"

namespace lispier {
/// Generates the short forms of particular ops, and adds what programs may leave out (OpForms.def).
class OpSugar : public Part {
public:
  using Part::Part;
  /// Before the operands are generated: generates the op if the program writes a short form of it. Otherwise returns
  /// nullopt, which leaves the draft, perhaps completed, to the general path.
  std::optional<mlir::FailureOr<Values>> sugarBefore(OpDraft &draft, mlir::Type hint);
  /// After the operands have been generated: adds defaults to the draft. Returns false after an error.
  bool sugarAfter(OpDraft &draft);

private:
  using Generated = std::optional<mlir::FailureOr<Values>>;
  Generated calleeAsString(OpDraft &draft, mlir::Type hint);
  Generated extractPosition(OpDraft &draft, mlir::Type hint);
  Generated forall(OpDraft &draft, mlir::Type hint);
  Generated funcCall(OpDraft &draft, mlir::Type hint);
  Generated insertPosition(OpDraft &draft, mlir::Type hint);
  Generated launchMemory(OpDraft &draft, mlir::Type hint);
  Generated pointerIndices(OpDraft &draft, mlir::Type hint);
  Generated subview(OpDraft &draft, mlir::Type hint);
  Generated position(OpDraft &draft, unsigned first);
  llvm::SmallVector<int64_t> splitIndices(OpDraft &draft, unsigned first, int64_t dynamic);
  bool affineFor(OpDraft &draft);
  bool affineLoad(OpDraft &draft);
  bool affineStore(OpDraft &draft);
  bool declaration(OpDraft &draft);
  bool functionReturn(OpDraft &draft);
  bool indexMap(OpDraft &draft, unsigned first);
  bool llvmCall(OpDraft &draft);
  bool memrefGlobal(OpDraft &draft);
};
} // namespace lispier
#endif
