//===- FormTable.h - what generates each special form -----------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_LANGUAGE_FORMTABLE_H
#define LISPIER_LIB_IRGEN_LANGUAGE_FORMTABLE_H

#include "Generator.h"

namespace lispier {
/// A list that begins with a special form, and has as many operands as that takes.
struct FormCall {
  const Form *form;
  const SpecialFormInfo &info;
  mlir::Type hint; ///< The type that the context expects, in a function.

  SpecialForm kind() const { return info.form; }
  llvm::ArrayRef<const Form *> operands() const { return form->items().drop_front(); }
};

using FunctionForm = mlir::FailureOr<Values> (*)(Generator &gen, const FormCall &call);
using TopLevelForm = void (*)(Generator &gen, const FormCall &call);

/// Generates the form in a function and returns its values; null if it stands at the top level only.
FunctionForm functionForm(SpecialForm form);
/// Generates the form at the top level; null if it stands in functions only.
TopLevelForm topLevelForm(SpecialForm form);
} // namespace lispier
#endif
