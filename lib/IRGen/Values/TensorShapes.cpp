//===- TensorShapes.cpp - reshape, transpose, concat, pad -----------------===//
#include "Core/ConstantIntegers.h"
#include "Core/FormEvaluator.h"
#include "Core/KeywordOperands.h"
#include "Core/LiteralValues.h"
#include "Core/Literals.h"
#include "Core/Messages.h"
#include "Core/ValueTypes.h"
#include "TensorForms.h"
#include "TensorSizes.h"
#include "ValueForms.h"
#include "ValueParts.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace llvm;
namespace tensor = mlir::tensor;

namespace lispier {
namespace {
/// A product of sizes: a number times values.
struct Product {
  int64_t number = 1;
  SmallVector<Size> values;

  /// A size that is computed as a product is its factors: so (reshape x [t g r d]) divides the dimension h = g r only,
  /// also if the others are not known to stay.
  void multiply(Size size) {
    auto value = dyn_cast<mlir::Value>(size);
    auto product = value ? value.getDefiningOp<mlir::arith::MulIOp>() : mlir::arith::MulIOp();
    if (std::optional<int64_t> known = TensorSizes::known(size)) {
      number *= *known;
    } else if (product) {
      multiply(product.getLhs());
      multiply(product.getRhs());
    } else {
      values.push_back(size);
    }
  }
  /// Removes the values that `other` has too, from both.
  void cancel(Product &other, const TensorSizes &sizes) {
    for (size_t i = 0; i < values.size();) {
      auto *same = find_if(other.values, [&](Size value) { return sizes.areEqual(value, values[i]); });
      if (same == other.values.end()) {
        ++i;
        continue;
      }
      other.values.erase(same);
      values.erase(values.begin() + i);
    }
  }
};

Product productOf(ArrayRef<Size> sizes) {
  Product product;
  for (Size size : sizes)
    product.multiply(size);
  return product;
}

bool areSame(ArrayRef<Size> a, ArrayRef<Size> b, const TensorSizes &sizes) {
  Product left = productOf(a), right = productOf(b);
  left.cancel(right, sizes);
  return left.number == right.number && left.values.empty() && right.values.empty();
}

/// Divides dimensions into the smallest groups whose products are equal, one after the other. Dimensions that no group
/// ends with join the last one; without any group, all dimensions are one. So they are where a tensor of no elements
/// has other sizes beside its 0 than the result has.
struct Groups {
  SmallVector<mlir::ReassociationIndices> from, to;

  Groups(ArrayRef<Size> a, ArrayRef<Size> b, const TensorSizes &sizes) {
    size_t i = 0, j = 0;
    while (i < a.size() && j < b.size()) {
      std::optional<std::pair<size_t, size_t>> best;
      for (size_t p = i + 1; p <= a.size(); ++p)
        for (size_t q = j + 1; q <= b.size(); ++q)
          if ((!best || p + q < best->first + best->second) && areSame(a.slice(i, p - i), b.slice(j, q - j), sizes))
            best = {p, q};
      if (!best)
        break;
      add(i, best->first, j, best->second);
      std::tie(i, j) = *best;
    }
    if (i == a.size() && j == b.size())
      return;
    if (from.empty() || !areSame(a.drop_front(i), b.drop_front(j), sizes)) {
      auto isZero = [](Size size) { return TensorSizes::known(size) == 0; };
      if (any_of(a, isZero) || any_of(b, isZero)) {
        from.clear();
        to.clear();
        add(0, a.size(), 0, b.size());
        return;
      }
      if (i == a.size() || j == b.size()) { // Only one side is left: its sizes belong to the last group.
        if (from.empty())
          return;
        append_range(from.back(), seq<int64_t>(i, a.size()));
        append_range(to.back(), seq<int64_t>(j, b.size()));
        return;
      }
      add(i, a.size(), j, b.size());
      return;
    }
    append_range(from.back(), seq<int64_t>(i, a.size()));
    append_range(to.back(), seq<int64_t>(j, b.size()));
  }

