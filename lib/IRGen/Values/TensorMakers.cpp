//===- TensorMakers.cpp - zeros, empty, full and iota as tensors ----------===//
#include "Arithmetic.h"
#include "Core/FormEvaluator.h"
#include "Core/KeywordOperands.h"
#include "Core/Literals.h"
#include "Core/Messages.h"
#include "Core/Types.h"
#include "Core/ValueTypes.h"
#include "TensorForms.h"
#include "TensorSizes.h"
#include "ValueForms.h"
#include "ValueParts.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace llvm;

namespace lispier {
/// (zeros type [size ...]), (empty type [size ...]), (full type [size ...] value)
mlir::FailureOr<Values> TensorForms::full(const Form *form, SpecialForm kind) {
  mlir::Type element = elementType((*form)[1]);
  std::optional<Sizes> sizes = element ? gen.sizes.read(form, (*form)[2]) : std::nullopt;
  if (!sizes)
    return mlir::failure();
  if (kind == SpecialForm::Empty)
    return Values{empty(form, *sizes, element)};
  mlir::Value number;
  if (kind == SpecialForm::Zeros)
    number = make<mlir::arith::ConstantOp>(form, cast<mlir::TypedAttr>(builder.getZeroAttr(element)));
  else {
    const Form *place = (*form)[3];
    number = gen.literals.isLiteral(place) ? gen.literals.constant(place, element)
                                           : gen.evaluator->emitValue(place, element);
    if (!number)
      return mlir::failure();
    if (number.getType() != element) {
      error("type-mismatch", place,
            "the value of a tensor of " + mlir::debugString(element) + " is " + typeText(number.getType()))
          .withHint("(cast " + mlir::debugString(element) + " " + place->str() + ") converts");
      return mlir::failure();
    }
  }
  return Values{filled(form, *sizes, number)};
}

mlir::Type TensorForms::elementType(const Form *form) {
  mlir::Type type = gen.types.parseType(form);
  if (!type || type.isIntOrIndexOrFloat())
    return type;
  error("type-mismatch", form,
        "the elements of a tensor are floats, integers or index, not " + mlir::debugString(type));
  return {};
}

/// (iota type [size ...] :axis n)
mlir::FailureOr<Values> TensorForms::iota(const Form *form) {
  auto call = splitKeywords(gen.messages, form, {"axis"}, 2, 2);
  mlir::Type element = call ? elementType(call->operands[0]) : mlir::Type();
  std::optional<Sizes> sizes = element ? gen.sizes.read(form, call->operands[1]) : std::nullopt;
  if (!sizes)
    return mlir::failure();
  if (element.isInteger(1)) {
    error("type-mismatch", call->operands[0], "`iota` counts in integers, index or floats, not in i1");
    return mlir::failure();
  }
  mlir::Value init = empty(form, *sizes, element);
  ArrayRef<int64_t> shape = cast<mlir::RankedTensorType>(init.getType()).getShape();
  const Form *given = call->get("axis");
  if (!given && shape.size() != 1) {
    error("tensor-axis", form, "`iota` of shape " + shapeText(shape) + " needs the axis along which it counts")
        .withHint(shape.empty() ? "" : "write :axis 0 to :axis " + Twine(shape.size() - 1));
    return mlir::failure();
  }
  std::optional<int64_t> axis = given ? gen.values.axis(given, shape, "tensor") : 0;
  if (!axis)
    return mlir::failure();
  SmallVector<mlir::utils::IteratorType> iterators(shape.size(), mlir::utils::IteratorType::parallel);
  mlir::ValueRange results =
      generic(form, {}, init, builder.getMultiDimIdentityMap(shape.size()), iterators, [&](mlir::ValueRange) -> Values {
        mlir::Value here = make<mlir::linalg::IndexOp>(form, *axis);
        return {gen.arithmetic.convert(here, element, form)};
      });
  return resultOf(results.empty() ? mlir::Value() : results[0]);
}
} // namespace lispier
