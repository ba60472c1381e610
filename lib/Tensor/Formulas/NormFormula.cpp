//===- NormFormula.cpp - normalisation by formulas ------------------------===//
#include "NormFormula.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

using namespace mlir;

namespace lispier {
using Ref = ScalarForm::Ref;

namespace {
bool isSum(Ref form) {
  return form->kind == ScalarForm::Kind::Reduce && form->name == arith::AddFOp::getOperationName() &&
         form->operands.size() == 3 && form->operands[1]->constant() == 0.0;
}

/// Reads a norm off the nodes of a formula: its row x, the means of it, and what is left.
class NormMatcher {
public:
  explicit NormMatcher(Value result)
      : type(cast<RankedTensorType>(result.getType())), forms(result.getContext()), rank(type.getRank()) {
    if (rank == 0)
      return;
    place = forms.places(rank);
    form = beforeRounding(forms.element(result));
    nodes = ScalarForms::nodesOf(form);
  }

  std::optional<NormFormula> match() {
    if (rank == 0)
      return std::nullopt;
    for (Ref sum : nodes)
      if (isSum(sum) && (isLayerNormOf(sum) || isRmsNormOf(sum)))
        return found;
    return std::nullopt;
  }

private:
  /// The element of the tensor at its place, if the node is that at index `at` of the row.
  Ref rowElement(Ref node, Ref at) {
    SmallVector<Ref> other(place);
    other.back() = at;
    bool isElement = node->kind == ScalarForm::Kind::Element && node->operands == ArrayRef(other);
    return isElement && !node->value.getDefiningOp() ? forms.element(node->value, place) : nullptr;
  }

  /// Whether the number is that of columns.
  bool isColumns(Ref number) {
    if (std::optional<double> constant = number->constant())
      return !type.isDynamicDim(rank - 1) && *constant == double(type.getDimSize(rank - 1));
    bool isConverted = number->is<arith::SIToFPOp>() || number->is<arith::UIToFPOp>();
    Ref integer = isConverted ? number->operands[0] : number;
    if (integer->kind != ScalarForm::Kind::Number || !integer->type.isIntOrIndex() ||
        (found.columns && found.columns != integer->value))
      return false;
    found.columns = integer->value;
    return true;
  }

  /// Whether the number is 1 / columns.
  bool isPart(Ref number) {
    if (std::optional<double> constant = number->constant())
      return !type.isDynamicDim(rank - 1) && *constant == double(float(1 / double(type.getDimSize(rank - 1))));
    return number->is<arith::DivFOp>() && number->operands[0]->constant() == 1.0 && isColumns(number->operands[1]);
  }

  /// The nodes that are the sum divided by the number of columns.
  SmallVector<Ref, 2> meansOf(Ref sum) {
    SmallVector<Ref, 2> means;
    for (Ref node : nodes) {
      bool isQuotient = node->is<arith::DivFOp>() && node->operands[0] == sum && isColumns(node->operands[1]);
      bool isProduct = node->is<arith::MulFOp>() && llvm::is_contained(node->operands, sum) &&
                       isPart(node->operands[node->operands[0] == sum ? 1 : 0]);
      if (isQuotient || isProduct)
        means.push_back(node);
    }
    return means;
  }

  /// The sums along the row of `of`, a formula of an element of it.
  SmallVector<Ref, 2> sumsOf(Ref of) {
    SmallVector<Ref, 2> sums;
    for (Ref sum : nodes)
      if (isSum(sum) && sum->operands[0] == forms.replace(of, place.back(), sum->operands[2]))
        sums.push_back(sum);
    return sums;
  }
  SmallVector<Ref, 2> sumsOfSquares(Ref of) {
    return sumsOf(forms.apply<arith::MulFOp>(Float32Type::get(of->type.getContext()), {of, of}));
  }

  Term term(Ref node) { return Term(forms, node); }

