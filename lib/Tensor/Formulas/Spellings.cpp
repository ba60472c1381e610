//===- Spellings.cpp - the ways to write what a kernel computes -----------===//
#include "Spellings.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

using namespace mlir;

namespace lispier {
using Ref = ScalarForm::Ref;

//===----------------------------------------------------------------------===//
// Terms
//===----------------------------------------------------------------------===//

Term Term::number(double value) const { return {*forms, forms->constant(Float32Type::get(context()), value)}; }

Term Term::compared(arith::CmpFPredicate predicate, Term other) const {
  auto attribute = arith::CmpFPredicateAttr::get(context(), predicate);
  return {*forms, forms->apply<arith::CmpFOp>(IntegerType::get(context(), 1), {form, other.form}, attribute)};
}

Term Term::where(Term condition, Term then, Term otherwise) {
  return condition.with<arith::SelectOp>({then, otherwise});
}
Term exp(Term x) { return x.with<math::ExpOp>(); }
Term tanh(Term x) { return x.with<math::TanhOp>(); }
Term sqrt(Term x) { return x.with<math::SqrtOp>(); }
Term rsqrt(Term x) { return x.with<math::RsqrtOp>(); }
Term pow(Term x, double exponent) { return x.with<math::PowFOp>({x.number(exponent)}); }

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

namespace {
/// Constants such as sqrt(2/pi) are written with seven digits or more.
constexpr double kDigits = 1e-6;
bool areNearConstants(double a, double b) { return a == b || std::fabs(a - b) <= kDigits * std::fabs(b); }

bool isProduct(Ref form) { return form->is<arith::MulFOp>() || form->is<arith::DivFOp>() || form->is<arith::NegFOp>(); }

void addFactors(Ref form, Factors &found) {
  constexpr double kMost = 1 << 20;
  auto isModerate = [](double number) { return std::fabs(number) <= kMost && std::fabs(number) >= 1 / kMost; };
  bool isFromZero = form->is<arith::SubFOp>() && form->operands[0]->constant() == 0.0;
  if (std::optional<double> number = form->constant()) {
    found.constant *= *number;
    found.isModerate &= isModerate(*number);
  } else if (form->is<arith::DivFOp>()) {
    addFactors(form->operands[0], found);
    if (std::optional<double> number = form->operands[1]->constant()) {
      found.constant /= *number;
      found.isModerate &= isModerate(*number);
    } else {
      found.divisors.push_back(form->operands[1]);
    }
  } else if (form->is<arith::MulFOp>()) {
    addFactors(form->operands[0], found);
    addFactors(form->operands[1], found);
  } else if (form->is<arith::NegFOp>() || isFromZero) { // 0 - x is -x but for the sign of 0.
    found.constant = -found.constant;
    addFactors(form->operands.back(), found);
  } else {
    found.others.push_back(form);
  }
}
} // namespace

Factors factorsOf(Ref form) {
  Factors found;
  addFactors(form, found);
  return found;
}

Term Variables::add(ScalarForms &forms, Meaning meaning) {
  variables.push_back(forms.variable(Float32Type::get(forms.getContext())));
  found.push_back(nullptr);
  meanings.push_back(std::move(meaning));
  return {forms, variables.back()};
}

Term Variables::addElement(ScalarForms &forms, ArrayRef<Ref> place) {
  return add(forms, [place = SmallVector<Ref>(place)](Ref node) {
    bool isElement = node->kind == ScalarForm::Kind::Element && isa<BlockArgument>(node->value);
    return isElement && node->operands == ArrayRef(place) ? node : nullptr;
  });
}

Ref Variables::operator[](Ref variable) const { return found[llvm::find(variables, variable) - variables.begin()]; }

bool Variables::isSpelledAs(Ref formula, Ref spelling) {
  SmallVector<Ref> before(found);
  if (compare(formula, spelling))
    return true;
  found = before;
  return false;
}

bool Variables::compare(Ref formula, Ref spelling) {
  if (const auto *variable = llvm::find(variables, spelling); variable != variables.end()) {
    size_t i = variable - variables.begin();
    Ref meaning = meanings[i](formula);
    if (!meaning || (found[i] && found[i] != meaning))
      return false;
    found[i] = meaning;
    return true;
  }
  if (formula == spelling)
    return true;
  if (formula->constant() && spelling->constant())
    return areNearConstants(*formula->constant(), *spelling->constant());
  if (isProduct(spelling) && spelling->type == formula->type)
    return compareProducts(formula, spelling);
  if (formula->kind != ScalarForm::Kind::Apply || spelling->kind != formula->kind || formula->name != spelling->name ||
      formula->attribute != spelling->attribute || formula->type != spelling->type ||
      formula->operands.size() != spelling->operands.size())
    return false;
  if (formula->is<arith::AddFOp>() || formula->is<arith::MaximumFOp>())
    return arePermuted(formula->operands, SmallVector<Ref>(spelling->operands));
  return llvm::all_of(llvm::zip(formula->operands, spelling->operands),
                      [&](auto pair) { return isSpelledAs(std::get<0>(pair), std::get<1>(pair)); });
}

bool Variables::compareProducts(Ref formula, Ref spelling) {
  Factors own = factorsOf(formula), expected = factorsOf(spelling);
  return own.isModerate && areNearConstants(own.constant, expected.constant) &&
         arePermuted(own.divisors, expected.divisors) && arePermuted(own.others, expected.others);
}

/// Whether the lists hold the same forms, in any order.
bool Variables::arePermuted(ArrayRef<Ref> formulas, SmallVector<Ref> spellings) {
  if (formulas.size() != spellings.size())
    return false;
  if (formulas.empty())
    return true;
  SmallVector<Ref> before(found);
  for (auto *spelling = spellings.begin(); spelling != spellings.end(); ++spelling) {
    SmallVector<Ref> rest(spellings);
    rest.erase(rest.begin() + (spelling - spellings.begin()));
    if (isSpelledAs(formulas.front(), *spelling) && arePermuted(formulas.drop_front(), rest))
      return true;
    found = before;
  }
  return false;
}

bool isSpelledAs(Ref formula, Ref spelling) { return Variables().isSpelledAs(formula, spelling); }

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

namespace {
Term sigmoidTimes(Term y, Term x) { return y / (1.0 + exp(-x)); }

/// Hendrycks, Gimpel 2016. Also by sigmoid(2 u) = (1 + tanh(u)) / 2.
SmallVector<Term> spellingsOfGelu(Term y) {
  constexpr double kFactor = 0.7978845608028654 /* sqrt(2 / pi) */, kCube = 0.044715;
  SmallVector<Term> found;
  for (Term u : {kFactor * (y + kCube * y * y * y), kFactor * y * (1.0 + kCube * y * y),
                 kFactor * y + (kFactor * kCube) * y * y * y}) {
    found.push_back(0.5 * y * (1.0 + tanh(u)));
    found.push_back(0.5 * y + 0.5 * y * tanh(u));
    found.push_back(sigmoidTimes(y, 2.0 * u));
  }
  return found;
}

/// y where a comparison with 0 says so, else 0.
SmallVector<Term> spellingsByComparison(Term y, ArrayRef<arith::CmpFPredicate> ofPositive,
                                        ArrayRef<arith::CmpFPredicate> ofNegative) {
  Term zero = y.number(0);
  SmallVector<Term> found;
  for (arith::CmpFPredicate predicate : ofPositive)
    found.push_back(Term::where(y.compared(predicate, zero), y, zero));
  for (arith::CmpFPredicate predicate : ofNegative)
    found.push_back(Term::where(y.compared(predicate, zero), zero, y));
  return found;
}

/// Of a NaN it is one. (y + |y|) / 2 is, besides, of -inf.
SmallVector<Term> spellingsOfRelu(Term y) {
  using P = arith::CmpFPredicate;
  SmallVector<Term> found = spellingsByComparison(y, {P::UGT, P::UGE}, {P::OLT, P::OLE});
  found.push_back(y.with<arith::MaximumFOp>({y.number(0)}));
  found.push_back(0.5 * (y + y.with<math::AbsFOp>()));
  return found;
}

/// Of a NaN it is 0.
SmallVector<Term> spellingsOfRectify(Term y) {
  using P = arith::CmpFPredicate;
  return spellingsByComparison(y, {P::OGT, P::OGE}, {P::ULT, P::ULE});
}

/// Elfwing, Uchibe, Doya 2017. Also by sigmoid(y) = (1 + tanh(y / 2)) / 2.
SmallVector<Term> spellingsOfSilu(Term y) {
  return {sigmoidTimes(y, y), 0.5 * y * (1.0 + tanh(0.5 * y)), 0.5 * y + 0.5 * y * tanh(0.5 * y)};
}
} // namespace

SmallVector<Term> spellingsOf(nn::Activation activation, Term y) {
  switch (activation) {
  case nn::Activation::None:
    return {y};
  case nn::Activation::GeluTanh:
    return spellingsOfGelu(y);
  case nn::Activation::Relu:
    return spellingsOfRelu(y);
  case nn::Activation::Silu:
    return spellingsOfSilu(y);
  case nn::Activation::Rectify:
    return spellingsOfRectify(y);
  }
  llvm_unreachable("every activation has spellings");
}
} // namespace lispier
