//===- AttentionMask.cpp - the mask of attention ---------------------------===//
//
// Finds which positions each token sees: all, or those up to its own, also in a window. The
// mask's comparisons are of sums of indices, sizes and numbers from outside. Where a position
// is seen, each has one outcome, and so says of a sum, a line, that it is at most 0; the mask
// is the kernel's if these are the kernel's lines.
//
//===----------------------------------------------------------------------===//
#include "ScoreReader.h"

using namespace mlir;

namespace lispier {
bool ScoreReader::isUnseen(Ref score) {
  if (score->is<arith::AddFOp>()) // A mask that is added.
    return isUnseen(score->operands[0]) || isUnseen(score->operands[1]);
  return score->constant() && *score->constant() <= kUnseenScore;
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// The number, which is of this kind, as a sum.
IndexSum ScoreReader::sizeSum(Size kind, Ref number) {
  if (kind == Size::Difference) {
    auto difference = number->value.getDefiningOp<arith::SubIOp>();
    return indexSumOf(forms.number(difference.getLhs())) - indexSumOf(forms.number(difference.getRhs()));
  }
  if (kind == Size::Tokens || kind == Size::Keys)
    if (int64_t size = staticSize(kind); !ShapedType::isDynamic(size))
      return IndexSum(size);
  // One node for all numbers that are this size.
  return IndexSum::of(kind == Size::None ? number : sizeNodes.insert({kind, number}).first->second);
}

IndexSum ScoreReader::indexSumOf(Ref form) {
  if (std::optional<int64_t> number = form->integer())
    return IndexSum(*number);
  if (form == token() && isOneToken())
    return IndexSum(0);
  if (form->kind == ScalarForm::Kind::Number)
    return sizeSum(kindOfSize(form->value), form);
  if (form->is<arith::AddIOp>())
    return indexSumOf(form->operands[0]) + indexSumOf(form->operands[1]);
  if (form->is<arith::SubIOp>())
    return indexSumOf(form->operands[0]) - indexSumOf(form->operands[1]);
  if (form->is<arith::MulIOp>())
    for (unsigned i : {0, 1})
      if (std::optional<int64_t> factor = form->operands[i]->integer())
        return indexSumOf(form->operands[1 - i]) * *factor;
  return IndexSum::of(form);
}

Value ScoreReader::symbolOf(const IndexSum &sum) {
  if (sum.constant != 0 || sum.terms.size() != 1 || sum.terms.begin()->second != 1)
    return {};
  Ref term = sum.terms.begin()->first;
  if (term->kind == ScalarForm::Kind::Number)
    return term->value;
  auto type =
      term->kind == ScalarForm::Kind::Element ? cast<RankedTensorType>(term->value.getType()) : RankedTensorType();
  bool isStored = type && type.hasStaticShape() && type.getNumElements() == 1 && type.getElementType().isInteger(32);
  return isStored ? term->value : Value();
}

//===----------------------------------------------------------------------===//
// Proof
//===----------------------------------------------------------------------===//

namespace {
/// The sum that is at most 0 where the comparison of `difference` with 0 has this outcome; nullopt if none is.
std::optional<IndexSum> lineOf(Attribute predicate, const IndexSum &difference, bool outcome) {
  using P = arith::CmpIPredicate;
  P kind = cast<arith::CmpIPredicateAttr>(predicate).getValue();
  bool isStrict = kind == P::slt || kind == P::ult || kind == P::sgt || kind == P::ugt;
  bool isLess = kind == P::slt || kind == P::ult || kind == P::sle || kind == P::ule;
  if (kind == P::eq || kind == P::ne)
    return std::nullopt;
  // Otherwise it is greater, or not, which is the negative one's less, or less or equal.
  return (isLess == outcome ? difference : -difference) + IndexSum(isStrict == outcome);
}
} // namespace

/// The comparisons of integers in the changed score; none of unsigned numbers that may be negative.
void ScoreReader::readComparisons() {
  comparisons.clear();
  for (Ref node : ScalarForms::nodesOf(score)) {
    if (!node->is<arith::CmpIOp>() || !node->operands[0]->type.isIntOrIndex())
      continue;
    using P = arith::CmpIPredicate;
    P predicate = cast<arith::CmpIPredicateAttr>(node->attribute).getValue();
    IndexSum left = indexSumOf(node->operands[0]), right = indexSumOf(node->operands[1]);
    auto isIndex = [&](const IndexSum &sum) {
      return sum.constant >= 0 && llvm::all_of(sum.terms, [](auto term) {
               return term.second > 0 && term.first->kind == ScalarForm::Kind::Place;
             });
    };
    bool isUnsigned = predicate == P::ult || predicate == P::ule || predicate == P::ugt || predicate == P::uge;
    if (!isUnsigned || (isIndex(left) && isIndex(right)))
      comparisons.push_back({node, left - right});
  }
}

/// The lines none of which is greater than 0 where a position is seen, each once: the comparisons have to have one
/// outcome each there. Takes the form of a score that is seen.
std::optional<SmallVector<IndexSum>> ScoreReader::linesOfSeen(Ref &seen) {
  constexpr unsigned kMost = 6;
  std::optional<unsigned> outcomes;
  for (unsigned each = 0; comparisons.size() <= kMost && each < 1u << comparisons.size(); ++each) {
    llvm::DenseMap<Ref, Ref> constants;
    for (auto [i, comparison] : llvm::enumerate(comparisons))
      constants[comparison.node] = forms.constant(BoolAttr::get(op->getContext(), each >> i & 1));
    Ref resolved = forms.replace(score, constants);
    if (isUnseen(resolved))
      continue;
    if (outcomes)
      return std::nullopt;
    outcomes = each, seen = resolved;
  }
  SmallVector<IndexSum> lines;
  for (auto [i, comparison] : llvm::enumerate(comparisons)) {
    std::optional<IndexSum> line =
        outcomes ? lineOf(comparison.node->attribute, comparison.difference, *outcomes >> i & 1) : std::nullopt;
    if (!line)
      return std::nullopt;
    bool isAlways = line->constant <= 0 && llvm::all_of(line->terms, [](auto term) {
                      return term.second < 0 && term.first->kind == ScalarForm::Kind::Place;
                    });
    auto implies = [](const IndexSum &a, const IndexSum &b) { return (b - a).terms.empty() && (b - a).constant <= 0; };
    if (isAlways || llvm::any_of(lines, [&](const IndexSum &other) { return implies(other, *line); }))
      continue;
    llvm::erase_if(lines, [&](const IndexSum &other) { return implies(*line, other); });
    lines.push_back(*line);
  }
  if (outcomes && seen->is<arith::AddFOp>()) // A mask that adds nothing.
    for (unsigned i : {0, 1})
      if (seen->operands[i]->constant() == 0.0) {
        seen = seen->operands[1 - i];
        break;
      }
  return outcomes ? std::optional(lines) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// The kernel's masks
//===----------------------------------------------------------------------===//

bool ScoreReader::takeFirst(const IndexSum &first) {
  found.first = nullptr, found.firstConstant = 0, found.alignedToEnd = false;
  if (first.terms.empty()) {
    found.firstConstant = first.constant;
    return first.constant >= 0;
  }
  auto sizeOf = [&](Size kind) {
    auto node = sizeNodes.find(kind);
    return sizeSum(kind, node == sizeNodes.end() ? nullptr : node->second);
  };
  auto isKnown = [&](Size kind) { return !ShapedType::isDynamic(staticSize(kind)) || sizeNodes.contains(kind); };
  if (isKnown(Size::Tokens) && isKnown(Size::Keys) && first == sizeOf(Size::Keys) - sizeOf(Size::Tokens))
    return found.alignedToEnd = true;
  return bool(found.first = symbolOf(first));
}

bool ScoreReader::takeWindow(const IndexSum &window) {
  found.window = std::nullopt, found.windowValue = nullptr;
  if (window.terms.empty()) {
    found.window = window.constant;
    return window.constant > 0;
  }
  return bool(found.windowValue = symbolOf(window));
}

bool ScoreReader::readMask(Ref &seen) {
  readComparisons();
  std::optional<SmallVector<IndexSum>> lines = linesOfSeen(seen);
  if (!lines || lines->size() > 2)
    return false;
  if (lines->empty())
    return true;
  // Token t sees the positions up to `first` + t, and of these no more than the window has.
  found.causal = true;
  IndexSum token = isOneToken() ? IndexSum(0) : IndexSum::of(this->token());
  IndexSum position = IndexSum::of(this->position());
  Ref place = position.terms.begin()->first;
  if (lines->front().factorOf(place) != 1)
    std::swap(lines->front(), lines->back());
  IndexSum first = position - token - lines->front();
  if (lines->front().factorOf(place) != 1 || !takeFirst(first))
    return false;
  return lines->size() == 1 ||
         (lines->back().factorOf(place) == -1 && takeWindow(first + token - position - lines->back() + IndexSum(1)));
}
} // namespace lispier
