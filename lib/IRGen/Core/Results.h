//===- Results.h - inference of result and literal types --------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_CORE_RESULTS_H
#define LISPIER_LIB_IRGEN_CORE_RESULTS_H

#include "Part.h"
#include "lispier/IRGen/OdsTables.h"

namespace lispier {
/// Infers the result types of an op and the types of bare numbers among its operands.
class TypeInference : public Part {
public:
  using Part::Part;
  /// The type that operand `index` should have: from the context or the op's definition, else, for a bare number
  /// (`isNumber`), that of another operand. `forms`: the operands' forms; `known`: their values, null for those that
  /// are not generated yet. Null: not known; a bare number then is i64 or f64.
  mlir::Type literalHint(OpDraft &draft, llvm::ArrayRef<const Form *> forms, llvm::ArrayRef<mlir::Value> known,
                         unsigned index, bool isNumber);
  /// Sets the draft's result types, or leaves them open if the op's regions determine them. False after an error.
  bool results(OpDraft &draft, mlir::RegisteredOperationName op);
  /// Infers the result types of `probe`, an op with placeholder results that is in no block. Returns false, and reports
  /// nothing, if its interface or its operands and attributes do not allow that; `why` is what MLIR says.
  bool inferFrom(mlir::Operation *probe, llvm::SmallVectorImpl<mlir::Type> &types, Captured &why);
  /// The result types of an op that its regions' terminators determine. Returns false, and reports nothing, if they do
  /// not, or not yet.
  bool resultsFromRegions(mlir::Operation *op, llvm::SmallVectorImpl<mlir::Type> &types);

private:
  std::optional<mlir::Type> definedHint(const OpDraft &draft, ods::Op op, llvm::ArrayRef<mlir::Value> known,
                                        unsigned index);
  std::optional<mlir::Type> contextHint(const OpDraft &draft, unsigned index);
  bool inferResults(OpDraft &draft, mlir::RegisteredOperationName op);
  bool knownResults(OpDraft &draft, mlir::RegisteredOperationName op);
};
} // namespace lispier
#endif
