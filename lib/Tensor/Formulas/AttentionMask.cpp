//===- AttentionMask.cpp - the mask of attention ---------------------------===//
//
// Finds which positions each token sees: all, or those up to its own, also in a window. The
// mask's comparisons are of sums of indices, sizes and numbers from outside. Each sum,
// without its constant, is a line whose constants divide the integers into ranges; within a
// range no comparison changes. The mask is the kernel's if it is in one place of every
// combination of ranges.
//
//===----------------------------------------------------------------------===//
#include "ScoreReader.h"
#include <map>
#include <set>

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
/// Values of sums, up to their constants, in one place of every range.
class Lines {
public:
  /// A comparison of the sum with 0 changes where the sum does.
  void add(const IndexSum &sum) {
    if (sum.terms.empty())
      return;
    auto [line, sign] = lineOf(sum);
    bool isIndex = sum.terms.size() == 1 && sum.terms.begin()->first->kind == ScalarForm::Kind::Place;
    for (int64_t change : {-sign * sum.constant - 1, -sign * sum.constant, -sign * sum.constant + 1})
      if (!isIndex || change >= 0)
        changes[line].insert(change);
  }

  /// Calls `visit` with a function that gives the value of each sum; false if it returns false, or there are too many.
  bool everywhere(llvm::function_ref<bool(llvm::function_ref<int64_t(const IndexSum &)>)> visit) const {
    constexpr size_t kMost = 1 << 14;
    size_t count = 1;
    for (auto &[line, values] : changes)
      if ((count *= values.size()) > kMost)
        return false;
    for (size_t place = 0; place < count; ++place) {
      auto value = [&](const IndexSum &sum) -> int64_t {
        auto [line, sign] = lineOf(sum);
        size_t number = place;
        for (auto &[other, values] : changes) {
          if (other == line)
            return sum.constant + sign * *std::next(values.begin(), number % values.size());
          number /= values.size();
        }
        return sum.constant; // It has no terms.
      };
      if (!visit(value))
        return false;
    }
    return true;
  }

private:
  /// The factor of each term, by its node's number.
  using Terms = std::vector<std::pair<unsigned, int64_t>>;
  /// The terms with a positive first factor, and the sign that this needs.
  static std::pair<Terms, int64_t> lineOf(const IndexSum &sum) {
    int64_t sign = sum.terms.empty() || sum.terms.begin()->second > 0 ? 1 : -1;
    Terms terms;
    for (auto [term, factor] : sum.terms)
      terms.push_back({term->id, sign * factor});
    return {terms, sign};
  }

  std::map<Terms, std::set<int64_t>> changes;
};

/// Whether a comparison of two numbers with this difference holds. Unsigned ones are of numbers that are not negative.
bool holds(Attribute predicate, int64_t difference) {
  using P = arith::CmpIPredicate;
  switch (cast<arith::CmpIPredicateAttr>(predicate).getValue()) {
  case P::eq:
    return difference == 0;
  case P::ne:
    return difference != 0;
  case P::slt:
  case P::ult:
    return difference < 0;
  case P::sle:
  case P::ule:
    return difference <= 0;
  case P::sgt:
  case P::ugt:
    return difference > 0;
  case P::sge:
  case P::uge:
    return difference >= 0;
  }
  llvm_unreachable("all predicates return");
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

/// Whether a position is seen where no line is greater than 0, and else is not.
bool ScoreReader::isSeenAs(ArrayRef<IndexSum> kernelLines, Ref &seen) {
  Lines lines;
  for (const Comparison &each : comparisons)
    lines.add(each.difference);
  for (const IndexSum &line : kernelLines)
    lines.add(line);
  seen = nullptr;
  std::map<std::vector<bool>, Ref> known; ///< The score for outcomes of the comparisons.
  bool isAs = lines.everywhere([&](llvm::function_ref<int64_t(const IndexSum &)> value) {
    std::vector<bool> outcomes;
    for (const Comparison &each : comparisons)
      outcomes.push_back(holds(each.node->attribute, value(each.difference)));
    Ref &resolved = known[outcomes];
    if (!resolved) {
      llvm::DenseMap<Ref, Ref> constants;
      for (auto [each, outcome] : llvm::zip(comparisons, outcomes))
        constants[each.node] = forms.constant(BoolAttr::get(op->getContext(), outcome));
      resolved = forms.replace(score, constants);
      if (resolved->is<arith::AddFOp>()) // A mask that adds nothing.
        for (unsigned i : {0, 1})
          if (resolved->operands[i]->constant() == 0.0) {
            resolved = resolved->operands[1 - i];
            break;
          }
    }
    bool shouldBeSeen = llvm::all_of(kernelLines, [&](const IndexSum &line) { return value(line) <= 0; });
    if (!shouldBeSeen || isUnseen(resolved))
      return !shouldBeSeen && isUnseen(resolved);
    seen = resolved;
    return llvm::all_of(known, [&](auto &each) { return each.second == seen || isUnseen(each.second); });
  });
  return isAs && seen;
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
  if (isSeenAs({}, seen))
    return true;
  // Token t sees the positions up to `first` + t, which some comparison compares with, and of these no more than the
  // window has.
  found.causal = true;
  IndexSum token = isOneToken() ? IndexSum(0) : IndexSum::of(this->token());
  IndexSum position = IndexSum::of(this->position());
  SmallVector<IndexSum> firsts, begins;
  for (const Comparison &each : comparisons)
    for (const IndexSum &sum : {each.difference, -each.difference})
      for (int64_t beyond : {0, 1}) { // sum <= 0, sum < 0
        IndexSum rest = sum + IndexSum(beyond);
        if (rest.factorOf(position.terms.begin()->first) == 1)
          firsts.push_back(position - token - rest);
        else
          begins.push_back(position - token + rest);
      }
  for (const IndexSum &first : firsts) {
    if (!takeFirst(first))
      continue;
    IndexSum upToOwn = position - token - first;
    if (isSeenAs({upToOwn}, seen))
      return true;
    for (const IndexSum &begin : begins) {
      IndexSum window = first - begin + IndexSum(1);
      if (takeWindow(window) && isSeenAs({upToOwn, token + begin - position}, seen))
        return true;
    }
    found.window = std::nullopt, found.windowValue = nullptr;
  }
  return false;
}
} // namespace lispier
