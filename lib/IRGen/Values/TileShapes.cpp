//===- TileShapes.cpp - zeros, iota, reshape, transpose -------------------===//
#include "Arithmetic.h"
#include "Core/ConstantIntegers.h"
#include "Core/FormEvaluator.h"
#include "Core/FunctionScope.h"
#include "Core/KeywordOperands.h"
#include "Core/Literals.h"
#include "Core/Messages.h"
#include "Core/Types.h"
#include "Core/ValueTypes.h"
#include "TileForms.h"
#include "ValueForms.h"
#include "ValueParts.h"
#include "mlir/Dialect/Traits.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace llvm;
namespace vector = mlir::vector;

namespace lispier {
/// The sizes of a tile: constants above 0 whose product is at most kMostTileElements. `form` is what makes the tile.
std::optional<SmallVector<int64_t>> TileForms::sizes(const Form *form, const Form *vector) {
  if (!vector->isVector() || vector->size() == 0) {
    error("tile-size", vector, "`" + form->head() + "` takes the sizes of a tile, not " + vector->str())
        .withHint("sizes are a vector such as [16 64]");
    return std::nullopt;
  }
  SmallVector<int64_t> sizes;
  std::string figures;
  bool isTooLarge = false;
  int64_t elements = 1;
  for (const Form *item : vector->items()) {
    bool failed;
    std::optional<int64_t> size = gen.integers.evaluate(item, failed);
    if (failed)
      return std::nullopt;
    if (!size) {
      error("tile-size", item,
            "a size of a tile is a constant, and `" + item->str() + "` is known only when the program runs")
          .withHint(gen.scope.inTileProgram
                        ? "name it in :const of deftile, and give the launch its values: {:" +
                              (item->isSymbol() ? item->text().str() : std::string("n")) + " (f n :among [64 128])}"
                        : std::string("write a number"));
      return std::nullopt;
    }
    if (*size <= 0) {
      error("tile-size", item, "a size of a tile is above 0, not " + Twine(*size));
      return std::nullopt;
    }
    figures += (figures.empty() ? "" : " x ") + std::to_string(*size);
    // Compare after each dimension: the product of all might overflow.
    isTooLarge |= *size > kMostTileElements || (elements *= *size) > kMostTileElements;
    sizes.push_back(*size);
  }
  if (!isTooLarge)
    return sizes;
  error("tile-size", vector,
        "a tile of " + figures + " elements is too large: at most " + Twine(kMostTileElements) + " are allowed")
      .withHint("walk over it in chunks: (fold [acc init] [i 0 n chunk] ...)");
  return std::nullopt;
}

/// The element type that a form names.
mlir::Type TileForms::elementType(const Form *form) {
  mlir::Type type = gen.types.parseType(form);
  if (!type || type.isIntOrIndexOrFloat())
    return type;
  error("type-mismatch", form, "the elements of a tile are floats, integers or index, not " + mlir::debugString(type));
  return {};
}

mlir::Value TileForms::tile(const Form *form, const Form *place) {
  mlir::Value value = gen.evaluator->emitValue(place);
  if (!value || isTile(value.getType()))
    return value;
  error("tile-operand", place, "`" + form->head() + "` takes a tile, not " + mlir::debugString(value.getType()))
      .withHint(isTensor(value) ? "`matmul` and `einsum` take tensors" : "");
  return {};
}

mlir::Value TileForms::elementwise(const Form *form, Places places, ArrayRef<mlir::Value> values, Width, Body body) {
  SmallVector<mlir::Value> operands(values);
  bool hasTile = any_of(operands, [](mlir::Value value) { return isTile(value.getType()); });
  return !hasTile || gen.arithmetic.toOneShape(form, places, operands) ? body(operands) : mlir::Value();
}

/// (zeros type [size ...]), (full type [size ...] value)
mlir::FailureOr<Values> TileForms::full(const Form *form, SpecialForm kind) {
  if (kind == SpecialForm::Empty) {
    error("type-mismatch", form, "`empty` makes a tensor, and this is a tile, which has all its numbers from the start")
        .withHint("(zeros " + (*form)[1]->str() + " " + (*form)[2]->str() + ")");
    return mlir::failure();
  }
  mlir::Type element = elementType((*form)[1]);
  auto shape = element ? sizes(form, (*form)[2]) : std::nullopt;
  if (!shape)
    return mlir::failure();
  auto type = mlir::VectorType::get(*shape, element);
  if (kind == SpecialForm::Zeros)
    return Values{make<mlir::arith::ConstantOp>(form, cast<mlir::TypedAttr>(builder.getZeroAttr(type)))};
  const Form *place = (*form)[3];
  mlir::Value value =
      gen.literals.isLiteral(place) ? gen.literals.constant(place, type) : gen.evaluator->emitValue(place, element);
  if (!value)
    return mlir::failure();
  if (value.getType() != type && value.getType() != element) {
    error("type-mismatch", place,
          "the value of a tile of " + mlir::debugString(element) + " is " + typeText(value.getType()))
        .withHint("(cast " + mlir::debugString(element) + " " + place->str() + ") converts");
    return mlir::failure();
  }
  return Values{gen.arithmetic.toShape(form, value, *shape)};
}

mlir::Value TileForms::numbersAlong(const Form *form, mlir::Type element, ArrayRef<int64_t> shape, int64_t axis) {
  auto steps = mlir::VectorType::get({shape[axis]}, builder.getIndexType());
  mlir::Value numbers = make<vector::StepOp>(form, steps);
  if (!element.isIndex())
    numbers = gen.arithmetic.convert(numbers, steps.clone(element), form);
  if (numbers && axis + 1 != int64_t(shape.size())) {
    SmallVector<int64_t> column(shape.size() - axis, 1);
    column[0] = shape[axis];
    numbers = make<vector::ShapeCastOp>(form, mlir::VectorType::get(column, element), numbers);
  }
  return numbers ? gen.arithmetic.toShape(form, numbers, shape) : numbers;
}

/// (iota type [size ...] :axis n)
mlir::FailureOr<Values> TileForms::iota(const Form *form) {
  auto call = splitKeywords(gen.messages, form, {"axis"}, 2, 2);
  mlir::Type element = call ? elementType(call->operands[0]) : mlir::Type();
  auto shape = element ? sizes(form, call->operands[1]) : std::nullopt;
  if (!shape)
    return mlir::failure();
  if (element.isInteger(1)) {
    error("type-mismatch", call->operands[0], "`iota` counts in integers, index or floats, not in i1");
    return mlir::failure();
  }
  const Form *given = call->get("axis");
  if (!given && shape->size() > 1) {
    error("tile-axis", form, "`iota` of shape " + shapeText(*shape) + " needs the axis along which it counts")
        .withHint("write :axis 0 to :axis " + Twine(shape->size() - 1));
    return mlir::failure();
  }
  std::optional<int64_t> axis = given ? gen.values.axis(given, *shape) : 0;
  mlir::Value numbers = axis ? numbersAlong(form, element, *shape, *axis) : mlir::Value();
  if (!numbers)
    return mlir::failure();
  return Values{numbers};
}

mlir::FailureOr<Values> TileForms::reshape(const Form *form, mlir::Value value) {
  auto shape = sizes(form, (*form)[2]);
  if (!shape)
    return mlir::failure();
  auto type = cast<mlir::VectorType>(value.getType());
  auto result = mlir::VectorType::get(*shape, type.getElementType());
  if (result.getNumElements() != type.getNumElements()) {
    error("tile-shape", (*form)[2],
          "`reshape` keeps the number of elements, and " + shapeText(*shape) + " has " +
              Twine(result.getNumElements()) + " where " + shapeText(type.getShape()) + " has " +
              Twine(type.getNumElements()))
        .note((*form)[1]->range(), "this operand is " + typeText(type));
    return mlir::failure();
  }
  return Values{result == type ? value : make<vector::ShapeCastOp>(form, result, value).getResult()};
}

mlir::FailureOr<Values> TileForms::broadcast(const Form *form, mlir::Value value) {
  const Form *place = (*form)[1];
  auto shape = sizes(form, (*form)[2]);
  if (!shape)
    return mlir::failure();
  if (!isTile(value.getType()) && !value.getType().isIntOrIndexOrFloat()) {
    error("tile-operand", place, "`broadcast` takes a number or a tile, not " + mlir::debugString(value.getType()));
    return mlir::failure();
  }
  SmallVector<int64_t> joint;
  if (!mlir::OpTrait::util::getBroadcastedShape(shapeOf(value), *shape, joint) || joint != *shape) {
    error("tile-shape", (*form)[2],
          "a tile of shape " + shapeText(shapeOf(value)) + " does not broadcast to " + shapeText(*shape))
        .note(place->range(), "this operand is " + typeText(value.getType()))
        .withHint("sizes are compared from the last one; only a size of 1 is repeated");
    return mlir::failure();
  }
  return Values{gen.arithmetic.toShape(form, value, *shape)};
}

mlir::FailureOr<Values> TileForms::transpose(const Form *form, mlir::Value value, ArrayRef<int64_t> axes) {
  return Values{make<vector::TransposeOp>(form, value, axes)};
}
} // namespace lispier
