//===- TileProducts.cpp - (dot a b acc) -----------------------------------===//
#include "Core/FormEvaluator.h"
#include "Core/KeywordOperands.h"
#include "Core/Messages.h"
#include "Core/ValueTypes.h"
#include "TileForms.h"
#include "ValueParts.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace llvm;
namespace vector = mlir::vector;

namespace lispier {
namespace {
/// The type of the sums of products of `element`; null if there are no such products.
mlir::Type sumType(mlir::Type element) {
  mlir::Builder builder(element.getContext());
  if (element.isF64())
    return builder.getF64Type();
  if (element.isInteger(8))
    return builder.getI32Type();
  return element.isF32() || element.isF16() || element.isBF16() ? mlir::Type(builder.getF32Type()) : mlir::Type();
}

/// Whether this op exchanges the last two dimensions and nothing else.
bool exchangesLastTwo(vector::TransposeOp transpose) {
  ArrayRef<int64_t> axes = transpose.getPermutation();
  int64_t rank = axes.size();
  for (int64_t i = 0; i < rank - 2; ++i)
    if (axes[i] != i)
      return false;
  return rank >= 2 && axes[rank - 1] == rank - 2;
}

int64_t rows(ArrayRef<int64_t> shape, bool transposed) { return shape[shape.size() - (transposed ? 1 : 2)]; }
int64_t columns(ArrayRef<int64_t> shape, bool transposed) { return shape[shape.size() - (transposed ? 2 : 1)]; }
} // namespace

/// An operand of a product. A transposition before it becomes a part of the product.
std::optional<TileForms::Factor> TileForms::factor(const Form *form, const Form *place, const Form *transposed) {
  if (transposed && !transposed->isBool()) {
    error("macro-shape", transposed,
          "whether an operand of `dot` is transposed is true or false, not " + transposed->str());
    return std::nullopt;
  }
  mlir::Value value = tile(form, place);
  if (!value)
    return std::nullopt;
  size_t rank = shapeOf(value).size();
  if (rank < 2 || rank > 3) {
    error("tile-shape", place,
          "`dot` multiplies tiles of 2 dimensions, or 3 with a batch, and this is " + typeText(value.getType()))
        .withHint(rank == 1 ? "(reshape tile [1 n]) makes a row, [n 1] a column" : "");
    return std::nullopt;
  }
  bool turned = transposed && transposed->boolean();
  if (auto transpose = value.getDefiningOp<vector::TransposeOp>(); transpose && exchangesLastTwo(transpose)) {
    value = transpose.getVector();
    turned = !turned;
    if (place->isList() && transpose->use_empty()) // Written in place; a name may be used again.
      transpose->erase();
  }
  return Factor{place, value, turned};
}

bool TileForms::checkFactors(const Form *form, const Factor &a, const Factor &b) {
  mlir::Type left = mlir::getElementTypeOrSelf(a.value.getType()),
             right = mlir::getElementTypeOrSelf(b.value.getType());
  auto isSplit = [](mlir::Type f32, mlir::Type narrow) { return f32.isF32() && (narrow.isBF16() || narrow.isF16()); };
  bool isMixed = isSplit(left, right) || isSplit(right, left);
  if ((left != right && !isMixed) || !sumType(left)) {
    bool isInteger = left.isIntOrIndex() && right.isIntOrIndex();
    error("tile-product", left != right ? b.place : a.place,
          left != right ? "no instruction multiplies " + mlir::debugString(left) + " by " + mlir::debugString(right)
                        : "no instruction multiplies tiles of " + mlir::debugString(left))
        .note((left != right ? a : b).place->range(),
              "the other operand is " + typeText((left != right ? a : b).value.getType()))
        .withHint("there are bf16, f16 and f32, also one of them by f32 (sums in f32), f64, and i8 (sums in i32); " +
                  std::string(isInteger ? "(cast i8 tile)" : "(cast bf16 tile)") + " converts");
    return false;
  }
  ArrayRef<int64_t> x = shapeOf(a.value), y = shapeOf(b.value);
  auto mismatch = [&](const Twine &what) {
    error("tile-shape", b.place, "`dot`: " + what)
        .note(a.place->range(),
              "this operand is " + typeText(a.value.getType()) + (a.transposed ? ", transposed" : ""));
    return false;
  };
  if (x.size() != y.size())
    return mismatch("one operand has a batch dimension, the other none: " + shapeText(x) + " and " + shapeText(y));
  if (columns(x, a.transposed) != rows(y, b.transposed))
    return mismatch("the inner sizes " + Twine(columns(x, a.transposed)) + " and " + Twine(rows(y, b.transposed)) +
                    " differ, of shapes " + shapeText(x) + (a.transposed ? " (transposed)" : "") + " and " +
                    shapeText(y) + (b.transposed ? " (transposed)" : ""));
  if (x.size() == 3 && x[0] != y[0])
    return mismatch("the batch sizes " + Twine(x[0]) + " and " + Twine(y[0]) + " differ, of shapes " + shapeText(x) +
                    " and " + shapeText(y));
  return true;
}

/// The tile that the products are added to; zeros if none is given.
mlir::Value TileForms::accumulator(const Form *form, const Form *given, ArrayRef<int64_t> shape, mlir::Type element) {
  auto type = mlir::VectorType::get(shape, element);
  if (!given)
    return make<mlir::arith::ConstantOp>(form, cast<mlir::TypedAttr>(builder.getZeroAttr(type)));
  mlir::Value value = gen.evaluator->emitValue(given, type);
  if (!value || value.getType() == type)
    return value;
  Diag &diag = error("tile-shape", given,
                     "this product is added to a tile of " + typeText(type) + ", not to " + typeText(value.getType()));
  if (isTile(value.getType()) && shapeOf(value) == shape)
    diag.withHint("(cast " + mlir::debugString(element) + " " + given->str() + ") converts");
  else
    diag.withHint("(zeros " + mlir::debugString(element) + " " + shapeText(shape) + ") has that type");
  return {};
}

/// The type of both factors, of which one may be f32 and the other narrower.
mlir::Type TileForms::widenMixed(const Form *form, Factor &a, Factor &b) {
  mlir::Type element = mlir::getElementTypeOrSelf(a.value.getType());
  if (element == mlir::getElementTypeOrSelf(b.value.getType()))
    return element;
  mlir::Type f32 = builder.getF32Type();
  for (Factor *factor : {&a, &b})
    if (auto type = cast<mlir::VectorType>(factor->value.getType()); !type.getElementType().isF32())
      factor->value = make<mlir::arith::ExtFOp>(form, type.clone(f32), factor->value);
  return f32;
}

std::optional<tile::Precision> TileForms::precision(const Form *given, mlir::Type element) {
  if (!given)
    return tile::Precision::F32;
  std::optional<tile::Precision> chosen;
  if (given->isSymbol())
    chosen = tile::symbolizePrecision(given->text());
  if (!chosen) {
    error("tile-precision", given, "a product has no precision `" + given->str() + "`")
        .withHint("there are f32 (exact factors), tf32x3 and bf16x3 (as two terms each), tf32 and bf16 (rounded)");
    return std::nullopt;
  }
  if (*chosen != tile::Precision::F32 && (element.isF64() || element.isInteger())) {
    error("tile-precision", given,
          "a precision is for factors of f32, and these are of " + mlir::debugString(element) + ", which are exact")
        .withHint("leave out `:precision`");
    return std::nullopt;
  }
  return chosen;
}

/// The indexing maps and the kinds of the iterators of a product with so many leading dimensions of a batch.
std::pair<mlir::ArrayAttr, mlir::ArrayAttr> TileForms::productMaps(unsigned batch, const Factor &a, const Factor &b) {
  auto dimension = [&](unsigned i) { return builder.getAffineDimExpr(i); };
  mlir::AffineExpr m = dimension(batch), n = dimension(batch + 1), k = dimension(batch + 2);
  auto indices = [&](mlir::AffineExpr row, mlir::AffineExpr column, bool transposed) {
    SmallVector<mlir::AffineExpr> all;
    if (batch)
      all.push_back(dimension(0));
    all.push_back(transposed ? column : row);
    all.push_back(transposed ? row : column);
    return all;
  };
  SmallVector<vector::IteratorType> iterators(batch + 2, vector::IteratorType::parallel);
  iterators.push_back(vector::IteratorType::reduction);
  SmallVector<mlir::AffineMap> maps;
  for (const auto &list : {indices(m, k, a.transposed), indices(k, n, b.transposed), indices(m, n, false)})
    maps.push_back(mlir::AffineMap::get(batch + 3, 0, list, &context));
  auto kinds = llvm::map_to_vector(iterators, [&](vector::IteratorType type) -> mlir::Attribute {
    return vector::IteratorTypeAttr::get(&context, type);
  });
  return {builder.getAffineMapArrayAttr(maps), builder.getArrayAttr(kinds)};
}

/// (dot a b acc? :transpose-a true :transpose-b true :precision bf16x3)
mlir::FailureOr<Values> TileForms::emitDot(const Form *form) {
  auto call = splitKeywords(gen.messages, form, {"transpose-a", "transpose-b", "precision"}, 2, 3);
  if (!call)
    return mlir::failure();
  auto a = factor(form, call->operands[0], call->get("transpose-a"));
  auto b = factor(form, call->operands[1], call->get("transpose-b"));
  if (!a || !b || !checkFactors(form, *a, *b))
    return mlir::failure();
  mlir::Type element = widenMixed(form, *a, *b);
  auto precision = this->precision(call->get("precision"), element);
  if (!precision)
    return mlir::failure();
  ArrayRef<int64_t> x = shapeOf(a->value), y = shapeOf(b->value);
  SmallVector<int64_t> shape(x.drop_back(2));
  shape.push_back(rows(x, a->transposed));
  shape.push_back(columns(y, b->transposed));
  mlir::Value sums =
      accumulator(form, call->operands.size() == 3 ? call->operands[2] : nullptr, shape, sumType(element));
  if (!sums)
    return mlir::failure();
  auto [maps, iterators] = productMaps(x.size() - 2, *a, *b);
  auto product = make<vector::ContractionOp>(form, a->value, b->value, sums, maps, iterators);
  if (element.isF32() && *precision != tile::Precision::F32)
    product->setAttr(tile::kPrecision, tile::PrecisionAttr::get(&context, *precision));
  return Values{product};
}
} // namespace lispier
