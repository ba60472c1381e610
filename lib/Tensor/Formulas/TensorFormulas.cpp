//===- TensorFormulas.cpp - what tensor ops compute -----------------------===//
#include "TensorFormulas.h"
#include "lispier/Buffers/MemoryViews.h"
#include "lispier/Group/SizeNames.h"
#include "lispier/Tensor/Simplify/TensorRoles.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace lispier {
using Ref = ScalarForm::Ref;

bool isKnownSizeOf(Value number, Value tensor, unsigned dimension) {
  auto isDim = [&](auto dim) {
    return dim && dim.getSource() == tensor && dim.getConstantIndex() == int64_t(dimension);
  };
  auto outside = [](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    auto kernel = argument ? dyn_cast<group::KernelOp>(argument.getOwner()->getParentOp()) : group::KernelOp();
    return kernel ? kernel->getOperand(argument.getArgNumber()) : value;
  };
  auto withoutCasts = [&](Value value) {
    while (auto cast = value.getDefiningOp<arith::IndexCastOp>())
      value = cast.getIn();
    return value;
  };
  if (isDim(number.getDefiningOp<tensor::DimOp>()))
    return true;
  tensor = outside(tensor);
  if (isDim(number.getDefiningOp<memref::DimOp>()))
    return true;
  while (auto made = tensor.getDefiningOp<DestinationStyleOpInterface>())
    tensor = made.getTiedOpOperand(cast<OpResult>(tensor))->get();
  OpFoldResult size;
  if (isa<MemRefType>(tensor.getType()))
    size = knownSize(tensor, dimension);
  else if (auto empty = tensor.getDefiningOp<tensor::EmptyOp>())
    size = empty.getMixedSizes()[dimension];
  else if (auto expand = tensor.getDefiningOp<tensor::ExpandShapeOp>())
    size = expand.getMixedOutputShape()[dimension];
  auto value = dyn_cast_if_present<Value>(size);
  return value && isSameSize(withoutCasts(outside(value)), withoutCasts(number));
}

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
  bool isElement = found.others.size() == 1 && found.divisors.empty() &&
                   found.others[0]->kind == ScalarForm::Kind::Element &&
                   found.others[0]->value == result.operand->get();
  if (!isElement || !found.isModerate)
    return std::nullopt;
  result.factor = found.constant;
  return result;
}

//===----------------------------------------------------------------------===//
// Bias, activation, residual
//===----------------------------------------------------------------------===//

std::optional<LinearFormula> linearFormulaOf(Value product, Value result) {
  ScalarForms forms(product.getContext());
  forms.isLeaf = [&](Value tensor) { return tensor == product; };
  unsigned rank = cast<RankedTensorType>(result.getType()).getRank();
  if (rank == 0 || rank != cast<RankedTensorType>(product.getType()).getRank())
    return std::nullopt;
  SmallVector<Ref> place = forms.places(rank);
  Ref form = beforeRounding(forms.element(result));
  Variables variables;
  Term sum(forms, forms.element(product, place));
  Term bias = variables.addElement(forms, ArrayRef(place).take_back()), residual = variables.addElement(forms, place);
  for (Term biased : {sum + bias, sum}) // A vector of the columns is a bias, also where the result is one.
    for (nn::Activation activation : kActivations)
      for (Term activated : spellingsOf(activation, biased))
        for (Term spelling : {activated, activated + residual})
          if (variables.isSpelledAs(form, spelling))
            return LinearFormula{activation, variables.valueOf(bias), variables.valueOf(residual)};
  return std::nullopt;
}

std::optional<GateFormula> gateFormulaOf(Value result) {
  ScalarForms forms(result.getContext());
  SmallVector<Ref> place = forms.places(cast<RankedTensorType>(result.getType()).getRank());
  Ref form = beforeRounding(forms.element(result));
  Variables variables;
  Term gate = variables.addElement(forms, place), factor = variables.addElement(forms, place);
  for (nn::Activation activation : kActivations)
    for (Term activated : spellingsOf(activation, gate))
      if (variables.isSpelledAs(form, activated * factor))
        return GateFormula{activation, variables.valueOf(gate), variables.valueOf(factor)};
  return std::nullopt;
}
} // namespace lispier
