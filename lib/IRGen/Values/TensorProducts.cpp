//===- TensorProducts.cpp - einsum and matmul -----------------------------===//
//
// A product of two tensors is one linalg.contract into zeros, with the type of the
// sums, or a linalg.generic if it sums nothing; its factors may have other float
// types. More factors are multiplied one after the other. What only one factor has
// is summed before.
//
//===----------------------------------------------------------------------===//
#include "Arithmetic.h"
#include "Core/KeywordOperands.h"
#include "Core/LiteralValues.h"
#include "Core/Messages.h"
#include "Core/Types.h"
#include "TensorForms.h"
#include "TensorSizes.h"
#include "TileForms.h"
#include "ValueForms.h"
#include "ValueParts.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
namespace linalg = mlir::linalg;
using Iterator = mlir::utils::IteratorType;
using Kind = mlir::vector::CombiningKind;

namespace lispier {
namespace {
/// The letters of both, each once.
std::string joined(StringRef a, StringRef b) {
  std::string all;
  for (char c : (a + b).str())
    if (all.find(c) == std::string::npos)
      all += c;
  return all;
}

/// The letters of the dimensions for which `...` stands, counted from the last one, as operands of different ranks have
/// that in common.
constexpr char kLastMore = '\x80';

std::string moreLetters(int64_t count) {
  std::string letters;
  while (count-- > 0)
    letters += char(kLastMore + count);
  return letters;
}

std::string textOf(char letter) {
  if (!(letter & 0x80))
    return "`" + std::string(1, letter) + "`";
  return "dimension -" + std::to_string(letter - kLastMore + 1) + " of `...`";
}

mlir::AffineMap mapOf(StringRef letters, StringRef space, mlir::MLIRContext &context) {
  SmallVector<mlir::AffineExpr> results;
  for (char c : letters)
    results.push_back(mlir::getAffineDimExpr(space.find(c), &context));
  return mlir::AffineMap::get(space.size(), 0, results, &context);
}

/// The type in which products are added.
mlir::Type sumsOf(mlir::Type element, mlir::OpBuilder &builder) {
  if (isa<mlir::FloatType>(element) && element.getIntOrFloatBitWidth() < 32)
    return builder.getF32Type();
  return element.isInteger(8) ? mlir::Type(builder.getI32Type()) : element;
}
} // namespace

/// Compares the sizes that one letter has, and gives factors the sizes that are known.
bool TensorForms::unifySizes(const Form *form, MutableArrayRef<Factor> factors) {
  struct Known {
    Size size;
    Factor *factor;
  };
  std::map<char, Known> known;
  for (Factor &factor : factors)
    for (auto [d, letter] : enumerate(factor.letters)) {
      Size here = gen.sizes.size(factor.place, factor.value, d);
      auto [entry, isNew] = known.try_emplace(letter, Known{here, &factor});
      if (isNew)
        continue;
      Known &first = entry->second;
      std::optional<int64_t> a = TensorSizes::known(first.size), b = TensorSizes::known(here);
      if (a && b && *a != *b) {
        StringRef name = form->head();
        error("tensor-shape", factor.place,
              "`" + name + "`: " + (name == "einsum" ? textOf(letter) : std::string("a dimension")) + " is " +
                  Twine(*a) + " in " + gen.sizes.text(first.factor->value) + ", and " + Twine(*b) + " in " +
                  gen.sizes.text(factor.value))
            .note(first.factor->place->range(), "this factor is " + gen.sizes.text(first.factor->value))
            .note(factor.place->range(), "this factor is " + gen.sizes.text(factor.value))
            .withHint(letter & 0x80 ? "`...` stands for the same sizes in all factors, from the last one on"
                      : name == "einsum"
                          ? "each letter is one size"
                          : "[... m k] and [... k n] share k; (transpose x) exchanges the last two dimensions");
        return false;
      }
      SmallVector<Size> numbers;
      std::string left = runShape(first.factor->place, first.factor->value, numbers),
                  right = runShape(factor.place, factor.value, numbers);
      SmallVector<Size> all{first.size, here};
      append_range(all, numbers);
      gen.sizes.check(
          form, first.size, here, "tensor-shape",
          "`" + form->head() + "`: one size is %ld and %ld, in factors of the shapes " + left + " and " + right, all);
      if (b)
        first.size = here;
    }
  for (Factor &factor : factors) {
    Sizes sizes;
    for (char letter : factor.letters)
      sizes.push_back(known.at(letter).size);
    factor.value = gen.sizes.refined(factor.place, factor.value, sizes);
  }
  return true;
}

/// Sums over the letters that are not `kept`, and takes the diagonal of letters that occur twice.
TensorForms::Factor TensorForms::summed(const Form *form, Factor factor, StringRef kept) {
  std::string space = joined(factor.letters, ""), left;
  for (char letter : space)
    if (kept.contains(letter))
      left += letter;
  if (left == factor.letters)
    return factor;
  mlir::Type element = mlir::getElementTypeOrSelf(factor.value.getType()), sums = sumsOf(element, builder);
  bool isSum = left.size() < space.size();
  Sizes sizes;
  for (char letter : left)
    sizes.push_back(gen.sizes.size(form, factor.value, factor.letters.find(letter)));
  Inputs inputs{{factor.value}, {mapOf(factor.letters, space, context)}};
  SmallVector<Iterator> iterators;
  for (char letter : space)
    iterators.push_back(StringRef(left).contains(letter) ? Iterator::parallel : Iterator::reduction);
  mlir::Value init =
      isSum ? filled(form, sizes, gen.values.neutral(form, Kind::ADD, sums)) : empty(form, sizes, element);
  factor.value = generic(form, inputs, init, mapOf(left, space, context), iterators, [&](mlir::ValueRange numbers) {
    if (!isSum)
      return Values{numbers[0]};
    mlir::Value number = gen.arithmetic.convert(numbers[0], sums, form);
    return Values{mlir::vector::makeArithReduction(builder, location(form), Kind::ADD, number, numbers[1])};
  })[0];
  factor.letters = left;
  return factor;
}

mlir::Value TensorForms::contract(const Form *form, Factor a, Factor b, StringRef result, mlir::Type sums,
                                  mlir::Attribute precision) {
  a = summed(form, a, b.letters + result.str());
  b = summed(form, b, a.letters + result.str());
  std::string space = joined(result, joined(a.letters, b.letters));
  Sizes sizes;
  for (char letter : result) {
    const Factor &factor = StringRef(a.letters).contains(letter) ? a : b;
    sizes.push_back(gen.sizes.size(form, factor.value, factor.letters.find(letter)));
  }
  if (space.size() == result.size()) { // An elementwise or outer product: linalg.contract has to sum.
    Inputs inputs{{a.value, b.value}, {mapOf(a.letters, space, context), mapOf(b.letters, space, context)}};
    SmallVector<Iterator> iterators(space.size(), Iterator::parallel);
    return generic(form, inputs, empty(form, sizes, sums), mapOf(result, space, context), iterators,
                   [&](mlir::ValueRange numbers) {
                     mlir::Value left = gen.arithmetic.convert(numbers[0], sums, form);
                     mlir::Value right = gen.arithmetic.convert(numbers[1], sums, form);
                     return Values{mlir::vector::makeArithReduction(builder, location(form), Kind::MUL, left, right)};
                   })[0];
  }
  mlir::Value zeros = filled(form, sizes, gen.values.neutral(form, Kind::ADD, sums));
  SmallVector<mlir::AffineMap> maps;
  for (StringRef letters : {StringRef(a.letters), StringRef(b.letters), result})
    maps.push_back(mapOf(letters, space, context));
  auto op = make<linalg::ContractOp>(form, mlir::TypeRange(zeros.getType()), mlir::ValueRange{a.value, b.value},
                                     mlir::ValueRange(zeros), builder.getAffineMapArrayAttr(maps));
  if (precision)
    op->setAttr(tile::kPrecision, precision);
  return op->getResult(0);
}

/// The attribute for :precision; null where factors keep their digits.
std::optional<mlir::Attribute> TensorForms::precision(const KeywordOperands &call, ArrayRef<Factor> factors) {
  const Form *given = call.get("precision");
  if (!given)
    return mlir::Attribute();
  mlir::Type element = builder.getBF16Type();
  for (const Factor &factor : factors)
    if (mlir::Type type = mlir::getElementTypeOrSelf(factor.value.getType()); !type.isBF16() && !type.isF16())
      element = type;
  std::optional<tile::Precision> chosen = gen.tiles.precision(given, element);
  if (!chosen)
    return std::nullopt;
  return tile::PrecisionAttr::get(&context, *chosen);
}

/// The product of all factors, with the letters `result`.
mlir::Value TensorForms::product(const Form *form, SmallVectorImpl<Factor> &factors, StringRef result,
                                 const KeywordOperands &call) {
  SmallVector<mlir::Value> values;
  for (const Factor &factor : factors)
    values.push_back(factor.value);
  if (!gen.literalValues.agree(values))
    return {};
  for (auto [factor, value] : zip(factors, values))
    factor.value = value;
  mlir::Type element;
  const Factor *widest = nullptr;
  for (const Factor &factor : factors) {
    mlir::Type here = mlir::getElementTypeOrSelf(factor.value.getType());
    auto a = dyn_cast_if_present<mlir::FloatType>(element), b = dyn_cast<mlir::FloatType>(here);
    if (!element || (a && b && a.getWidth() < b.getWidth())) {
      element = here;
      widest = &factor;
    } else if (here != element && !(a && b && a.getWidth() > b.getWidth())) {
      mlir::Type target = b && !a ? here : element;
      error("type-mismatch", factor.place,
            "`" + form->head() + "` multiplies tensors of one element type, and these are " +
                gen.sizes.text(widest->value) + " and " + gen.sizes.text(factor.value))
          .note(widest->place->range(), "this factor is " + gen.sizes.text(widest->value))
          .withHint("(cast " + mlir::debugString(target) + " " + (target == element ? &factor : widest)->place->str() +
                    ") converts");
      return {};
    }
  }
  if (element.isInteger(1) || element.isIndex()) { // linalg.contract of index crashes.
    error("type-mismatch", widest->place,
          "`" + form->head() + "` multiplies " +
              (element.isIndex() ? "integers and floats, not index" : "numbers, not i1"))
        .withHint((element.isIndex() ? "(cast i64 " : "(cast i32 ") + widest->place->str() + ") converts");
    return {};
  }
  mlir::Type out = isa<mlir::FloatType>(element) ? element : sumsOf(element, builder);
  if (const Form *given = call.get("out"))
    if (!(out = elementType(given)))
      return {};
  std::optional<mlir::Attribute> precision = this->precision(call, factors);
  if (!precision || !unifySizes(form, factors))
    return {};
  mlir::Type sums = sumsOf(element, builder);
  if (factors.size() == 1) {
    Factor only = summed(form, factors[0], result);
    SmallVector<int64_t> axes;
    for (char letter : result)
      axes.push_back(only.letters.find(letter));
    mlir::Value value = only.letters == result ? only.value : transposed(form, only.value, axes);
    return converted(form, value, out);
  }
  Factor left = factors[0];
  for (size_t i = 1; i < factors.size(); ++i) {
    std::string later = result.str(), kept;
    for (const Factor &factor : drop_begin(factors, i + 1))
      later += factor.letters;
    for (char letter : joined(left.letters, factors[i].letters))
      if (StringRef(later).contains(letter))
        kept += letter;
    bool isLast = i + 1 == factors.size();
    StringRef letters = isLast ? result : StringRef(kept);
    left = {form, contract(form, left, factors[i], letters, sums, *precision), letters.str()};
  }
  return converted(form, left.value, out);
}

/// (einsum "th,ch->tc" a b ... :out type :precision p)
mlir::FailureOr<Values> TensorForms::emitEinsum(const Form *form) {
  auto call = splitKeywords(gen.messages, form, {"out", "precision"}, 2, kVariadic);
  if (!call)
    return mlir::failure();
  const Form *text = call->operands[0];
  auto wrong = [&](const Twine &message) {
    error("tensor-einsum", text, message)
        .withHint("letters for the dimensions of each factor, then of the result: \"mk,kn->mn\"");
    return mlir::failure();
  };
  if (!text->isString())
    return wrong("the first operand of `einsum` is a text in quotes, not " + text->str());
  std::string spec;
  for (char c : text->text())
    if (c != ' ')
      spec += c;
  auto [before, result] = StringRef(spec).split("->");
  if (!StringRef(spec).contains("->"))
    return wrong("`einsum` needs the dimensions of the result after `->`");
  SmallVector<StringRef> parts;
  before.split(parts, ',');
  if (parts.size() + 1 != call->operands.size())
    return wrong("the text names " + Twine(parts.size()) + (parts.size() == 1 ? " factor" : " factors") +
                 ", and there are " + Twine(call->operands.size() - 1));
  SmallVector<Factor> factors;
  // `...` stands for any number of dimensions, the last of which are the same ones in all factors.
  std::string more;
  for (auto [spelt, place] : zip(parts, drop_begin(call->operands))) {
    mlir::Value value = operand(form, place);
    if (!value)
      return mlir::failure();
    int64_t rank = cast<mlir::RankedTensorType>(value.getType()).getRank();
    std::string part = spelt.str();
    if (size_t dots = part.find("..."); dots != std::string::npos) {
      std::string letters = moreLetters(rank - int64_t(part.size() - 3));
      part.replace(dots, 3, letters);
      more = letters.size() > more.size() ? letters : more;
    }
    if (!all_of(part, [](char c) { return isAlpha(c) || (c & 0x80); }))
      return wrong("a dimension is a letter, and this text has `" + spelt + "`");
    if (rank != int64_t(part.size())) {
      error("tensor-einsum", place,
            "`" + spelt + "` names " + Twine(part.size()) + (part.size() == 1 ? " dimension" : " dimensions") +
                ", and this factor is " + gen.sizes.text(value))
          .note(text->range(), "the text is here");
      return mlir::failure();
    }
    factors.push_back({place, value, part});
  }
  std::string letters = result.str();
  if (size_t dots = letters.find("..."); dots != std::string::npos)
    letters.replace(dots, 3, more);
  result = letters;
  for (size_t i = 0; i < result.size(); ++i) {
    if (result.drop_front(i + 1).contains(result[i]))
      return wrong("the result has `" + result.substr(i, 1) + "` twice");
    if (none_of(factors, [&](const Factor &factor) { return StringRef(factor.letters).contains(result[i]); }))
      return wrong("the result has `" + result.substr(i, 1) + "`, which no factor has");
  }
  return resultOf(product(form, factors, result, *call));
}

/// (matmul a b :out type :precision p)
mlir::FailureOr<Values> TensorForms::emitMatmul(const Form *form) {
  auto call = splitKeywords(gen.messages, form, {"out", "precision"}, 2, 2);
  if (!call)
    return mlir::failure();
  SmallVector<Factor> factors;
  for (const Form *place : call->operands) {
    mlir::Value value = operand(form, place);
    if (!value)
      return mlir::failure();
    factors.push_back({place, value, ""});
  }
  SmallVector<Sizes> sizes;
  for (Factor &factor : factors)
    sizes.push_back(gen.sizes.sizes(factor.place, factor.value));
  for (auto [factor, own] : zip(factors, sizes))
    if (own.empty() || own.size() > 20) {
      error("tensor-rank", factor.place,
            "`matmul` takes [... m k] and [... k n], and these are " + gen.sizes.text(factors[0].value) + " and " +
                gen.sizes.text(factors[1].value))
          .note(factors[0].place->range(), "this factor is " + gen.sizes.text(factors[0].value))
          .withHint("other products are written by `einsum`: (einsum \"mk,k->m\" a v)");
      return mlir::failure();
    }
  std::string result = nameBatches(form, factors, sizes);
  factors[0].letters += sizes[0].size() > 1 ? "mk" : "k";
  factors[1].letters += sizes[1].size() > 1 ? "kn" : "k";
  result += sizes[0].size() > 1 ? "m" : "";
  result += sizes[1].size() > 1 ? "n" : "";
  return resultOf(product(form, factors, result, *call));
}

/// Letters for the dimensions before the last two, which broadcast: equal ones for those at the same distance from the
/// end. Of a dimension of size 1 beside another one the factor is rid. Returns those of the result.
std::string TensorForms::nameBatches(const Form *form, MutableArrayRef<Factor> factors, ArrayRef<Sizes> sizes) {
  auto batches = [&](size_t i) { return std::max<int64_t>(0, int64_t(sizes[i].size()) - 2); };
  int64_t most = std::max(batches(0), batches(1));
  std::string result;
  for (int64_t d : seq(most))
    result += char('A' + d);
  for (size_t i : {0, 1}) {
    SmallBitVector dropped(sizes[i].size());
    int64_t own = batches(i), others = batches(1 - i);
    for (int64_t d : seq(own)) {
      int64_t other = d - own + others;
      bool isSpread =
          TensorSizes::known(sizes[i][d]) == 1 && other >= 0 && TensorSizes::known(sizes[1 - i][other]) != 1;
      if (isSpread)
        dropped.set(d);
      else
        factors[i].letters += result[most - own + d];
    }
    if (dropped.any())
      factors[i].value = withoutUnits(factors[i].place, factors[i].value, dropped);
  }
  return result;
}
} // namespace lispier
