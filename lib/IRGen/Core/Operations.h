//===- Operations.h - ops of any dialect ------------------------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_CORE_OPERATIONS_H
#define LISPIER_LIB_IRGEN_CORE_OPERATIONS_H

#include "Part.h"

namespace lispier {
/// Generates the op of a form `(dialect.op ...)`, for every registered dialect in the same way.
class OpGenerator : public Part {
public:
  using Part::Part;
  /// Generates the op of `form` and verifies it. `spelled`: the op's full name, if the form's head is not it.
  mlir::FailureOr<Values> emitOp(const Form *form, mlir::Type hint = {}, llvm::StringRef spelled = {});
  /// The registered op "dialect.op", whose dialect is loaded for it. nullopt after an error at `head`.
  std::optional<mlir::RegisteredOperationName> registeredOp(const Form *head, llvm::StringRef name);
  /// Generates the operands: first all but bare numbers, from left to right; then the numbers, with types inferred from
  /// the others. False after an error.
  bool operands(OpDraft &draft);
  /// Creates the op, in no block, with the draft's operands and attributes, results of `types` and empty regions. Null
  /// after an error.
  mlir::Operation *create(OpDraft &draft, mlir::RegisteredOperationName op, llvm::ArrayRef<mlir::Type> types,
                          mlir::BlockRange successors, unsigned regions);
  /// Erases an invalid op, and sets the insertion point behind it.
  void discard(mlir::Operation *op);

private:
  bool splitOp(const Form *form, OpDraft &draft);
  std::optional<mlir::Type> startType(const OpDraft &draft, unsigned index, unsigned count);
  mlir::Operation *build(OpDraft &draft, mlir::RegisteredOperationName op);
  bool buildRegions(OpDraft &draft, mlir::Operation *created);
  bool checkOperandCount(OpDraft &draft, mlir::RegisteredOperationName op);
};
} // namespace lispier
#endif
