//===- NormFormula.cpp - normalisation by formulas ------------------------===//
#include "NormFormula.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace lispier {
using Ref = ScalarForm::Ref;

namespace {
/// The spellings of a norm of the rows of a tensor.
class NormSpellings {
public:
  explicit NormSpellings(Value result)
      : type(cast<RankedTensorType>(result.getType())), forms(result.getContext()), place(forms.places(type.getRank())),
        form(beforeRounding(forms.element(result))), nodes(ScalarForms::nodesOf(form)) {}

  std::optional<NormFormula> find() {
    Term mean = meanOf(x), square = meanOf(x * x);
    for (Ref node : nodes) {
      variables.reset();
      bool isFound = variables.isSpelledAs(node, mean)
                         ? isLayerNormBy(node)
                         : variables.isSpelledAs(node, square) && isNorm(own(), node, /*hasBias=*/false);
      if (isFound)
        return found();
    }
    return std::nullopt;
  }

private:
  Term add(Variables::Meaning meaning) { return variables.add(forms, std::move(meaning)); }
  Term term(Ref node) { return {forms, node}; }
  Term own() { return term(variables[x]); }

  /// Whether the number, which may be converted, is that of columns.
  bool isColumnCount(Ref node) const {
    unsigned last = type.getRank() - 1;
    if (std::optional<double> constant = node->constant())
      return !type.isDynamicDim(last) && *constant == double(type.getDimSize(last));
    Ref integer = node->is<arith::SIToFPOp>() || node->is<arith::UIToFPOp>() ? node->operands[0] : node;
    return integer->kind == ScalarForm::Kind::Number && integer->type.isIntOrIndex() &&
           isKnownSizeOf(integer->value, variables[x]->value, last);
  }

  /// Whether the node is 1 / columns.
  bool isPart(Ref node) const {
    if (std::optional<double> constant = node->constant())
      return !type.isDynamicDim(type.getRank() - 1) && *constant == double(float(1 / double(type.getShape().back())));
    return node->is<arith::DivFOp>() && node->operands[0]->constant() == 1.0 && isColumnCount(node->operands[1]);
  }

  /// The mean along the row of `of`, a formula of an element of it: a sum divided by the number of columns.
  Term meanOf(Term of) {
    return add([this, of](Ref node) -> Ref {
      for (unsigned i = 0; i < (node->is<arith::MulFOp>() ? 2 : node->is<arith::DivFOp>() ? 1 : 0); ++i) {
        Ref sum = node->operands[i], other = node->operands[1 - i];
        bool isSum = sum->kind == ScalarForm::Kind::Reduce && sum->name == arith::AddFOp::getOperationName() &&
                     sum->operands.size() == 3 && sum->operands[1]->constant() == 0.0;
        if (isSum && variables.isSpelledAs(forms.replace(sum->operands[0], sum->operands[2], place.back()), of) &&
            (node->is<arith::MulFOp>() ? isPart(other) : isColumnCount(other)))
          return node;
      }
      return nullptr;
    });
  }

  bool isLayerNormBy(Ref mean) {
    Term centred = own() - term(mean);
    // As the mean of squares, or the mean square less the square of the mean.
    if (isNorm(centred, meanOf(centred * centred), /*hasBias=*/true) ||
        isNorm(centred, meanOf(own() * own()) - term(mean) * term(mean), /*hasBias=*/true))
      return true;
    // What rounding has left of the mean is subtracted, too.
    Term rest = meanOf(centred);
    return llvm::any_of(nodes, [&](Ref second) {
      Term twice = centred - term(second);
      return variables.isSpelledAs(second, rest) && isNorm(twice, meanOf(twice * twice), /*hasBias=*/true);
    });
  }

  /// Whether the formula is `row / sqrt(variance + epsilon) * weight`, and with a bias that in addition.
  bool isNorm(Term row, Term variance, bool hasBias) {
    SmallVector<Term> spellings;
    for (Term raised : {variance + epsilon, variance}) {
      for (Term factor : {rsqrt(raised), 1.0 / sqrt(raised), pow(raised, -0.5), 1.0 / pow(raised, 0.5)})
        spellings.push_back(row * factor * weight);
      for (Term divisor : {sqrt(raised), pow(raised, 0.5)})
        spellings.push_back(row * weight / divisor);
    }
    return llvm::any_of(spellings, [&](Term each) {
      return variables.isSpelledAs(form, hasBias ? each + bias : each) && variables[weight] != variables[x];
    });
  }
  bool isNorm(Term row, Ref variance, bool hasBias) { return isNorm(row, term(variance), hasBias); }

  NormFormula found() {
    Ref number = variables[epsilon];
    return {variables.valueOf(x), variables.valueOf(weight), variables.valueOf(bias),
            number ? number->constant().value_or(0) : 0, variables.valueOf(epsilon)};
  }

  RankedTensorType type;
  ScalarForms forms;
  SmallVector<Ref> place;
  Ref form;
  SmallVector<Ref> nodes;
  Variables variables;
  Term x = variables.addElement(forms, place), weight = variables.addElement(forms, ArrayRef(place).take_back()),
       bias = variables.addElement(forms, ArrayRef(place).take_back());
  Term epsilon = add([](Ref node) {
    bool isNumber =
        node->constant() ? *node->constant() >= 0 : node->kind == ScalarForm::Kind::Number && node->type.isF32();
    return isNumber ? node : nullptr;
  });
};
} // namespace

std::optional<NormFormula> normFormulaOf(Value result) {
  return cast<RankedTensorType>(result.getType()).getRank() ? NormSpellings(result).find() : std::nullopt;
}
} // namespace lispier
