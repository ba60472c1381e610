//===- Literals.cpp - numbers, once their type is known -------------------===//
#include "Literals.h"
#include "CoreParts.h"
#include "FunctionScope.h"
#include "Numbers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/Support/Error.h"

using namespace llvm;

namespace lispier {
namespace {
bool isSpecialFloat(StringRef text) { return text == "+inf" || text == "-inf" || text == "inf" || text == "nan"; }

/// Parses exact integers: 3, -7, 0xff, 0b101, 1_000.
std::optional<APInt> exactInteger(StringRef text) {
  std::string digits;
  for (char c : text)
    if (c != '_')
      digits.push_back(c);
  StringRef rest = digits;
  bool negative = rest.consume_front("-");
  if (!negative)
    rest.consume_front("+");
  unsigned radix = 10;
  if (rest.consume_front("0x") || rest.consume_front("0X"))
    radix = 16;
  else if (rest.consume_front("0b") || rest.consume_front("0B"))
    radix = 2;
  APInt value;
  if (rest.empty() || rest.getAsInteger(radix, value))
    return std::nullopt;
  value = value.zext(value.getBitWidth() + 1);
  if (negative)
    value.negate();
  return value;
}

/// The width of the smallest signless type that can represent it.
unsigned bitsOf(const APInt &value) { return value.isNegative() ? value.getSignificantBits() : value.getActiveBits(); }

std::optional<APFloat> exactFloat(StringRef text, const fltSemantics &semantics) {
  if (text == "nan")
    return APFloat::getNaN(semantics);
  if (isSpecialFloat(text))
    return APFloat::getInf(semantics, text.starts_with("-"));
  std::string digits;
  for (char c : text)
    if (c != '_')
      digits.push_back(c);
  if (std::optional<APInt> integer = exactInteger(text)) {
    APFloat value(semantics);
    value.convertFromAPInt(*integer, /*IsSigned=*/true, APFloat::rmNearestTiesToEven);
    return value;
  }
  APFloat value(semantics);
  auto status = value.convertFromString(digits, APFloat::rmNearestTiesToEven);
  if (!status) {
    consumeError(status.takeError());
    return std::nullopt;
  }
  return value;
}
/// Whether a number such as 1e3 is an integer that f64 represents exactly.
bool isWhole(const APFloat &real) { return real.isInteger() && std::abs(real.convertToDouble()) < 9.0e15; }
} // namespace

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

bool isTooLarge(const Form *number) {
  std::optional<APInt> value = number->isNumber() ? exactInteger(number->text()) : std::nullopt;
  return value && bitsOf(*value) > 64;
}

bool isFraction(const Form *number) {
  if (exactInteger(number->text()))
    return false;
  std::optional<APFloat> real = exactFloat(number->text(), APFloat::IEEEdouble());
  return number->text().contains('.') || (real && !isWhole(*real));
}

/// Without a type: i64 if integral (so 1.0 is the integer 1), else f64.
mlir::Attribute LiteralReader::plainNumber(const Form *form) {
  if (std::optional<APInt> value = exactInteger(form->text())) {
    if (value->getSignificantBits() <= 64)
      return builder.getI64IntegerAttr(value->sextOrTrunc(64).getSExtValue());
    if (!value->isNegative() && value->getActiveBits() <= 64)
      return builder.getIntegerAttr(builder.getI64Type(), value->zextOrTrunc(64));
  }
  std::optional<APFloat> real = exactFloat(form->text(), APFloat::IEEEdouble());
  if (!real)
    return {};
  if (isWhole(*real))
    return builder.getI64IntegerAttr(int64_t(real->convertToDouble()));
  return builder.getF64FloatAttr(real->convertToDouble());
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
