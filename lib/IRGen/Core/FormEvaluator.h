//===- FormEvaluator.h - the values of forms --------------------*- C++ -*-===//
//
// What generates an op or a value evaluates its operands and bodies here, without
// knowing the forms of the language: the layers Core and Values know no others. What
// a name and a list mean, the layer Language says (Expressions.h).
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_IRGEN_CORE_FORMEVALUATOR_H
#define LISPIER_LIB_IRGEN_CORE_FORMEVALUATOR_H

#include "Part.h"

namespace lispier {
/// Generates the ops of forms.
class FormEvaluator : public Part {
public:
  using Part::Part;
  virtual ~FormEvaluator() = default;

  /// Generates `form` and returns all its results. `hint`: the type that the context expects of the first, if known.
  mlir::FailureOr<Values> emit(const Form *form, mlir::Type hint = {});
  /// As emit; it is an error if there is no result, and for a vector of several values. Types may be open.
  mlir::FailureOr<Values> emitResults(const Form *form, mlir::Type hint = {});
  /// Generates `form` and returns its first result. Null after an error; it is an error if there is no result.
  mlir::Value emitValue(const Form *form, mlir::Type hint = {});
  /// As emitValue, but the type of the result may be open (OpenTypes.h).
  mlir::Value emitOpenValue(const Form *form, mlir::Type hint = {});
  /// A bare number, an index, or an integer that is cast to one. Returns null after an error.
  mlir::Value emitLoopBound(const Form *form);
  /// The value as an index. Returns null after an error.
  mlir::Value toLoopBound(const Form *form, mlir::Value value);

  /// Reports that `form`, which has been generated, leaves no value.
  Diag &noValue(const Form *form);

  /// Generates the statements of a body and returns the values of the last one.
  mlir::FailureOr<Values> emitBody(llvm::ArrayRef<const Form *> forms, mlir::Type hint = {});
  /// Generates `body` at the end of `block`, before its terminator, with names and labels of its own. Returns the
  /// values of the last form.
  mlir::FailureOr<Values> emitInside(mlir::Block *block, llvm::ArrayRef<const Form *> body, mlir::Type hint = {});

  /// Generates a func.call of a function of the program. nullopt leaves the draft, perhaps completed, to the steps that
  /// all ops take.
  virtual std::optional<mlir::FailureOr<Values>> emitCall(OpDraft &draft, mlir::Type hint) = 0;
  /// Completes a func.return, whose operands exist. False after an error.
  virtual bool completeReturn(OpDraft &draft) = 0;

  /// Adds to the message that the call `form` leaves no value: what is called, and how it would return one.
  virtual void noteCallee(Diag &diag, const Form *form) = 0;
  /// Whether this error has been reported before, when the same text was generated for another use.
  virtual bool isRepeated(llvm::StringRef code, llvm::SMRange range, const llvm::Twine &message) = 0;
  /// Adds to a message for which use the text is generated: calls of a generic function, the launch of a tile program.
  virtual void noteUses(Diag &diag) = 0;

protected:
  virtual mlir::FailureOr<Values> emitName(const Form *symbol) = 0;
  virtual mlir::FailureOr<Values> emitList(const Form *list, mlir::Type hint) = 0;

private:
  /// As emit; what is made of bare numbers need not have the type of `hint`.
  mlir::FailureOr<Values> emitForm(const Form *form, mlir::Type hint);
  mlir::FailureOr<Values> emitLiteral(const Form *form, mlir::Type hint);
};
} // namespace lispier
#endif