  bool isLayerNormOf(Ref sum) {
    found = {};
    Ref x = rowElement(sum->operands[0], sum->operands[2]);
    if (!x)
      return false;
    found.x = x->value;
    for (Ref mean : meansOf(sum)) {
      Term centred = term(x) - term(mean);
      if (isCentredNorm(centred))
        return true;
      // What rounding has left of the mean is subtracted, too.
      for (Ref rest : sumsOf(centred))
        for (Ref second : meansOf(rest))
          if (isCentredNorm(centred - term(second)))
            return true;
      // As the mean square less the square of the mean.
      for (Ref squares : sumsOfSquares(x))
        for (Ref square : meansOf(squares))
          if (endsAsNorm(centred, term(square) - term(mean) * term(mean), /*hasBias=*/true))
            return true;
    }
    return false;
  }

  bool isCentredNorm(Term centred) {
    for (Ref squares : sumsOfSquares(centred))
      for (Ref variance : meansOf(squares))
        if (endsAsNorm(centred, variance, /*hasBias=*/true))
          return true;
    return false;
  }

  bool isRmsNormOf(Ref sum) {
    found = {};
    Ref square = sum->operands[0];
    Ref x = square->is<arith::MulFOp>() && square->operands[0] == square->operands[1]
                ? rowElement(square->operands[0], sum->operands[2])
                : nullptr;
    if (!x)
      return false;
    found.x = x->value;
    return llvm::any_of(meansOf(sum), [&](Ref mean) { return endsAsNorm(term(x), mean, /*hasBias=*/false); });
  }

  /// Whether the formula is `row / sqrt(variance + epsilon) * weight`, and with a bias that in addition.
  bool endsAsNorm(Term row, Ref variance, bool hasBias) {
    for (Ref sum : nodes)
      for (unsigned i : {0, 1})
        if (sum->is<arith::AddFOp>() && sum->operands[i] == variance && takeEpsilon(sum->operands[1 - i]) &&
            isRaisedNorm(row, term(sum), hasBias))
          return true;
    found.epsilon = 0, found.epsilonValue = Value();
    return isRaisedNorm(row, term(variance), hasBias);
  }

  bool isRaisedNorm(Term row, Term raised, bool hasBias) {
    return llvm::any_of(nodes, [&](Ref weight) {
      return isVector(weight) && weight->value != found.x && isNormBy(row, raised, weight, hasBias);
    });
  }

  bool isNormBy(Term row, Term raised, Ref weight, bool hasBias) {
    Term w = term(weight);
    found.weight = weight->value;
    SmallVector<Term> spellings;
    for (Term factor : {rsqrt(raised), 1.0 / sqrt(raised), pow(raised, -0.5), 1.0 / pow(raised, 0.5)})
      spellings.push_back(row * factor * w);
    for (Term divisor : {sqrt(raised), pow(raised, 0.5)})
      spellings.append({row / divisor * w, row * w / divisor, row * (w / divisor)});
    if (!hasBias)
      return isSpelledAsAny(form, spellings);
    for (Ref bias : nodes) {
      if (!isVector(bias))
        continue;
      found.bias = bias->value;
      if (isSpelledAsAny(form, llvm::map_to_vector(spellings, [&](Term each) { return each + term(bias); })))
        return true;
    }
    return false;
  }

  bool takeEpsilon(Ref number) {
    found.epsilon = number->constant().value_or(0);
    found.epsilonValue = number->constant() ? Value() : number->value;
    return number->constant() ? found.epsilon >= 0 : number->kind == ScalarForm::Kind::Number && number->type.isF32();
  }

  bool isVector(Ref node) const {
    return node->kind == ScalarForm::Kind::Element && !node->value.getDefiningOp() &&
           node->operands == ArrayRef(place).take_back();
  }

  RankedTensorType type;
  ScalarForms forms;
  int64_t rank;
  Ref form = nullptr;
  SmallVector<Ref> place, nodes;
  NormFormula found;
};
} // namespace

std::optional<NormFormula> normFormulaOf(Value result) { return NormMatcher(result).match(); }
} // namespace lispier