  void add(size_t i, size_t p, size_t j, size_t q) {
    from.push_back(to_vector<2>(seq<int64_t>(i, p)));
    to.push_back(to_vector<2>(seq<int64_t>(j, q)));
  }
};

bool mergesAny(ArrayRef<mlir::ReassociationIndices> groups) {
  return any_of(groups, [](const mlir::ReassociationIndices &group) { return group.size() > 1; });
}
} // namespace

/// The elements in another shape, which has as many of them.
mlir::Value TensorForms::reshaped(const Form *form, mlir::Value value, ArrayRef<Size> shape) {
  Sizes own = gen.sizes.sizes(form, value);
  mlir::Type element = mlir::getElementTypeOrSelf(value.getType());
  SmallVector<int64_t> fixed;
  Sizes dynamic(shape);
  for (Size &size : dynamic) {
    fixed.push_back(TensorSizes::known(size).value_or(mlir::ShapedType::kDynamic));
    size = TensorSizes::known(size) ? Size(builder.getIndexAttr(fixed.back())) : size;
  }
  auto type = mlir::RankedTensorType::get(fixed, element);
  value = gen.sizes.refined(form, value, own);
  SmallVector<mlir::ReassociationIndices> none;
  auto cast = [&](mlir::Value from, mlir::RankedTensorType to) {
    return from.getType() == to ? from : make<tensor::CastOp>(form, to, from).getResult();
  };
  if (shape.empty() || own.empty()) { // All sizes are 1, and the types have to say so.
    size_t rank = std::max(shape.size(), own.size());
    auto ones = mlir::RankedTensorType::get(SmallVector<int64_t>(rank, 1), element);
    if (own.empty())
      return rank ? cast(make<tensor::ExpandShapeOp>(form, ones, value, none), type) : value;
    return make<tensor::CollapseShapeOp>(form, type, cast(value, ones), none);
  }
  Groups groups(own, shape, gen.sizes);
  if (mergesAny(groups.from))
    value = make<tensor::CollapseShapeOp>(form, value, groups.from);
  if (mergesAny(groups.to)) {
    // What is divided has a known size exactly if all its parts have one.
    SmallVector<int64_t> merged;
    for (const mlir::ReassociationIndices &group : groups.to) {
      int64_t size = 1;
      for (int64_t d : group)
        size = mlir::ShapedType::isDynamic(fixed[d]) || mlir::ShapedType::isDynamic(size) ? mlir::ShapedType::kDynamic
                                                                                          : size * fixed[d];
      merged.push_back(size);
    }
    value = cast(value, mlir::RankedTensorType::get(merged, element));
    return make<tensor::ExpandShapeOp>(form, type, value, groups.to, dynamic);
  }
  return cast(value, type);
}

/// (reshape tensor [size ...]): one size may be _
mlir::FailureOr<Values> TensorForms::reshape(const Form *form, mlir::Value value) {
  const Form *vector = (*form)[2];
  std::optional<size_t> open;
  if (vector->isVector())
    for (auto [i, item] : enumerate(vector->items()))
      if (item->isSymbol("_")) {
        if (open) {
          error("tensor-size", item, "`reshape` finds one size, and _ is there twice");
          return mlir::failure();
        }
        open = i;
      }
  FormArena arena;
  SmallVector<const Form *> given(vector->isVector() ? vector->items() : ArrayRef<const Form *>());
  if (open)
    given.erase(given.begin() + *open);
  const Form *sizes = open ? arena.vector(given, vector->range(), vector->expansion()) : vector;
  std::optional<Sizes> shape = gen.sizes.read(form, sizes);
  if (!shape)
    return mlir::failure();
  Sizes own = gen.sizes.sizes(form, value);
  Product all = productOf(own), wanted = productOf(*shape);
  all.cancel(wanted, gen.sizes);
  auto differ = [&]() -> mlir::FailureOr<Values> {
    error("tensor-shape", vector,
          "`reshape` keeps the number of elements, and " + gen.sizes.text(value) + " does not become " + vector->str())
        .note((*form)[1]->range(), "this operand is " + gen.sizes.text(value))
        .withHint("one size may be _: it follows from the others");
    return mlir::failure();
  };
  auto valueOf = [&](const Product &product) {
    Sizes parts(product.values.begin(), product.values.end());
    parts.push_back(builder.getIndexAttr(product.number));
    return gen.sizes.product(form, parts);
  };
  if (open) {
    Size size;
    if (wanted.values.empty() && wanted.number && all.number % wanted.number == 0) {
      all.number /= wanted.number;
      size = valueOf(all);
    } else if (all.values.empty() && wanted.values.empty())
      return differ();
    else {
      mlir::Value left = gen.sizes.value(form, valueOf(all)), right = gen.sizes.value(form, valueOf(wanted));
      size = make<mlir::arith::DivSIOp>(form, left, right).getResult();
      Sizes back{size, Size(right)};
      gen.sizes.check(form, left, gen.sizes.product(form, back), "tensor-shape",
                      "`reshape`: %ld elements do not divide into parts of %ld", {left, right});
    }
    shape->insert(shape->begin() + *open, size);
    gen.sizes.checkBytes(form, *shape, mlir::getElementTypeOrSelf(value.getType()));
  } else if (all.values.empty() && wanted.values.empty()) {
    if (all.number != wanted.number)
      return differ();
  } else {
    SmallVector<Size> numbers;
    std::string text = runShape(form, value, numbers);
    gen.sizes.checkBytes(form, *shape, mlir::getElementTypeOrSelf(value.getType()));
    Size before = gen.sizes.product(form, own), after = gen.sizes.product(form, *shape);
    numbers.push_back(after);
    gen.sizes.check(form, before, after, "tensor-shape",
                    "`reshape` keeps the number of elements, and a tensor of shape " + text +
                        " does not have %ld of them",
                    numbers);
  }
  return Values{reshaped(form, value, *shape)};
}

/// (broadcast value [size ...])
mlir::FailureOr<Values> TensorForms::broadcast(const Form *form, mlir::Value value) {
  std::optional<Sizes> shape = gen.sizes.read(form, (*form)[2]);
  if (!shape)
    return mlir::failure();
  if (!isTensor(value))
    return Values{filled(form, *shape, value)};
  Sizes own = gen.sizes.sizes(form, value);
  size_t missing = shape->size() - own.size();
  bool fits = own.size() <= shape->size();
  for (size_t i = 0; fits && i < own.size(); ++i) {
    std::optional<int64_t> mine = TensorSizes::known(own[i]), wanted = TensorSizes::known((*shape)[i + missing]);
    fits = !mine || mine == 1 || !wanted || mine == wanted;
    if (fits && mine != 1)
      gen.sizes.check(form, own[i], (*shape)[i + missing], "tensor-shape",
                      "`broadcast`: a dimension of size %ld does not become one of size %ld",
                      {own[i], (*shape)[i + missing]});
  }
  if (!fits) {
    error("tensor-shape", (*form)[2],
          "a tensor of " + gen.sizes.text(value) + " does not broadcast to " + (*form)[2]->str())
        .note((*form)[1]->range(), "this operand is " + gen.sizes.text(value))
        .withHint("sizes are compared from the last one; only a size of 1 is repeated");
    return mlir::failure();
  }
  Inputs inputs;
  addInput((*form)[1], value, *shape, inputs);
  mlir::Value init = empty(form, *shape, mlir::getElementTypeOrSelf(value.getType()));
  SmallVector<mlir::utils::IteratorType> iterators(shape->size(), mlir::utils::IteratorType::parallel);
  return Values{generic(form, inputs, init, builder.getMultiDimIdentityMap(shape->size()), iterators,
                        [](mlir::ValueRange numbers) { return Values{numbers[0]}; })[0]};
}

mlir::FailureOr<Values> TensorForms::transpose(const Form *form, mlir::Value value, ArrayRef<int64_t> axes) {
  return Values{transposed(form, value, axes)};
}

mlir::Value TensorForms::transposed(const Form *form, mlir::Value value, ArrayRef<int64_t> axes) {
  Sizes own = gen.sizes.sizes(form, value), shape;
  SmallVector<mlir::AffineExpr> results(axes.size());
  for (auto [i, axis] : enumerate(axes)) {
    shape.push_back(own[axis]);
    results[axis] = builder.getAffineDimExpr(i);
  }
  Inputs inputs{{value}, {mlir::AffineMap::get(axes.size(), 0, results, &context)}};
  mlir::Value init = empty(form, shape, mlir::getElementTypeOrSelf(value.getType()));
  SmallVector<mlir::utils::IteratorType> iterators(axes.size(), mlir::utils::IteratorType::parallel);
  return generic(form, inputs, init, builder.getMultiDimIdentityMap(axes.size()), iterators,
                 [](mlir::ValueRange numbers) { return Values{numbers[0]}; })[0];
}

mlir::Value TensorForms::insert(const Form *form, mlir::Value part, mlir::Value whole, ArrayRef<Size> offsets) {
  return insert(form, part, whole, offsets, gen.sizes.sizes(form, part));
}

mlir::Value TensorForms::insert(const Form *form, mlir::Value part, mlir::Value whole, ArrayRef<Size> offsets,
                                Sizes sizes) {
  // MLIR rejects the offset 0 in a dimension of size 0; the part may leave it open that it has none.
  if (TensorSizes::hasZero(sizes) || llvm::is_contained(cast<mlir::RankedTensorType>(whole.getType()).getShape(), 0))
    return whole;
  if (offsets.size() == sizes.size() && all_of(offsets, mlir::isZeroInteger)) {
    Sizes all = gen.sizes.sizes(form, whole);
    if (all_of(zip(sizes, all), [&](auto each) { return gen.sizes.areEqual(std::get<0>(each), std::get<1>(each)); }))
      for (auto [d, size] : enumerate(sizes)) // So that later passes see that it is all of the tensor.
        if (!TensorSizes::known(size))
          size = make<tensor::DimOp>(form, whole, d).getResult();
  }
  sizes.insert(sizes.begin(), offsets.size() - sizes.size(), builder.getIndexAttr(1));
  SmallVector<mlir::OpFoldResult> strides(offsets.size(), builder.getIndexAttr(1));
  return make<tensor::InsertSliceOp>(form, part, whole, SmallVector<mlir::OpFoldResult>(offsets),
                                     SmallVector<mlir::OpFoldResult>(sizes.begin(), sizes.end()), strides);
}

/// The axis that a call gives, of a tensor of `rank` dimensions.
std::optional<int64_t> TensorForms::axisOf(const KeywordOperands &call, int64_t rank, int64_t otherwise) {
  const Form *given = call.get("axis");
  if (!given || (given->isSymbol("_") && rank <= 1))
    return otherwise;
  if (given->isSymbol("_")) { // A function's caller has left it out.
    error("tensor-axis", given, "a tensor of " + Twine(rank) + " dimensions needs an axis, :axis n");
    return std::nullopt;
  }
  SmallVector<int64_t> shape(rank, mlir::ShapedType::kDynamic);
  return gen.values.axis(given, shape, "tensor");
}

/// (concat a b ... :axis n), (stack a b ... :axis n)
mlir::FailureOr<Values> TensorForms::emitConcat(const Form *form, SpecialForm kind) {
  auto call = splitKeywords(gen.messages, form, {"axis"}, 1, kVariadic);
  if (!call)
    return mlir::failure();
  Values parts;
  for (const Form *place : call->operands) {
    parts.push_back(operand(form, place));
    if (!parts.back())
      return mlir::failure();
  }
  if (!gen.literalValues.agree(parts))
    return mlir::failure();
  bool stacks = kind == SpecialForm::Stack;
  std::optional<int64_t> axis = axisOf(*call, cast<mlir::RankedTensorType>(parts[0].getType()).getRank() + stacks, 0);
  return axis ? resultOf(joinedAlong(form, call->operands, parts, *axis, stacks))
              : mlir::FailureOr<Values>(mlir::failure());
}

mlir::Value TensorForms::stacked(const Form *form, Places places, mlir::ValueRange parts) {
  return joinedAlong(form, places, parts, 0, /*stacks=*/true);
}

mlir::Value TensorForms::joinedAlong(const Form *form, Places places, mlir::ValueRange parts, int64_t axis,
                                     bool stacks) {
  StringRef name = stacks ? "stack" : "concat";
  auto first = cast<mlir::RankedTensorType>(parts[0].getType());
  Sizes shape = gen.sizes.sizes(places[0], parts[0]);
  for (auto [place, part] : drop_begin(zip(places, parts))) {
    auto type = cast<mlir::RankedTensorType>(part.getType());
    bool fits = type.getRank() == first.getRank() && type.getElementType() == first.getElementType();
    Sizes sizes = gen.sizes.sizes(place, part);
    for (int64_t d = 0; fits && d < first.getRank(); ++d) {
      if (d == axis && !stacks)
        continue;
      std::optional<int64_t> a = TensorSizes::known(shape[d]), b = TensorSizes::known(sizes[d]);
      fits = !a || !b || *a == *b;
      if (fits)
        gen.sizes.check(place, shape[d], sizes[d], "tensor-shape",
                        "`" + name + "`: the sizes of dimension " + Twine(d) + " are %ld and %ld",
                        {shape[d], sizes[d]});
    }
    if (fits)
      continue;
    error("tensor-shape", place,
          "`" + name + "` takes tensors of one type " +
              (stacks ? "and one shape" : "that differ along axis " + std::to_string(axis) + " only") +
              ", and these are " + gen.sizes.text(parts[0]) + " and " + gen.sizes.text(part))
        .note(places[0]->range(), "this operand is " + gen.sizes.text(parts[0]))
        .withHint(type.getElementType() == first.getElementType()
                      ? ""
                      : "(cast " + mlir::debugString(first.getElementType()) + " " + place->str() + ") converts");
    return {};
  }
  if (parts.size() == 1) // Nothing is joined, so that nothing is copied.
    return stacks ? withUnits(places[0], parts[0], axis, shape.size() + 1) : parts[0];
  Sizes offsets(shape.size() + stacks, builder.getIndexAttr(0));
  if (stacks)
    shape.insert(shape.begin() + axis, builder.getIndexAttr(parts.size()));
  else
    for (auto [place, part] : drop_begin(zip(places, parts)))
      shape[axis] = sum(place, shape[axis], gen.sizes.size(place, part, axis));
  mlir::Value whole = empty(form, shape, first.getElementType());
  for (auto [i, place] : enumerate(places)) {
    mlir::Value part = stacks ? withUnits(place, parts[i], axis, shape.size()) : parts[i];
    whole = insert(place, part, whole, offsets);
    offsets[axis] = sum(place, offsets[axis], gen.sizes.size(place, part, axis));
  }
  return whole;
}

Size TensorForms::sum(const Form *form, Size a, Size b) {
  std::optional<int64_t> left = TensorSizes::known(a), right = TensorSizes::known(b);
  if (left && right)
    return builder.getIndexAttr(*left + *right);
  if (left == 0 || right == 0)
    return left == 0 ? b : a;
  return make<mlir::arith::AddIOp>(form, gen.sizes.value(form, a), gen.sizes.value(form, b)).getResult();
}

/// What `pad` and `windows` put around the elements: 0 without a form; null after an error.
mlir::Value TensorForms::numberAround(const Form *form, const Form *place, mlir::Type element) {
  if (!place)
    return make<mlir::arith::ConstantOp>(form, cast<mlir::TypedAttr>(builder.getZeroAttr(element)));
  mlir::Value number =
      gen.literals.isLiteral(place) ? gen.literals.constant(place, element) : gen.evaluator->emitValue(place, element);
  if (!number || number.getType() == element)
    return number;
  error("type-mismatch", place,
        "the value around a tensor of " + mlir::debugString(element) + " is " + typeText(number.getType()))
      .withHint("(cast " + mlir::debugString(element) + " " + place->str() + ") converts");
  return {};
}

/// (pad tensor [[before after] ...] value)
mlir::FailureOr<Values> TensorForms::emitPad(const Form *form) {
  mlir::Value value = operand(form, (*form)[1]);
  if (!value)
    return mlir::failure();
  auto type = cast<mlir::RankedTensorType>(value.getType());
  const Form *pairs = (*form)[2];
  bool isShape = pairs->isVector() && int64_t(pairs->size()) == type.getRank() &&
                 all_of(pairs->items(), [](const Form *pair) { return pair->isVector() && pair->size() == 2; });
  if (!isShape) {
    error("tensor-shape", pairs,
          "`pad` of " + gen.sizes.text(value) + " takes a vector of " + Twine(type.getRank()) +
              (type.getRank() == 1 ? " pair" : " pairs") + " of numbers, not " + pairs->str())
        .withHint("write " + findSpecialForm("pad")->syntax);
    return mlir::failure();
  }
  Sizes shape = gen.sizes.sizes(form, value), offsets;
  for (auto [i, pair] : enumerate(pairs->items())) {
    std::optional<Sizes> both = gen.sizes.read(form, pair);
    if (!both)
      return mlir::failure();
    offsets.push_back((*both)[0]);
    shape[i] = sum(pair, sum(pair, (*both)[0], shape[i]), (*both)[1]);
  }
  mlir::Type element = type.getElementType();
  mlir::Value number = numberAround(form, form->size() == 3 ? nullptr : (*form)[3], element);
  if (!number)
    return mlir::failure();
  return Values{insert(form, value, filled(form, shape, number), offsets)};
}
} // namespace lispier
