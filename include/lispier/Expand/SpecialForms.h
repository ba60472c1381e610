//===- SpecialForms.h - lookup in the table of special forms ---*- C++ -*-===//
#ifndef LISPIER_EXPAND_SPECIALFORMS_H
#define LISPIER_EXPAND_SPECIALFORMS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace lispier {
enum class SpecialForm {
#define FORM(Kind, name, min, max, stage, place, first, operands, syntax, doc) Kind,
#include "lispier/Expand/SpecialForms.def"
};

/// Columns of SpecialForms.def, which explains them.
enum class FormStage { Expand, Core };
enum class FormPlace { Top, Function, Anywhere };
enum class FormOperands { Values, Statements };

struct SpecialFormInfo {
  SpecialForm form;
  llvm::StringLiteral name;
  unsigned minOperands, maxOperands;
  FormStage stage;
  FormPlace place;
  unsigned firstCode; ///< Index of the form's first item that is code; names and types precede it.
  FormOperands operands;
  llvm::StringLiteral syntax, doc;
  /// Reserved names cannot be redefined by a user's macro or function.
  bool reserved() const;
  /// Whether the form is younger than programs that may use its name, such as `load` and `exp`. It then gives way not
  /// only to a function of its own file, as every form does that is not reserved, but also to one of any file of the
  /// program and, outside of tile programs, to an op of a dialect that `use-dialect` names.
  bool yields() const;
};

inline constexpr unsigned kVariadic = ~0u;

llvm::ArrayRef<SpecialFormInfo> specialForms();
/// Returns null if `name` is not a special form.
const SpecialFormInfo *findSpecialForm(llvm::StringRef name);
} // namespace lispier
#endif
