//===- ConstantForms.h - constants that a body is generated with -*- C++ -*-===//
//
// A function may be generated several times, each time with other constants: the
// keywords of a generic function; of a tile program's :const those that are the name
// of a type or function (its numbers are index values of the body instead). The names
// of the constants are replaced in the body's forms before IR is generated, so that a
// constant may stand wherever the language wants a literal: as a size, an axis, a
// type, an attribute, or, if it names a function, at the head of a call.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_IRGEN_LANGUAGE_CONSTANTFORMS_H
#define LISPIER_LIB_IRGEN_LANGUAGE_CONSTANTFORMS_H

#include "Generator.h"
#include "llvm/ADT/StringMap.h"

namespace lispier {
/// Each constant's form by its name.
using ConstantForms = llvm::StringMap<const Form *>;

/// Reads constants and puts them in the place of their names.
class ConstantReader : public LanguagePart {
public:
  using LanguagePart::LanguagePart;
  /// The constant that `form` is: a number, a boolean, a string, a symbol (the name of a type, of a function or of
  /// anything else that is no value), `(: number type)`, `(: boolean type)`, `@f`, a name whose value is a known
  /// integer or made of bare numbers (LiteralValues.h), arithmetic of these, or a vector of constants. Integers are
  /// computed in 64 bits, other numbers in f64. `what` begins the message: "... is a constant, and". Null after an
  /// error.
  const Form *constant(const Form *form, const llvm::Twine &what);
  /// `form` with the names in `constants` replaced, in calls too: with `f` as `gelu`, (f x) becomes (gelu x). What is
  /// put in has the location of the name that it replaces. As an operand, the name of something callable becomes
  /// `@gelu`, since the body may have a value `gelu`. Quasiquoted forms stay. The caller has checked that the body
  /// gives none of the names to a value. Null after an error.
  const Form *substitute(const Form *form, const ConstantForms &constants) {
    return substitute(form, constants, /*isOperand=*/true);
  }
  /// Whether `name` can be called: a function of the program, an op, or a form such as `tanh` or `+`.
  bool isCallable(llvm::StringRef name);

private:
  const Form *substitute(const Form *form, const ConstantForms &constants, bool isOperand);
  const Form *substituteSymbol(const Form *form, const ConstantForms &constants, bool isOperand);
  const Form *substituteCall(const Form *form, const ConstantForms &constants,
                             llvm::SmallVectorImpl<const Form *> &items);
  const Form *moved(const Form *constant, const Form *to);
  const Form *arithmetic(const Form *form, const llvm::Twine &what);
  const Form *realNumber(double number, const Form *form);
  const Form *knownValue(const Form *name, const llvm::Twine &what);
  const Form *notConstant(const Form *form, const llvm::Twine &what);

  FormArena arena;
};
} // namespace lispier
#endif
