//===- Expressions.h - what forms and names mean ----------------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_EXPRESSIONS_H
#define LISPIER_LIB_IRGEN_EXPRESSIONS_H

#include "Part.h"

namespace lispier {
/// What every form means, and what a name means.
class ExpressionGenerator : public Part {
public:
  using Part::Part;
  /// All results of an expression; `hint` is the type wanted of the first, if known.
  mlir::FailureOr<Values> emit(const Form *form, mlir::Type hint = {});
  /// The first result; null after an error, also when there is no result.
  mlir::Value emitValue(const Form *form, mlir::Type hint = {});
  /// The same; its type may be open.
  mlir::Value emitOpenValue(const Form *form, mlir::Type hint = {});
  /// Statements of a body; the values of the last one.
  mlir::FailureOr<Values> emitBody(llvm::ArrayRef<const Form *> forms, mlir::Type hint = {});
  bool statementAllowed(const Form *form);
  bool isTerminated() const;
  mlir::FailureOr<Values> emitUnqualified(const Form *form, mlir::Type hint);

private:
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
