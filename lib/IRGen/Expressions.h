//===- Expressions.h - what forms and names mean ----------------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_EXPRESSIONS_H
#define LISPIER_LIB_IRGEN_EXPRESSIONS_H

#include "Part.h"

namespace lispier {
/// Generates the ops of an expression and resolves names.
class ExpressionGenerator : public Part {
public:
  using Part::Part;
  /// Generates `form` and returns all its results. `hint`: the type that the context expects of the first, if known.
  mlir::FailureOr<Values> emit(const Form *form, mlir::Type hint = {});
  /// As emit; it is an error if there is no result, and for a vector of several values. Types may be open.
  mlir::FailureOr<Values> emitResults(const Form *form, mlir::Type hint = {});
  /// Generates `form` and returns its first result. Null after an error; it is an error if there is no result.
  mlir::Value emitValue(const Form *form, mlir::Type hint = {});
  /// As emitValue, but the type of the result may be open (OpenTypes.h).
  mlir::Value emitOpenValue(const Form *form, mlir::Type hint = {});
  /// Generates the statements of a body and returns the values of the last one.
  mlir::FailureOr<Values> emitBody(llvm::ArrayRef<const Form *> forms, mlir::Type hint = {});
  /// Reports a statement after the terminator of its block; false after this error.
  bool statementAllowed(const Form *form);
  /// Whether the insertion point is behind the terminator of its block.
  bool isTerminated() const;
  /// Resolves a head without a dialect: `(addi a b)` after (use-dialect arith). Reports an unknown head.
  mlir::FailureOr<Values> emitUnqualified(const Form *form, mlir::Type hint);
  /// Reports a head that is neither a form nor a function nor an op.
  void unknownForm(const Form *head);

private:
  /// As emit; what is made of bare numbers need not have the type of `hint`.
  mlir::FailureOr<Values> emitForm(const Form *form, mlir::Type hint);
  mlir::FailureOr<Values> emitLiteral(const Form *form, mlir::Type hint);
  llvm::SmallVector<std::string> usedDialectsWith(llvm::StringRef name);
  mlir::FailureOr<Values> emitSpecial(const Form *form, const SpecialFormInfo &info, mlir::Type hint);
  /// The values of a name. `typed` says that the name stands in (: name type), which the message explains.
  mlir::FailureOr<Values> lookup(const Form *symbol, bool typed = false);
  mlir::FailureOr<Values> emitDef(const Form *form);
  mlir::FailureOr<Values> bindNames(const Form *target, const Form *expression, llvm::StringRef code);
  mlir::FailureOr<Values> emitLet(const Form *form, mlir::Type hint);
  mlir::FailureOr<Values> emitTyped(const Form *form);
};
} // namespace lispier
#endif
