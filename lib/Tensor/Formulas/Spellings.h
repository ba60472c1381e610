//===- Spellings.h - the ways to write what a kernel computes ---*- C++ -*-===//
//
// A hand-written kernel lists the formulas that it is an implementation of, each a line
// made of terms: `0.5 * y * (1.0 + tanh(y))`. A formula of the program is compared with
// these node by node. Only what a kernel's own accuracy covers may differ: the order of
// the factors and divisors of a product, and the last digits of a constant.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_TENSOR_FORMULAS_SPELLINGS_H
#define LISPIER_LIB_TENSOR_FORMULAS_SPELLINGS_H

#include "ScalarForm.h"
#include "lispier/NN/NN.h"

namespace lispier {
/// An F32 formula with C++'s operators. Numbers beside it are F32 constants.
class Term {
public:
  Term(ScalarForms &forms, ScalarForm::Ref form) : forms(&forms), form(form) {}
  operator ScalarForm::Ref() const { return form; }

  template <typename Op> Term with(llvm::ArrayRef<Term> others = {}, mlir::Attribute attribute = {}) const {
    llvm::SmallVector<ScalarForm::Ref> operands{form};
    for (Term other : others)
      operands.push_back(other.form);
    return {*forms, forms->apply<Op>(mlir::Float32Type::get(context()), operands, attribute)};
  }
  Term number(double value) const;
  /// Whether this is less than `other`, or another comparison by `predicate`; a condition for `where`.
  Term compared(mlir::arith::CmpFPredicate predicate, Term other) const;
  static Term where(Term condition, Term then, Term otherwise);

  friend Term operator+(Term a, Term b) { return a.with<mlir::arith::AddFOp>({b}); }
  friend Term operator-(Term a, Term b) { return a.with<mlir::arith::SubFOp>({b}); }
  friend Term operator*(Term a, Term b) { return a.with<mlir::arith::MulFOp>({b}); }
  friend Term operator/(Term a, Term b) { return a.with<mlir::arith::DivFOp>({b}); }
  friend Term operator+(double a, Term b) { return b.number(a) + b; }
  friend Term operator*(double a, Term b) { return b.number(a) * b; }
  friend Term operator/(double a, Term b) { return b.number(a) / b; }
  friend Term operator-(Term a) { return a.with<mlir::arith::NegFOp>(); }

private:
  mlir::MLIRContext *context() const { return form->type.getContext(); }

  ScalarForms *forms;
  ScalarForm::Ref form;
};

Term exp(Term x);
Term tanh(Term x);
Term sqrt(Term x);
Term rsqrt(Term x);
Term pow(Term x, double exponent);

/// The form without a last rounding to a type: kernels round what they store.
inline ScalarForm::Ref beforeRounding(ScalarForm::Ref form) {
  return form->is<mlir::arith::TruncFOp>() ? form->operands[0] : form;
}

/// Parts of spellings that stand for nodes of the program's formula, which the comparison finds.
class Variables {
public:
  using Ref = ScalarForm::Ref;
  /// What a node is to the variable: the same wherever this is in a spelling; null if it cannot stand for the node.
  using Meaning = std::function<Ref(Ref node)>;

  Term add(ScalarForms &forms, Meaning meaning);
  /// A variable for the element at this place of an argument.
  Term addElement(ScalarForms &forms, llvm::ArrayRef<Ref> place);
  /// What the variable is in the formula; null if it is in no spelling that was found.
  Ref operator[](Ref variable) const;
  mlir::Value valueOf(Ref variable) const { return (*this)[variable] ? (*this)[variable]->value : mlir::Value(); }
  /// Forgets what they are.
  void reset() { found.assign(variables.size(), nullptr); }

  /// Whether the program's formula is this spelling, with what the variables have been found to be.
  bool isSpelledAs(Ref formula, Ref spelling);

private:
  bool compare(Ref formula, Ref spelling);
  bool compareProducts(Ref formula, Ref spelling);
  bool arePermuted(llvm::ArrayRef<Ref> formulas, llvm::SmallVector<Ref> spellings);

  llvm::SmallVector<Ref> variables, found;
  std::vector<Meaning> meanings;
};

/// Whether the program's formula is this spelling, which has no variables.
bool isSpelledAs(ScalarForm::Ref formula, ScalarForm::Ref spelling);

/// The constants and the other factors of a product of products, quotients and negations, and what it is divided by.
struct Factors {
  llvm::SmallVector<ScalarForm::Ref> others, divisors;
  double constant = 1;
  /// Whether no constant is so large or small that the product might overflow, or underflow, in another order.
  bool isModerate = true;
};
Factors factorsOf(ScalarForm::Ref form);

/// The ways to write an activation of y (nn::Activation).
llvm::SmallVector<Term> spellingsOf(nn::Activation activation, Term y);
constexpr nn::Activation kActivations[] = {nn::Activation::None, nn::Activation::GeluTanh, nn::Activation::Relu,
                                           nn::Activation::Silu, nn::Activation::Rectify};
} // namespace lispier
#endif
