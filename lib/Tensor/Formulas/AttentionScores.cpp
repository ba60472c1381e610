//===- AttentionScores.cpp - scores and weights of attention -----------------===//
//
// Compares formulas: whether the weights are a softmax of the changed scores, and by which
// factor a score differs from the product of query and key.
//
//===----------------------------------------------------------------------===//
#include "AttentionFinder.h"
#include "Spellings.h"
#include "lispier/Tensor/Simplify/TensorRoles.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <cmath>

using namespace mlir;

namespace lispier {
/// Which size of q, k, v or the scores the number is.
AttentionFinder::Size AttentionFinder::kindOfSize(Value number) {
  if (auto known = sizes.find(number); known != sizes.end())
    return known->second;
  auto find = [&] {
    for (auto [heads, size] :
         {std::pair(&found.q, Size::Tokens), std::pair(&found.k, Size::Keys), std::pair(&found.v, Size::Keys)})
      for (auto [at, kind] : {std::pair(heads->order.front(), size), std::pair(heads->order.back(), Size::HeadSize)})
        if (isSizeOf(number, heads->tensor, at))
          return kind;
    for (unsigned at : {tokenAt, positionAt})
      if (isSizeOf(number, scores->getResult(0), at))
        return at == tokenAt ? Size::Tokens : Size::Keys;
    auto difference = number.getDefiningOp<arith::SubIOp>();
    return difference && kindOfSize(difference.getLhs()) != Size::None && kindOfSize(difference.getRhs()) != Size::None
               ? Size::Difference
               : Size::None;
  };
  Size kind = find();
  return sizes[number] = kind;
}

bool AttentionFinder::readForms() {
  std::optional<SmallVector<unsigned>> loops = loopDimsOf(maximum, *maximum.getDpsInitOperand(0));
  unsigned rank = sharedAt ? 4 : 3;
  if (!loops || maximum.getNumLoops() != rank || loops->size() != rank - 1)
    return false;
  forms.emplace(end->getContext());
  Value products = scores->getResult(0);
  forms->isLeaf = [this, products](Value tensor) {
    auto made = tensor.getDefiningOp<linalg::LinalgOp>();
    return tensor == products || (made && !found.ops.contains(made));
  };
  SmallVector<Ref> place = forms->places(rank), own(rank, nullptr);
  // The scores' dimensions, without the one that is reduced, in their order.
  for (unsigned at = 0, kept = 0; at < rank; ++at)
    if (at != positionAt)
      own[(*loops)[kept++]] = place[at];
  *llvm::find(own, nullptr) = place[positionAt];
  product = forms->element(products, place);
  score = forms->inRegion(maximum, own, maskedScore);
  weight = beforeRounding(forms->element(weights, place)); // To the type of values, which kernels do, too.
  return !ScalarForms::contains(score, [&](Ref node) {
    return node->kind == ScalarForm::Kind::Element && node->value == products && node != product;
  });
}

/// Whether the weight is exp(score - maximum) / sum exp(score - maximum), or exp(score - maximum - log sum ...).
bool AttentionFinder::isSoftmax() {
  if (cast<RankedTensorType>(weights.getType()).getDimSize(positionAt) == 0)
    return false;
  Type type = weight->type;
  Ref position = forms->place(positionAt);
  auto isReduced = [&](Ref node, StringRef op, Ref of) {
    return node->kind == ScalarForm::Kind::Reduce && node->name == op && node->operands.size() == 3 &&
           node->operands[0] == forms->replace(of, position, node->operands[2]);
  };
  auto make = [&]<typename Op>(std::type_identity<Op>, Ref a, Ref b) { return forms->apply<Op>(type, {a, b}); };
  auto minus = [&](Ref a, Ref b) { return make(std::type_identity<arith::SubFOp>(), a, b); };
  SmallVector<Ref> nodes = ScalarForms::nodesOf(weight);
  for (Ref most : nodes) {
    bool isMaximum = isReduced(most, arith::MaximumFOp::getOperationName(), score) ||
                     isReduced(most, arith::MaxNumFOp::getOperationName(), score);
    if (!isMaximum || !isUnseen(most->operands[1]))
      continue;
    Ref shifted = minus(score, most), exponential = forms->apply<math::ExpOp>(type, {shifted});
    for (Ref total : nodes) {
      if (!isReduced(total, arith::AddFOp::getOperationName(), exponential) || total->operands[1]->constant() != 0.0)
        continue;
      Ref part = make(std::type_identity<arith::DivFOp>(), forms->constant(type, 1), total);
      Ref logarithm = forms->apply<math::LogOp>(type, {total});
      Ref both = make(std::type_identity<arith::AddFOp>(), most, logarithm);
      if (weight == make(std::type_identity<arith::DivFOp>(), exponential, total) ||
          weight == make(std::type_identity<arith::MulFOp>(), exponential, part) ||
          weight == forms->apply<math::ExpOp>(type, {minus(shifted, logarithm)}) ||
          weight == forms->apply<math::ExpOp>(type, {minus(score, both)}))
        return true;
    }
  }
  return false;
}

//===----------------------------------------------------------------------===//
// The scale
//===----------------------------------------------------------------------===//

namespace {
using Ref = ScalarForm::Ref;

/// A product's factors, with those of quotients in it; `divisors` divide it.
struct Scale {
  Factors factors;
  SmallVector<Ref> divisors;
};

Scale scaleIn(Ref form) {
  Scale found{factorsOf(form), {}};
  for (bool changes = true; changes;) {
    changes = false;
    for (auto *each = found.factors.others.begin(); each != found.factors.others.end(); ++each)
      if ((*each)->is<arith::DivFOp>()) {
        Ref quotient = *each;
        found.factors.others.erase(each);
        Factors own = factorsOf(quotient->operands[0]);
        found.factors.constant *= own.constant;
        found.factors.isModerate &= own.isModerate;
        llvm::append_range(found.factors.others, own.others);
        found.divisors.push_back(quotient->operands[1]);
        changes = true;
        break;
      }
  }
  return found;
}

/// Whether the number is F32 and from outside; what is in memory, only kernels read.
bool isFromOutside(Ref form) {
  return form->kind == ScalarForm::Kind::Number && form->type.isF32() &&
         !form->value.getDefiningOp<tensor::ExtractOp>();
}
} // namespace

bool AttentionFinder::isHeadSize(Ref form) {
  bool isConverted = form->is<arith::SIToFPOp>() || form->is<arith::UIToFPOp>();
  return isConverted && form->operands[0]->kind == ScalarForm::Kind::Number &&
         kindOfSize(form->operands[0]->value) == Size::HeadSize;
}

bool AttentionFinder::readScale(Ref seen) {
  Scale scale = scaleIn(seen);
  SmallVector<Ref> others = scale.factors.others;
  if (!llvm::is_contained(others, product) || !scale.factors.isModerate)
    return false;
  others.erase(llvm::find(others, product));
  for (Ref divisor : scale.divisors)
    if (std::optional<double> number = divisor->constant())
      scale.factors.constant /= *number;
    else if (divisor->is<math::SqrtOp>() && isHeadSize(divisor->operands[0]))
      others.push_back(divisor);
    else
      return false;
  double factor = scale.factors.constant;
  if (!(factor > 0) || !std::isfinite(factor))
    return false;
  if (others.empty()) {
    int64_t size = cast<RankedTensorType>(found.q.tensor.getType()).getDimSize(found.q.order.back());
    bool isUsual = !ShapedType::isDynamic(size) && std::fabs(factor * std::sqrt(double(size)) - 1) < 1e-6;
    found.scale = isUsual ? std::nullopt : std::optional(factor);
    return true;
  }
  if (others.size() != 1 || factor != 1)
    return false;
  bool isRoot = others[0]->is<math::RsqrtOp>() || others[0]->is<math::SqrtOp>(); // The latter is a divisor.
  if (isRoot && isHeadSize(others[0]->operands[0]))
    return true; // found.scale stays the usual one.
  if (!isFromOutside(others[0]))
    return false;
  found.scaleValue = others[0]->value;
  found.scale = 1;
  return true;
}
} // namespace lispier
