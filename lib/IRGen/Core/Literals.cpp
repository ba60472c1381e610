//===- Literals.cpp - numbers, once their type is known -------------------===//
#include "Literals.h"
#include "CoreParts.h"
#include "FunctionScope.h"
#include "NumberText.h"
#include "NumberTypes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/APSInt.h"

using namespace llvm;

namespace lispier {
bool LiteralReader::isLiteral(const Form *form) {
  return form->isNumber() || form->isBool() ||
         (form->isSymbol() && isSpecialFloat(form->text()) && !gen.scope.scopes.count(form->text()));
}

/// Reads a number, a boolean or one of +inf -inf nan as a `type`: a scalar, or a shaped type for a splat.
mlir::TypedAttr LiteralReader::literal(const Form *form, mlir::Type type) {
  mlir::Type element = type;
  auto shaped = dyn_cast<mlir::ShapedType>(type);
  if (shaped)
    element = shaped.getElementType();
  auto wrong = [&](StringRef code, const Twine &why) {
    error(code, form, "`" + form->str() + "` " + why);
    return mlir::TypedAttr();
  };
  if (shaped && (!isa<mlir::VectorType, mlir::RankedTensorType>(type) || !shaped.hasStaticShape()))
    return wrong("type-literal-range", "cannot be a literal of type " + mlir::debugString(type));
  mlir::TypedAttr scalar;
  StringRef text = form->isBool() ? (form->boolean() ? "1" : "0") : form->text();
  if (auto floatType = dyn_cast<mlir::FloatType>(element)) {
    std::optional<APFloat> value = exactFloat(text, floatType.getFloatSemantics());
    if (!value)
      return wrong("type-literal-range", "is no number");
    bool lost = value->isInfinity() && !isSpecialFloat(text);
    if (lost)
      return wrong("type-literal-range", "is out of the range of " + mlir::debugString(element));
    scalar = mlir::FloatAttr::get(floatType, *value);
  } else if (element.isIntOrIndex()) {
    std::optional<APInt> value = exactInteger(text);
    if (!value) {
      std::optional<APFloat> real = exactFloat(text, APFloat::IEEEdouble());
      if (!real || !real->isInteger() || !real->isFinite()) {
        error("type-literal-range", form,
              "`" + form->str() + "` is no integer, and the type is " + mlir::debugString(element))
            .withHint("write an integer, or a float type such as f32");
        return {};
      }
      APSInt integer(256, /*isUnsigned=*/false);
      bool isExact;
      if (real->convertToInteger(integer, APFloat::rmTowardZero, &isExact) & APFloat::opInvalidOp)
        return wrong("type-literal-range", "is out of the range of " + mlir::debugString(element));
      value = integer;
    }
    unsigned width = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
    // Signless: -128 and 255 are both an i8.
    if (unsigned needed = bitsOf(*value); needed > width) {
      std::string hint = "i" + utostr(PowerOf2Ceil(needed)) + " holds it, where that is written: (: " + form->str() +
                         " i" + utostr(PowerOf2Ceil(needed)) + ")";
      if (form->isNumber() && all_of(text.drop_front(text.starts_with("-")), isDigit))
        hint += "; as a float it is " + form->str() + ".0";
      error("type-literal-range", form, "`" + form->str() + "` is out of the range of " + mlir::debugString(element))
          .withHint(hint);
      return {};
    }
    scalar = builder.getIntegerAttr(element, value->sextOrTrunc(width));
  } else {
    error("type-literal-range", form, "`" + form->str() + "` cannot be a literal of type " + mlir::debugString(type))
        .withHint("literals are integers, index, floats, and vectors and tensors of them");
    return {};
  }
  if (shaped)
    return mlir::DenseElementsAttr::get(shaped, mlir::Attribute(scalar));
  return scalar;
}

std::optional<double> LiteralReader::realOf(StringRef text) {
  std::optional<APFloat> real = exactFloat(text, APFloat::IEEEdouble());
  return real ? std::optional(real->convertToDouble()) : std::nullopt;
}

std::optional<int64_t> LiteralReader::integerOf(const Form *form) {
  if (form->isCall(":") && form->size() == 3)
    form = (*form)[1];
  if (!form->isNumber())
    return std::nullopt;
  std::optional<APInt> value = exactInteger(form->text());
  if (!value || value->getSignificantBits() > 64)
    return std::nullopt;
  return value->getSExtValue();
}

mlir::Value LiteralReader::constant(const Form *form, mlir::Type type) {
  mlir::TypedAttr value = literal(form, type);
  if (!value)
    return {};
  return make<mlir::arith::ConstantOp>(form, value);
}

mlir::Value LiteralReader::constantInt(const Form *form, mlir::Type type, int64_t value) {
  return make<mlir::arith::ConstantOp>(form, builder.getIntegerAttr(type, value));
}
} // namespace lispier
