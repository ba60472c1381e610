//===- Operations.h - ops of any dialect ------------------------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_OPERATIONS_H
#define LISPIER_LIB_IRGEN_OPERATIONS_H

#include "Part.h"

namespace lispier {
/// Generates the op of a form `(dialect.op ...)`, for every registered dialect in the same way.
class OpGenerator : public Part {
public:
  using Part::Part;
  mlir::FailureOr<Values> emitOp(const Form *form, mlir::Type hint = {}, llvm::StringRef spelled = {});
  std::optional<mlir::RegisteredOperationName> registeredOp(const Form *head, llvm::StringRef name);
  bool operands(OpDraft &draft);
  mlir::Operation *create(OpDraft &draft, mlir::RegisteredOperationName op, llvm::ArrayRef<mlir::Type> types,
                          mlir::BlockRange successors, unsigned regions);
  void discard(mlir::Operation *op);

private:
  bool splitOp(const Form *form, OpDraft &draft);
  std::optional<mlir::Type> startType(const OpDraft &draft, unsigned index, unsigned count);
  mlir::Operation *build(OpDraft &draft, mlir::RegisteredOperationName op);
  bool buildRegions(OpDraft &draft, mlir::Operation *made);
  bool checkOperandCount(OpDraft &draft, mlir::RegisteredOperationName op);
};
} // namespace lispier
#endif
