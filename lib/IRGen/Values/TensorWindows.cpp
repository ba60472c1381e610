//===- TensorWindows.cpp - windows of tensors, and steps along them -------===//
//
// What reads a tensor at i * stride + k * dilation is a linalg.generic whose operand
// has such a map, so that a sum or a product of it can read the tensor itself. The
// sizes of windows are those of a second operand, whose elements nothing reads: where
// windows are summed they are no dimensions of the result.
//
//===----------------------------------------------------------------------===//
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

using namespace llvm;
namespace arith = mlir::arith;
namespace tensor = mlir::tensor;

namespace lispier {
/// a / by, rounded up; `a` is not negative.
Size TensorForms::dividedUp(const Form *form, Size a, int64_t by) {
  if (std::optional<int64_t> known = TensorSizes::known(a))
    return builder.getIndexAttr(divideCeilSigned(*known, by));
  auto number = [&](int64_t value) { return gen.literals.constantInt(form, builder.getIndexType(), value); };
  mlir::Value more = make<arith::AddIOp>(form, gen.sizes.value(form, a), number(by - 1));
  return make<arith::DivSIOp>(form, more, number(by)).getResult();
}

mlir::Value TensorForms::stepped(const Form *form, mlir::Value value, int64_t axis, Size from, Size count,
                                 int64_t step) {
  Sizes sizes = gen.sizes.sizes(form, value), shape(sizes);
  shape[axis] = count;
  int64_t rank = sizes.size();
  mlir::Type element = mlir::getElementTypeOrSelf(value.getType());
  if (TensorSizes::hasZero(shape))
    return empty(form, shape, element);
  SmallVector<mlir::utils::IteratorType> iterators(rank, mlir::utils::IteratorType::parallel);
  mlir::AffineMap identity = builder.getMultiDimIdentityMap(rank);
  if (step > 0) {
    Sizes starts(rank, builder.getIndexAttr(0)), extents(sizes);
    starts[axis] = from;
    extents[axis] = minus(form, sizes[axis], from);
    SmallVector<mlir::AffineExpr> results(identity.getResults());
    results[axis] = results[axis] * step;
    Inputs inputs{{TensorSizes::known(from) == 0 ? value : extract(form, value, starts, extents)},
                  {mlir::AffineMap::get(rank, 0, results, &context)}};
    return generic(form, inputs, empty(form, shape, element), identity, iterators,
                   [](mlir::ValueRange numbers) { return Values{numbers[0]}; })[0];
  }
  mlir::Value first = gen.sizes.value(form, from);
  mlir::Value by = gen.literals.constantInt(form, builder.getIndexType(), -step);
  return generic(form, {}, empty(form, shape, element), identity, iterators, [&](mlir::ValueRange) {
    Values places;
    for (int64_t d : seq(rank)) {
      mlir::Value here = make<mlir::linalg::IndexOp>(form, d);
      if (d == axis)
        here = make<arith::SubIOp>(form, first, step == -1 ? here : make<arith::MulIOp>(form, here, by).getResult());
      places.push_back(here);
    }
    return Values{make<tensor::ExtractOp>(form, value, places)};
  })[0];
}

/// An integer that is known while compiling and at least `least`; nullopt after an error.
std::optional<int64_t> TensorForms::constantOf(const Form *place, StringRef what, int64_t least) {
  bool failed;
  std::optional<int64_t> number = gen.integers.evaluate(place, failed);
  if (failed || (number && *number >= least))
    return number;
  error("tensor-window", place,
        number ? what + " is at least " + Twine(least) + ", not " + Twine(*number)
               : what + " is a constant, and `" + place->str() + "` is known only when the program runs");
  return std::nullopt;
}

/// The value of a keyword for each axis, null without it; one that is no vector is that of all axes.
std::optional<SmallVector<const Form *>> TensorForms::perAxis(const Form *form, const KeywordOperands &call,
                                                              StringRef key, size_t count) {
  const Form *given = call.get(key);
  if (!given || !given->isVector())
    return SmallVector<const Form *>(count, given);
  if (given->size() == count)
    return SmallVector<const Form *>(given->items());
  Diag &diag = error("tensor-window", given,
                     "`:" + key + "` takes a number, or a vector of " + Twine(count) + ", one for each axis, not " +
                         given->str());
  diag.note(call.operands[1]->range(), "these are the sizes of the windows");
  if (key == "pad" && count == 1 && given->size() == 2)
    diag.withHint("an axis has one number or [before after]: [" + given->str() + "]");
  return std::nullopt;
}

/// A number of elements around a tensor: at least 0, as far as it is known; nullopt after an error.
std::optional<Size> TensorForms::elementsAround(const Form *place) {
  bool failed;
  std::optional<int64_t> known = gen.integers.evaluate(place, failed);
  if (failed)
    return std::nullopt;
  if (known && *known < 0) {
    error("tensor-window", place, "the number of elements around a tensor is at least 0, not " + Twine(*known));
    return std::nullopt;
  }
  mlir::Value value = known ? mlir::Value() : gen.sizes.index(place, "a number of elements around");
  return known ? std::optional<Size>(builder.getIndexAttr(*known)) : value ? std::optional<Size>(value) : std::nullopt;
}

/// Reads `:pad`, `:crop` and `:extra` of an axis, null where they are not given. False after an error.
bool TensorForms::readSides(const Form *form, WindowAxis &window, const Form *pad, const Form *crop,
                            const Form *extra) {
  window.before = window.after = builder.getIndexAttr(0);
  if (pad && pad->isVector() && pad->size() != 2) {
    error("tensor-window", pad, "`:pad` of an axis is a number or [before after], not " + pad->str());
    return false;
  }
  if (pad && crop) {
    error("tensor-window", crop, "`windows` takes :pad or :crop, not both");
    return false;
  }
  if (pad) {
    std::optional<Size> before = elementsAround(pad->isVector() ? (*pad)[0] : pad);
    std::optional<Size> after = before && pad->isVector() ? elementsAround((*pad)[1]) : before;
    if (!after)
      return false;
    window.before = *before;
    window.after = *after;
  }
  if (crop) {
    std::optional<Size> less = elementsAround(crop);
    if (!less)
      return false;
    Size gaps = minus(form, window.taps, builder.getIndexAttr(1));
    window.before = window.after =
        minus(form, gen.sizes.product(form, {gaps, builder.getIndexAttr(window.dilation)}), *less);
  }
  std::optional<Size> more = extra ? elementsAround(extra) : std::optional<Size>(builder.getIndexAttr(0));
  if (more)
    window.after = sum(form, window.after, *more);
  return more.has_value();
}

/// The sizes of windows, one for each axis; a number is that along all axes of `axes`.
std::optional<Sizes> TensorForms::windowSizes(const Form *form, const Form *extents, const Form *axes,
                                              mlir::Value value) {
  std::optional<Sizes> taps;
  if (!extents->isVector() && axes && axes->isVector()) {
    std::optional<int64_t> size = constantOf(extents, "the size of windows", 1);
    taps = size ? std::optional<Sizes>(Sizes(axes->size(), builder.getIndexAttr(*size))) : std::nullopt;
  } else
    taps = gen.sizes.read(form, extents);
  if (!taps)
    return std::nullopt;
  size_t rank = cast<mlir::RankedTensorType>(value.getType()).getRank();
  if (taps->size() > rank || (axes && (!axes->isVector() || axes->size() != taps->size()))) {
    error("tensor-window", axes ? axes : extents,
          axes
              ? "`:axes` is a vector with an axis for each of the " + Twine(taps->size()) + " sizes, not " + axes->str()
              : "windows of " + Twine(taps->size()) + " dimensions, and the tensor is " + gen.sizes.text(value))
        .note((*form)[1]->range(), "this operand is " + gen.sizes.text(value));
    return std::nullopt;
  }
  for (auto [i, tap] : enumerate(*taps))
    if (std::optional<int64_t> size = TensorSizes::known(tap); size && *size < 1) {
      error("tensor-window", (*extents)[i], "a window has at least 1 element along each axis, not " + Twine(*size));
      return std::nullopt;
    }
  return taps;
}

/// Reads what a call says of each axis that has windows; nullopt after an error.
std::optional<SmallVector<TensorForms::WindowAxis>>
TensorForms::windowAxes(const Form *form, const KeywordOperands &call, mlir::Value value) {
  auto shape = cast<mlir::RankedTensorType>(value.getType()).getShape();
  const Form *axes = call.get("axes");
  std::optional<Sizes> taps = windowSizes(form, call.operands[1], axes, value);
  if (!taps)
    return std::nullopt;
  size_t count = taps->size();
  StringMap<SmallVector<const Form *>> given;
  for (StringRef key : {"stride", "dilation", "spread", "pad", "crop", "extra"}) {
    auto values = perAxis(form, call, key, count);
    if (!values)
      return std::nullopt;
    given[key] = *values;
  }
  SmallVector<WindowAxis> found;
  for (size_t i : seq(count)) {
    auto number = [&](StringRef key) {
      const Form *place = given[key][i];
      return place ? constantOf(place, ("the " + key + " of windows").str(), 1) : std::optional<int64_t>(1);
    };
    std::optional<int64_t> axis =
        axes ? gen.values.axis((*axes)[i], shape, "tensor") : std::optional<int64_t>(shape.size() - count + i);
    const Form *by = given["stride"][i];
    std::optional<int64_t> length = by && by->isSymbol("_") ? TensorSizes::known((*taps)[i]) : std::nullopt;
    auto stride = length ? length : number("stride"), dilation = number("dilation"), spread = number("spread");
    if (!axis || !stride || !dilation || !spread)
      return std::nullopt;
    if (any_of(found, [&](const WindowAxis &other) { return other.axis == *axis; })) {
      error("tensor-axis", (*axes)[i], "the axis " + Twine(*axis) + " is given twice");
      return std::nullopt;
    }
    WindowAxis window{*axis, int64_t(shape.size() + i), (*taps)[i], *stride, *dilation, *spread, {}, {}};
    if (!readSides(form, window, given["pad"][i], given["crop"][i], given["extra"][i]))
      return std::nullopt;
    found.push_back(window);
  }
  return found;
}

/// step - 1 elements, 0, between two elements of a dimension.
mlir::Value TensorForms::spreadOut(const Form *form, mlir::Value value, int64_t axis, int64_t step) {
  Sizes sizes = gen.sizes.sizes(form, value), spread(sizes), starts(sizes.size() + 1, builder.getIndexAttr(0));
  mlir::Type element = mlir::getElementTypeOrSelf(value.getType());
  spread.insert(spread.begin() + axis + 1, builder.getIndexAttr(step));
  mlir::Value zero = make<arith::ConstantOp>(form, cast<mlir::TypedAttr>(builder.getZeroAttr(element)));
  mlir::Value column = withUnits(form, value, {axis + 1}, sizes.size() + 1);
  mlir::Value apart = insert(form, column, filled(form, spread, zero), starts);
  Sizes longer(sizes), first(sizes.size(), builder.getIndexAttr(0));
  longer[axis] = gen.sizes.product(form, {sizes[axis], builder.getIndexAttr(step)});
  mlir::Value joined = reshaped(form, apart, longer);
  longer[axis] = minus(form, longer[axis], builder.getIndexAttr(step - 1));
  return extract(form, joined, first, longer);
}

/// The tensor with what the axes say between and around its elements.
mlir::Value TensorForms::padded(const Form *form, mlir::Value value, ArrayRef<WindowAxis> axes, mlir::Value around) {
  for (const WindowAxis &window : axes)
    if (window.spread > 1)
      value = spreadOut(form, value, window.axis, window.spread);
  Sizes shape = gen.sizes.sizes(form, value), offsets(shape.size(), builder.getIndexAttr(0)), starts(offsets);
  bool isPadded = false, isCropped = false;
  auto negative = [](Size size) { return std::min<int64_t>(0, TensorSizes::known(size).value_or(0)); };
  for (const WindowAxis &window : axes) { // What :crop takes away of the tensor itself.
    int64_t before = negative(window.before), after = negative(window.after);
    isCropped |= before || after;
    starts[window.axis] = builder.getIndexAttr(-before);
    shape[window.axis] = sum(form, shape[window.axis], builder.getIndexAttr(before + after));
  }
  if (isCropped)
    value = extract(form, value, starts, shape);
  for (const WindowAxis &window : axes) {
    auto around = [&](Size size) { return negative(size) ? Size(builder.getIndexAttr(0)) : size; };
    Size before = around(window.before), after = around(window.after);
    isPadded |= TensorSizes::known(before) != 0 || TensorSizes::known(after) != 0;
    offsets[window.axis] = before;
    shape[window.axis] = sum(form, sum(form, before, shape[window.axis]), after);
  }
  return isPadded ? insert(form, value, filled(form, shape, around), offsets) : value;
}

/// The number of windows along an axis of the padded tensor; an error if none fits.
std::optional<Size> TensorForms::windowCount(const Form *form, mlir::Value value, const WindowAxis &window) {
  Size whole = gen.sizes.size(form, value, window.axis), one = builder.getIndexAttr(1);
  // dilation (taps - 1) + 1 elements from the first to the last one.
  Size gaps = gen.sizes.product(form, {minus(form, window.taps, one), builder.getIndexAttr(window.dilation)});
  std::optional<int64_t> size = TensorSizes::known(whole), reach = TensorSizes::known(gaps);
  if (size && reach && *reach >= *size) {
    error("tensor-window", form,
          "a window of " + Twine(*TensorSizes::known(window.taps)) + " elements" +
              (window.dilation > 1 ? ", " + Twine(window.dilation) + " apart," : Twine()) + " does not fit into axis " +
              Twine(window.axis) + ", which has " + Twine(*size) + " elements")
        .note((*form)[1]->range(), "with what is around it this operand is " + gen.sizes.text(value))
        .withHint(":pad puts elements around");
    return std::nullopt;
  }
  if (!size || !reach)
    gen.sizes.require(
        form,
        make<arith::CmpIOp>(form, arith::CmpIPredicate::sgt, gen.sizes.value(form, whole), gen.sizes.value(form, gaps)),
        "tensor-window", "a window does not fit into axis " + Twine(window.axis) + ", which has %ld elements", {whole});
  return dividedUp(form, minus(form, whole, gaps), window.stride);
}

/// (windows tensor [size ...] :axes [axis ...] :stride s :dilation d :pad p :value v :spread u)
mlir::FailureOr<Values> TensorForms::emitWindows(const Form *form) {
  auto call = splitKeywords(gen.messages, form,
                            {"axes", "stride", "dilation", "pad", "value", "spread", "crop", "extra"}, 2, 2);
  mlir::Value value = call ? operand(form, call->operands[0]) : mlir::Value();
  std::optional<SmallVector<WindowAxis>> axes =
      value ? windowAxes(form, *call, value) : std::optional<SmallVector<WindowAxis>>();
  mlir::Type element = axes ? mlir::getElementTypeOrSelf(value.getType()) : mlir::Type();
  mlir::Value around = axes ? numberAround(form, call->get("value"), element) : mlir::Value();
  if (!around)
    return mlir::failure();
  value = padded(form, value, *axes, around);
  Sizes shape = gen.sizes.sizes(form, value), taps;
  int64_t rank = shape.size(), all = rank + axes->size();
  SmallVector<mlir::AffineExpr> read, ofWindow;
  for (int64_t d : seq(rank))
    read.push_back(builder.getAffineDimExpr(d));
  for (const WindowAxis &window : *axes) {
    std::optional<Size> count = windowCount(form, value, window);
    if (!count)
      return mlir::failure();
    shape[window.axis] = *count;
    taps.push_back(window.taps);
    ofWindow.push_back(builder.getAffineDimExpr(window.tap));
    read[window.axis] = read[window.axis] * window.stride + ofWindow.back() * window.dilation;
  }
  append_range(shape, taps);
  if (TensorSizes::hasZero(shape))
    return Values{empty(form, shape, element)};
  Inputs inputs{{value, empty(form, taps, element)},
                {mlir::AffineMap::get(all, 0, read, &context), mlir::AffineMap::get(all, 0, ofWindow, &context)}};
  SmallVector<mlir::utils::IteratorType> iterators(all, mlir::utils::IteratorType::parallel);
  return resultOf(generic(form, inputs, empty(form, shape, element), builder.getMultiDimIdentityMap(all), iterators,
                          [](mlir::ValueRange numbers) { return Values{numbers[0]}; })[0]);
}
} // namespace lispier
