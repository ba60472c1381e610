//===- TensorFormulas.cpp - what tensor ops compute -----------------------===//
#include "TensorFormulas.h"
#include "lispier/Tensor/Simplify/TensorRoles.h"
#include <cmath>

using namespace mlir;

namespace lispier {
using Ref = ScalarForm::Ref;

std::optional<Multiple> multipleOf(linalg::LinalgOp op) {
  if (!isa<linalg::GenericOp, linalg::TransposeOp>(op.getOperation()) || roleOf(op) != TensorRole::Elementwise ||
      op->getNumResults() != 1 || op.hasIndexSemantics())
    return std::nullopt;
  Multiple result{nullptr, 0, {}, false};
  for (OpOperand *operand : op.getDpsInputOperands()) {
    if (!isa<TensorType>(operand->get().getType()))
      continue;
    if (result.operand || !op.getMatchingIndexingMap(operand).isPermutation())
      return std::nullopt;
    result.operand = operand;
  }
  AffineMap made = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (!result.operand || !made.isPermutation())
    return std::nullopt;
  AffineMap read = op.getMatchingIndexingMap(result.operand);
  for (unsigned i = 0; i < made.getNumResults(); ++i)
    result.places.push_back(*read.getResultPosition(made.getResult(i)));
  ScalarForms forms(op->getContext());
  forms.isLeaf = [&](Value tensor) { return tensor == result.operand->get(); };
  Ref form = forms.element(op->getResult(0));
  result.rounds = form != beforeRounding(form);
  Factors found = factorsOf(beforeRounding(form));
  bool isElement = found.others.size() == 1 && found.others[0]->kind == ScalarForm::Kind::Element &&
                   found.others[0]->value == result.operand->get();
  if (!isElement || !found.isModerate)
    return std::nullopt;
  result.factor = found.constant;
  return result;
}

//===----------------------------------------------------------------------===//
// Bias, activation, residual
//===----------------------------------------------------------------------===//

namespace {
/// The sum of `rest` and an element of an operand of the kernel.
struct Sum {
  Ref rest, element;
};

/// The ways to take the form as a sum with the element that an operand has at `place`.
SmallVector<Sum, 2> sumsWithOperand(Ref form, ArrayRef<Ref> place) {
  SmallVector<Sum, 2> found;
  if (!form->is<arith::AddFOp>())
    return found;
  for (unsigned i : {0, 1}) {
    Ref element = form->operands[i];
    if (element->kind == ScalarForm::Kind::Element && !element->value.getDefiningOp() && element->operands == place)
      found.push_back({form->operands[1 - i], element});
  }
  return found;
}

std::optional<nn::Activation> activationOf(ScalarForms &forms, Ref form, Ref of) {
  for (nn::Activation activation : kActivations)
    if (isSpelledAsAny(form, spellingsOf(activation, Term(forms, of))))
      return activation;
  return std::nullopt;
}
} // namespace

std::optional<LinearFormula> linearFormulaOf(Value product, Value result) {
  ScalarForms forms(product.getContext());
  forms.isLeaf = [&](Value tensor) { return tensor == product; };
  unsigned rank = cast<RankedTensorType>(result.getType()).getRank();
  if (rank == 0 || rank != cast<RankedTensorType>(product.getType()).getRank())
    return std::nullopt;
  SmallVector<Ref> place = forms.places(rank);
  Ref form = beforeRounding(forms.element(result)), sum = forms.element(product, place);
  // A vector of the columns is a bias, also where the result is one.
  SmallVector<Sum, 2> residuals{{form, nullptr}}, biases{{nullptr, nullptr}};
  llvm::append_range(residuals, sumsWithOperand(form, place));
  for (Ref node : ScalarForms::nodesOf(form))
    for (const Sum &bias : sumsWithOperand(node, ArrayRef(place).take_back()))
      if (bias.rest == sum)
        biases.push_back({node, bias.element});
  for (const Sum &bias : llvm::reverse(biases))
    for (const Sum &residual : residuals)
      if (auto activation = activationOf(forms, residual.rest, bias.rest ? bias.rest : sum))
        return LinearFormula{*activation, bias.element ? bias.element->value : Value(),
                             residual.element ? residual.element->value : Value()};
  return std::nullopt;
}

std::optional<nn::Activation> gatedFormulaOf(Value gate, Value factor, Value result) {
  ScalarForms forms(gate.getContext());
  Ref form = beforeRounding(forms.element(result));
  Term other(forms, forms.element(factor));
  for (nn::Activation activation : kActivations)
    for (Term activated : spellingsOf(activation, Term(forms, forms.element(gate))))
      if (isSpelledAs(form, Ref(activated * other)))
        return activation;
  return std::nullopt;
}
} // namespace lispier
