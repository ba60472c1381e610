//===- Expressions.h - what forms and names mean ----------------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_LANGUAGE_EXPRESSIONS_H
#define LISPIER_LIB_IRGEN_LANGUAGE_EXPRESSIONS_H

#include "Core/FormEvaluator.h"
#include "Generator.h"

namespace lispier {
/// Generates the ops of a list and resolves names.
class ExpressionGenerator final : public FormEvaluator {
public:
  explicit ExpressionGenerator(Generator &gen) : FormEvaluator(gen), gen(gen) {}
  std::optional<mlir::FailureOr<Values>> emitCall(OpDraft &draft, mlir::Type hint) override;
  bool completeReturn(OpDraft &draft) override;
  bool isRepeated(llvm::StringRef code, llvm::SMRange range, const llvm::Twine &message) override;
  void noteUses(Diag &diag) override;
  void noteCallee(Diag &diag, const Form *form) override;
  mlir::FailureOr<Values> emitDef(const Form *form);
  mlir::FailureOr<Values> emitLet(const Form *form, mlir::Type hint);
  mlir::FailureOr<Values> emitTyped(const Form *form);
  /// Resolves a head without a dialect: `(addi a b)` after (use-dialect arith). Reports an unknown head.
  mlir::FailureOr<Values> emitUnqualified(const Form *form, mlir::Type hint);
  /// Reports a head that is neither a form nor a function nor an op.
  void unknownForm(const Form *head);

protected:
  mlir::FailureOr<Values> emitName(const Form *symbol) override { return lookup(symbol); }
  mlir::FailureOr<Values> emitList(const Form *list, mlir::Type hint) override;

private:
  llvm::SmallVector<std::string> usedDialectsWith(llvm::StringRef name);
  mlir::FailureOr<Values> emitSpecial(const Form *form, const SpecialFormInfo &info, mlir::Type hint);
  /// The values of a name. `typed` says that the name stands in (: name type), which the message explains.
  mlir::FailureOr<Values> lookup(const Form *symbol, bool typed = false);
  mlir::FailureOr<Values> bindNames(const Form *target, const Form *expression, llvm::StringRef code);

  Generator &gen;
};
} // namespace lispier
#endif
