//===- TensorSlices.cpp - parts of tensors read and replaced --------------===//
#include "Core/ConstantIntegers.h"
#include "Core/KeywordOperands.h"
#include "Core/Literals.h"
#include "Core/Messages.h"
#include "TensorForms.h"
#include "TensorSizes.h"
#include "ValueForms.h"
#include "ValueParts.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace llvm;
namespace arith = mlir::arith;
namespace tensor = mlir::tensor;

namespace lispier {
/// The offsets of a part, one for each dimension.
std::optional<Sizes> TensorForms::offsets(const Form *form, const Form *vector, ArrayRef<Size> sizes) {
  if (!vector->isVector() || vector->size() != sizes.size()) {
    error("tensor-rank", vector,
          "`" + form->head() + "` takes " + Twine(sizes.size()) + (sizes.size() == 1 ? " offset" : " offsets") +
              " in a vector, one for each dimension" + ", not " + vector->str());
    return std::nullopt;
  }
  Sizes all;
  for (const Form *item : vector->items()) {
    std::optional<int64_t> number = gen.literals.integerOf(item);
    mlir::Value value = number ? mlir::Value() : gen.sizes.index(item, "an offset");
    if (!number && !value)
      return std::nullopt;
    all.push_back(number ? Size(builder.getIndexAttr(*number)) : Size(value));
  }
  return all;
}

/// Checks that [offset, offset + size) is inside of a dimension, while compiling or when the program runs.
bool TensorForms::checkRange(const Form *place, const Form *form, mlir::Value value, int64_t dimension, Size offset,
                             Size size) {
  Size whole = gen.sizes.size(place, value, dimension);
  std::optional<int64_t> from = TensorSizes::known(offset), count = TensorSizes::known(size),
                         limit = TensorSizes::known(whole);
  if ((from && *from < 0) || (count && *count < 0) || (from && count && limit && *from + *count > *limit)) {
    Diag &diag = error("tensor-range", place,
                       "`" + form->head() + "`: the part from " + Twine(from.value_or(0)) +
                           (count ? " of size " + std::to_string(*count) : std::string()) +
                           " is not inside of dimension " + Twine(dimension) + " of " + gen.sizes.text(value));
    diag.note((*form)[1]->range(), "this operand is " + gen.sizes.text(value));
    if (count && limit && *count >= 0)
      diag.withHint(*count <= *limit ? "it begins at 0 to " + Twine(*limit - *count)
                                     : "a part has at most the " + Twine(*limit) + " elements of the dimension");
    return false;
  }
  if ((from && count && limit) || (from == 0 && gen.sizes.areEqual(size, whole)))
    return true;
  mlir::Value zero = gen.literals.constantInt(place, builder.getIndexType(), 0), start = gen.sizes.value(place, offset),
              end = gen.sizes.value(place, sum(place, offset, size));
  auto compare = [&](arith::CmpIPredicate predicate, mlir::Value a, mlir::Value b) {
    return make<arith::CmpIOp>(place, predicate, a, b).getResult();
  };
  mlir::Value holds =
      make<arith::AndIOp>(place, compare(arith::CmpIPredicate::sge, start, zero),
                          make<arith::AndIOp>(place, compare(arith::CmpIPredicate::sge, end, start),
                                              compare(arith::CmpIPredicate::sle, end, gen.sizes.value(place, whole))));
  gen.sizes.require(place, holds, "tensor-range",
                    "`" + form->head() + "`: the part from %ld to %ld is not inside of dimension " + Twine(dimension) +
                        ", which has the size %ld",
                    {offset, Size(end), whole});
  return true;
}

/// A part of a tensor, without its `dropped` first dimensions, which have the size 1.
mlir::Value TensorForms::extract(const Form *form, mlir::Value value, ArrayRef<Size> offsets, ArrayRef<Size> sizes,
                                 unsigned dropped) {
  if (TensorSizes::hasZero(sizes)) // MLIR rejects the offset 3 in a dimension of size 3.
    return empty(form, sizes.drop_front(dropped), mlir::getElementTypeOrSelf(value.getType()));
  SmallVector<int64_t> shape;
  SmallVector<mlir::OpFoldResult> extents;
  for (Size size : sizes) {
    std::optional<int64_t> known = TensorSizes::known(size);
    extents.push_back(known ? mlir::OpFoldResult(builder.getIndexAttr(*known)) : size);
    shape.push_back(known.value_or(mlir::ShapedType::kDynamic));
  }
  auto type =
      mlir::RankedTensorType::get(ArrayRef(shape).drop_front(dropped), mlir::getElementTypeOrSelf(value.getType()));
  SmallVector<mlir::OpFoldResult> starts(offsets), strides(sizes.size(), builder.getIndexAttr(1));
  return make<tensor::ExtractSliceOp>(form, type, value, starts, extents, strides);
}

Size TensorForms::minus(const Form *form, Size a, Size b) {
  std::optional<int64_t> left = TensorSizes::known(a), right = TensorSizes::known(b);
  if (left && right)
    return builder.getIndexAttr(*left - *right);
  if (right == 0)
    return a;
  return make<arith::SubIOp>(form, gen.sizes.value(form, a), gen.sizes.value(form, b)).getResult();
}

/// The value of :step, which is not 0; 1 without it, nullopt after an error.
std::optional<int64_t> TensorForms::stepOf(const KeywordOperands &call) {
  const Form *given = call.get("step");
  if (!given)
    return 1;
  bool failed;
  std::optional<int64_t> step = gen.integers.evaluate(given, failed);
  if (failed || (step && *step != 0))
    return step;
  error("tensor-range", given,
        step ? Twine("the step 0 takes no other element")
             : "the step of `slice` is a constant, and `" + given->str() + "` is known only when the program runs");
  return std::nullopt;
}

/// (slice tensor :axis k :from a :size n)
mlir::FailureOr<Values> TensorForms::emitSliceOfSize(const Form *form, const KeywordOperands &call, mlir::Value value,
                                                     int64_t axis, Size from) {
  const Form *given = call.get("size");
  if (const Form *other = call.get("to") ? call.get("to") : call.get("step")) {
    error("macro-shape", other, "`slice` takes :size, or :to and :step, not both");
    return mlir::failure();
  }
  std::optional<int64_t> number = gen.literals.integerOf(given);
  mlir::Value index = number ? mlir::Value() : gen.sizes.index(given, "a size of a tensor");
  if (!number && !index)
    return mlir::failure();
  Sizes sizes = gen.sizes.sizes(form, value), starts(sizes.size(), builder.getIndexAttr(0));
  starts[axis] = from;
  sizes[axis] = number ? Size(builder.getIndexAttr(*number)) : Size(index);
  if (!checkRange(given, form, value, axis, from, sizes[axis]))
    return mlir::failure();
  return Values{extract(form, value, starts, sizes)};
}

/// (slice tensor :axis k :from a :to b :step s)
mlir::FailureOr<Values> TensorForms::emitSliceAlong(const Form *form, const KeywordOperands &call, mlir::Value value) {
  Sizes whole = gen.sizes.sizes(form, value);
  std::optional<int64_t> axis = axisOf(call, whole.size(), 0);
  std::optional<int64_t> step = axis ? stepOf(call) : std::nullopt;
  if (!step)
    return mlir::failure();
  if (whole.empty()) {
    error("tensor-rank", call.operands[0], "a tensor of one number has no axis to `slice`");
    return mlir::failure();
  }
  auto bound = [&](StringRef key, Size otherwise) {
    const Form *given = call.get(key);
    return given ? place(given, whole[*axis], "a bound of `slice`") : std::optional<Size>(otherwise);
  };
  Size none = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
  // Backwards, the first element is `from` and the last one is behind `to`: the part [low, high) is [to + 1, from + 1).
  std::optional<Size> from = bound("from", *step > 0 ? none : minus(form, whole[*axis], one));
  if (from && call.get("size"))
    return emitSliceOfSize(form, call, value, *axis, *from);
  std::optional<Size> to = from ? bound("to", *step > 0 ? whole[*axis] : builder.getIndexAttr(-1)) : from;
  if (!to)
    return mlir::failure();
  Size low = *step > 0 ? *from : sum(form, *to, one), high = *step > 0 ? *to : sum(form, *from, one);
  Sizes starts(whole.size(), none), sizes(whole);
  starts[*axis] = low;
  sizes[*axis] = minus(form, high, low);
  if (!checkRange(form, form, value, *axis, low, sizes[*axis]))
    return mlir::failure();
  if (*step == 1)
    return Values{extract(form, value, starts, sizes)};
  Size count = dividedUp(form, sizes[*axis], std::abs(*step));
  return resultOf(stepped(form, value, *axis, *from, count, *step));
}

/// (slice tensor [offset ...] [size ...]), (slice tensor :axis k ...)
mlir::FailureOr<Values> TensorForms::emitSlice(const Form *form) {
  auto call = splitKeywords(gen.messages, form, {"axis", "from", "to", "size", "step"}, 1, 3);
  mlir::Value value = call ? operand(form, call->operands[0]) : mlir::Value();
  if (!value)
    return mlir::failure();
  if (call->operands.size() == 1)
    return emitSliceAlong(form, *call, value);
  Sizes whole = gen.sizes.sizes(form, value), sizes(whole);
  if (!call->keywords.empty()) {
    error("macro-shape", call->keywords[0].second, "`slice` takes offsets or keywords, not both")
        .withHint("write " + findSpecialForm("slice")->syntax);
    return mlir::failure();
  }
  std::optional<Sizes> given = offsets(form, call->operands[1], whole);
  if (!given)
    return mlir::failure();
  const Form *extents = call->operands.size() == 3 ? call->operands[2] : nullptr;
  if (extents && (!extents->isVector() || extents->size() != whole.size())) {
    error("tensor-rank", extents,
          "`slice` of " + gen.sizes.text(value) + " takes " + Twine(whole.size()) + " sizes, not " + extents->str())
        .note(call->operands[0]->range(), "this operand is " + gen.sizes.text(value))
        .withHint("_ stands for all that follows the offset");
    return mlir::failure();
  }
  for (int64_t d : seq<int64_t>(whole.size())) {
    const Form *item = extents ? (*extents)[d] : nullptr;
    if (!item || item->isSymbol("_")) {
      sizes[d] = minus(form, whole[d], (*given)[d]);
    } else {
      std::optional<int64_t> number = gen.literals.integerOf(item);
      mlir::Value index = number ? mlir::Value() : gen.sizes.index(item, "a size of a tensor");
      if (!number && !index)
        return mlir::failure();
      sizes[d] = number ? Size(builder.getIndexAttr(*number)) : Size(index);
    }
    if (!checkRange(item ? item : (*call->operands[1])[d], form, value, d, (*given)[d], sizes[d]))
      return mlir::failure();
  }
  return Values{extract(form, value, *given, sizes)};
}

/// (split tensor n :axis k), (split tensor [size ...] :axis k)
mlir::FailureOr<Values> TensorForms::emitSplit(const Form *form) {
  auto call = splitKeywords(gen.messages, form, {"axis"}, 2, 2);
  mlir::Value value = call ? operand(form, call->operands[0]) : mlir::Value();
  if (!value)
    return mlir::failure();
  Sizes whole = gen.sizes.sizes(form, value), starts(whole.size(), builder.getIndexAttr(0)), sizes;
  std::optional<int64_t> axis = axisOf(*call, whole.size(), 0);
  if (!axis || whole.empty()) {
    if (axis)
      error("tensor-rank", call->operands[0], "a tensor of one number has no axis to `split`");
    return mlir::failure();
  }
  const Form *parts = call->operands[1];
  std::optional<int64_t> count = gen.literals.integerOf(parts), known = TensorSizes::known(whole[*axis]);
  if (count && *count > 0) {
    if (known && *known % *count) {
      error("tensor-shape", parts,
            "`split`: " + Twine(*known) + " elements do not divide into " + Twine(*count) + " equal parts")
          .note(call->operands[0]->range(), "this operand is " + gen.sizes.text(value))
          .withHint("parts of different sizes are written [size ...]");
      return mlir::failure();
    }
    Size one = builder.getIndexAttr(known ? *known / *count : 0);
    if (!known) {
      mlir::Value number = gen.literals.constantInt(parts, builder.getIndexType(), *count);
      one = make<arith::DivSIOp>(form, cast<mlir::Value>(whole[*axis]), number).getResult();
      gen.sizes.check(form, whole[*axis], gen.sizes.product(form, {one, Size(number)}), "tensor-shape",
                      "`split`: %ld elements do not divide into " + Twine(*count) + " equal parts", whole[*axis]);
    }
    sizes.assign(*count, one);
  } else if (parts->isVector() && parts->size()) {
    std::optional<Sizes> given = gen.sizes.read(form, parts);
    if (!given)
      return mlir::failure();
    sizes = *given;
    Size total = builder.getIndexAttr(0);
    for (Size size : sizes)
      total = sum(parts, total, size);
    if (known && TensorSizes::known(total) && *known != *TensorSizes::known(total)) {
      error("tensor-shape", parts,
            "`split`: the parts have " + Twine(*TensorSizes::known(total)) + " elements, and axis " + Twine(*axis) +
                " of " + gen.sizes.text(value) + " has " + Twine(*known));
      return mlir::failure();
    }
    gen.sizes.check(parts, total, whole[*axis], "tensor-shape",
                    "`split`: the parts have %ld elements, and the axis has %ld", {total, whole[*axis]});
  } else {
    error("tensor-shape", parts, "`split` takes a number of parts or a vector of sizes, not " + parts->str())
        .withHint("write " + findSpecialForm("split")->syntax);
    return mlir::failure();
  }
  Values all;
  for (Size size : sizes) {
    Sizes extents(whole);
    extents[*axis] = size;
    all.push_back(extract(form, value, starts, extents));
    starts[*axis] = sum(form, starts[*axis], size);
  }
  return all;
}

std::optional<Sizes> TensorForms::partOffsets(const Form *form, mlir::Value value, mlir::Value part) {
  auto type = cast<mlir::RankedTensorType>(value.getType()), partType = cast<mlir::RankedTensorType>(part.getType());
  if (type.getElementType() != partType.getElementType() || partType.getRank() > type.getRank()) {
    error("tensor-shape", (*form)[2],
          "`update` of " + gen.sizes.text(value) + " by a part that is " + gen.sizes.text(part))
        .note((*form)[1]->range(), "the tensor is " + gen.sizes.text(value))
        .withHint(partType.getRank() > type.getRank()
                      ? "a part has no more dimensions than the tensor"
                      : "(cast " + mlir::debugString(type.getElementType()) + " " + (*form)[2]->str() + ") converts");
    return std::nullopt;
  }
  if (form->size() == 3)
    return wholeOffsets(form, value, part);
  auto call = splitKeywords(gen.messages, form, {"axis", "from"}, 2, 3);
  if (!call)
    return std::nullopt;
  if (!call->keywords.empty())
    return offsetsAlong(form, *call, value, part);
  std::optional<Sizes> starts = offsets(form, (*form)[3], gen.sizes.sizes(form, value));
  if (!starts)
    return std::nullopt;
  int64_t missing = type.getRank() - partType.getRank();
  for (int64_t d : seq(type.getRank())) {
    Size size = d < missing ? Size(builder.getIndexAttr(1)) : gen.sizes.size(form, part, d - missing);
    if (!checkRange((*(*form)[3])[d], form, value, d, (*starts)[d], size))
      return std::nullopt;
  }
  return starts;
}

/// The number of a dimension of size `whole`: literals below 0 count from the end. nullopt after an error.
std::optional<Size> TensorForms::place(const Form *form, Size whole, StringRef what) {
  if (std::optional<int64_t> number = gen.literals.integerOf(form))
    return *number < 0 ? sum(form, whole, builder.getIndexAttr(*number)) : builder.getIndexAttr(*number);
  mlir::Value index = gen.sizes.index(form, what);
  return index ? std::optional<Size>(index) : std::nullopt;
}

/// (update tensor part :axis k :from a): the other dimensions of the part are those of the tensor.
std::optional<Sizes> TensorForms::offsetsAlong(const Form *form, const KeywordOperands &call, mlir::Value value,
                                               mlir::Value part) {
  Sizes sizes = gen.sizes.sizes(form, value), others = gen.sizes.sizes(form, part);
  std::optional<int64_t> axis = axisOf(call, sizes.size(), 0);
  if (!axis)
    return std::nullopt;
  if (call.operands.size() == 3 || others.size() != sizes.size() || sizes.empty()) {
    error("tensor-rank", call.operands.size() == 3 ? call.operands[2] : (*form)[2],
          "`update` along an axis takes a part with as many dimensions as the tensor, and no offsets")
        .note((*form)[1]->range(), "the tensor is " + gen.sizes.text(value))
        .withHint("write " + findSpecialForm("update")->syntax);
    return std::nullopt;
  }
  Sizes starts(sizes.size(), builder.getIndexAttr(0));
  if (const Form *from = call.get("from")) {
    std::optional<Size> start = place(from, sizes[*axis], "an offset");
    if (!start)
      return std::nullopt;
    starts[*axis] = *start;
  }
  for (int64_t d : seq<int64_t>(sizes.size()))
    if (!checkRange((*form)[2], form, value, d, starts[d], others[d]))
      return std::nullopt;
  return starts;
}

/// (update tensor part): the part is as large as the tensor.
std::optional<Sizes> TensorForms::wholeOffsets(const Form *form, mlir::Value value, mlir::Value part) {
  Sizes sizes = gen.sizes.sizes(form, value), others = gen.sizes.sizes(form, part);
  auto differ = [](auto pair) {
    std::optional<int64_t> a = TensorSizes::known(std::get<0>(pair)), b = TensorSizes::known(std::get<1>(pair));
    return a && b && *a != *b;
  };
  if (sizes.size() != others.size() || any_of(zip(sizes, others), differ)) {
    error("tensor-shape", (*form)[2],
          "`update` of " + gen.sizes.text(value) + " by a part that is " + gen.sizes.text(part))
        .note((*form)[1]->range(), "the tensor is " + gen.sizes.text(value))
        .withHint("write (update tensor part [offset ...]) for a smaller part");
    return std::nullopt;
  }
  for (auto [size, other] : zip(sizes, others))
    gen.sizes.check((*form)[2], size, other, "tensor-shape",
                    "`update` without offsets: a dimension of the tensor is %ld, and that of the part %ld",
                    {size, other});
  return Sizes(sizes.size(), builder.getIndexAttr(0));
}

/// (dim tensor axis)
mlir::FailureOr<Values> TensorForms::emitDim(const Form *form) {
  mlir::Value value = operand(form, (*form)[1]);
  if (!value)
    return mlir::failure();
  std::optional<int64_t> axis =
      gen.values.axis((*form)[2], cast<mlir::RankedTensorType>(value.getType()).getShape(), "tensor");
  if (!axis)
    return mlir::failure();
  return Values{gen.sizes.value(form, gen.sizes.size(form, value, *axis))};
}

std::optional<Sizes> TensorForms::indices(const Form *form, mlir::Value value, ArrayRef<const Form *> items) {
  Sizes sizes = gen.sizes.sizes(form, value), starts;
  if (items.size() > sizes.size()) {
    error("tensor-rank", items[sizes.size()],
          "`at` takes at most " + Twine(sizes.size()) + (sizes.size() == 1 ? " index" : " indices") + " of " +
              gen.sizes.text(value) + ", not " + Twine(items.size()))
        .note((*form)[1]->range(), "this operand is " + gen.sizes.text(value));
    return std::nullopt;
  }
  for (auto [d, item] : enumerate(items)) {
    std::optional<int64_t> number = gen.literals.integerOf(item);
    if (number && *number < 0)
      starts.push_back(sum(item, sizes[d], builder.getIndexAttr(*number)));
    else if (mlir::Value index = number ? mlir::Value() : gen.sizes.index(item, "an index"))
      starts.push_back(index);
    else if (number)
      starts.push_back(builder.getIndexAttr(*number));
    else
      return std::nullopt;
    if (!checkRange(item, form, value, d, starts[d], builder.getIndexAttr(1)))
      return std::nullopt;
  }
  return starts;
}

mlir::Value TensorForms::element(const Form *form, mlir::Value value, ArrayRef<Size> starts) {
  Sizes sizes = gen.sizes.sizes(form, value), all(starts);
  std::fill_n(sizes.begin(), starts.size(), builder.getIndexAttr(1));
  all.resize(sizes.size(), builder.getIndexAttr(0));
  return extract(form, value, all, sizes, starts.size());
}

/// (at tensor index ...)
mlir::FailureOr<Values> TensorForms::emitAt(const Form *form) {
  mlir::Value value = operand(form, (*form)[1]);
  std::optional<Sizes> starts = value ? indices(form, value, form->items().drop_front(2)) : std::optional<Sizes>();
  if (!starts)
    return mlir::failure();
  if (starts->size() < size_t(cast<mlir::RankedTensorType>(value.getType()).getRank()))
    return Values{element(form, value, *starts)};
  SmallVector<mlir::Value> places;
  for (Size start : *starts)
    places.push_back(gen.sizes.value(form, start));
  return Values{make<tensor::ExtractOp>(form, value, places)};
}

/// Reports a number among indices that the program's text gives which is outside of the table's axis.
bool TensorForms::checkConstantIndices(const Form *form, const Form *place, mlir::Value indices, mlir::Value table,
                                       int64_t axis) {
  mlir::DenseIntElementsAttr numbers;
  std::optional<int64_t> size = TensorSizes::known(gen.sizes.size(form, table, axis));
  if (!size || !matchPattern(indices, mlir::m_Constant(&numbers)))
    return true;
  for (const APInt &number : numbers)
    if (int64_t index = number.getSExtValue(); index < 0 || index >= *size) {
      error("tensor-range", place,
            "the index " + Twine(index) + " is outside of axis " + Twine(axis) + ", which has " + Twine(*size) +
                (*size == 1 ? " element" : " elements"))
          .note((*form)[1]->range(), "the table is " + gen.sizes.text(table));
      return false;
    }
  return true;
}

mlir::Value TensorForms::indexOperand(const Form *form, const Form *place) {
  mlir::Value indices = operand(form, place);
  if (!indices || mlir::getElementTypeOrSelf(indices.getType()).isIntOrIndex())
    return indices;
  error("type-mismatch", place, "the indices of `" + form->head() + "` are integers, not " + gen.sizes.text(indices))
      .withHint("(cast i32 " + place->str() + ") converts");
  return {};
}

/// The number of dimensions that table and indices share, the value of :batch: from the table's last one if negative.
std::optional<int64_t> TensorForms::sharedDimensions(const Form *form, const KeywordOperands &call, mlir::Value table,
                                                     mlir::Value indices, int64_t axis) {
  const Form *given = call.get("batch");
  if (!given)
    return 0;
  bool failed;
  std::optional<int64_t> number = gen.integers.evaluate(given, failed);
  if (failed)
    return std::nullopt;
  Sizes sizes = gen.sizes.sizes(form, table), chosen = gen.sizes.sizes(form, indices);
  int64_t batch = number.value_or(0) < 0 ? *number + int64_t(sizes.size()) : number.value_or(-1);
  if (batch < 0 || batch > axis || batch > int64_t(chosen.size())) {
    error("tensor-axis", given,
          number ? "table and indices cannot share " + Twine(batch) + " dimensions before axis " + Twine(axis)
                 : "`:batch` is a constant, and `" + given->str() + "` is known only when the program runs")
        .note((*form)[1]->range(), "the table is " + gen.sizes.text(table))
        .note((*form)[2]->range(), "the indices are " + gen.sizes.text(indices));
    return std::nullopt;
  }
  for (int64_t d : seq(batch)) {
    std::optional<int64_t> a = TensorSizes::known(sizes[d]), b = TensorSizes::known(chosen[d]);
    if (a && b && *a != *b) {
      error("tensor-shape", (*form)[2],
            "`gather`: the indices have " + Twine(*b) + " elements along dimension " + Twine(d) + ", and the table " +
                Twine(*a))
          .note((*form)[1]->range(), "the table is " + gen.sizes.text(table));
      return std::nullopt;
    }
    gen.sizes.check(form, sizes[d], chosen[d], "tensor-shape",
                    "`gather`: the table has %ld elements along dimension " + Twine(d) + ", and the indices %ld",
                    {sizes[d], chosen[d]});
  }
  return batch;
}

/// (gather tensor indices :axis n :batch n): the indices replace the axis; the first dimensions are the same of both.
mlir::FailureOr<Values> TensorForms::gather(const Form *form, mlir::Value table) {
  auto call = splitKeywords(gen.messages, form, {"axis", "batch"}, 2, 2);
  mlir::Value indices = call ? indexOperand(form, call->operands[1]) : mlir::Value();
  if (!indices)
    return mlir::failure();
  Sizes sizes = gen.sizes.sizes(form, table), chosen = gen.sizes.sizes(form, indices);
  std::optional<int64_t> axis = axisOf(*call, sizes.size(), 0);
  if (!axis)
    return mlir::failure();
  if (sizes.empty()) {
    error("tensor-rank", call->operands[0], "a tensor of one number has no axis to `gather`");
    return mlir::failure();
  }
  if (!checkConstantIndices(form, call->operands[1], indices, table, *axis))
    return mlir::failure();
  std::optional<int64_t> batch = sharedDimensions(form, *call, table, indices, *axis);
  if (!batch)
    return mlir::failure();
  int64_t own = int64_t(chosen.size()) - *batch; // Dimensions of the indices in place of the axis.
  Sizes shape(sizes);
  shape.erase(shape.begin() + *axis);
  shape.insert(shape.begin() + *axis, chosen.begin() + *batch, chosen.end());
  SmallVector<mlir::AffineExpr> results;
  for (int64_t i : seq<int64_t>(chosen.size()))
    results.push_back(builder.getAffineDimExpr(i < *batch ? i : *axis + i - *batch));
  Inputs inputs{{indices}, {mlir::AffineMap::get(shape.size(), 0, results, &context)}};
  mlir::Value init = empty(form, shape, mlir::getElementTypeOrSelf(table.getType()));
  SmallVector<mlir::utils::IteratorType> iterators(shape.size(), mlir::utils::IteratorType::parallel);
  mlir::ValueRange gathered = generic(
      form, inputs, init, builder.getMultiDimIdentityMap(shape.size()), iterators, [&](mlir::ValueRange numbers) {
        SmallVector<mlir::Value> places;
        for (int64_t d : seq<int64_t>(sizes.size()))
          if (d == *axis)
            places.push_back(numbers[0].getType().isIndex()
                                 ? numbers[0]
                                 : make<arith::IndexCastOp>(form, builder.getIndexType(), numbers[0]).getResult());
          else
            places.push_back(make<mlir::linalg::IndexOp>(form, d < *axis ? d : d + own - 1));
        return Values{make<tensor::ExtractOp>(form, table, places)};
      });
  return resultOf(gathered[0]);
}

} // namespace lispier
