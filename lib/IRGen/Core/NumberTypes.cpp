//===- NumberTypes.cpp - the types that bare numbers take -----------------===//
#include "NumberTypes.h"
#include "NumberText.h"
#include "lispier/Syntax/Form.h"
#include "mlir/IR/TypeUtilities.h"

using namespace llvm;

namespace lispier {
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

mlir::Type defaultType(bool isFraction, mlir::Builder &builder) {
  return isFraction ? mlir::Type(builder.getF64Type()) : mlir::Type(builder.getI64Type());
}

mlir::Attribute plainNumber(const Form *form, mlir::Builder &builder) {
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

mlir::Type literalType(const Form *literal, mlir::Type hint, mlir::Builder &builder) {
  auto shaped = dyn_cast_if_present<mlir::ShapedType>(hint);
  if (hint && (shaped ? shaped.getElementType() : hint).isIntOrIndexOrFloat())
    return hint;
  return literal->isBool() ? mlir::Type(builder.getI1Type()) : defaultType(isFraction(literal), builder);
}

bool canHold(mlir::Type type, bool isFraction) {
  if (!type || isa<mlir::BaseMemRefType>(type))
    return false;
  mlir::Type element = mlir::getElementTypeOrSelf(type);
  return element.isIntOrIndexOrFloat() && !(isFraction && element.isIntOrIndex());
}

bool isWiderFloat(mlir::Type other, mlir::Type type) {
  return isa_and_present<mlir::FloatType>(other) && isa_and_present<mlir::FloatType>(type) &&
         type.getIntOrFloatBitWidth() < other.getIntOrFloatBitWidth();
}

mlir::Type jointType(ArrayRef<mlir::Type> elements) {
  mlir::Type widest;
  for (mlir::Type element : elements)
    if (!widest || (isa<mlir::FloatType>(element) && !isa<mlir::FloatType>(widest)) || isWiderFloat(element, widest))
      widest = element;
  return widest;
}

mlir::Type typeBesideTensor(mlir::Type element) {
  bool isNarrow = isa<mlir::FloatType>(element) && element.getIntOrFloatBitWidth() < 32;
  return isNarrow ? mlir::Type(mlir::Float32Type::get(element.getContext())) : element;
}

mlir::Type typeOfNumbers(ArrayRef<const Form *> literals, mlir::Type hint, mlir::Builder &builder) {
  bool isFraction = any_of(literals, [](const Form *item) {
    return item->isSymbol() || (item->isNumber() && item->text().find_first_of(".eE") != StringRef::npos &&
                                !item->text().starts_with("0x"));
  });
  mlir::Type element = hint ? mlir::getElementTypeOrSelf(hint) : hint;
  bool fits = hint && element.isIntOrIndexOrFloat() && !(isFraction && element.isIntOrIndex());
  return fits ? hint : defaultType(isFraction, builder);
}

void ArgumentNumbers::consider(mlir::Type type, bool integers) {
  if (!type || isa<mlir::BaseMemRefType>(type))
    return;
  mlir::Type element = mlir::getElementTypeOrSelf(type);
  if (integers && !anyNumber && element.isIntOrIndexOrFloat())
    anyNumber = element;
  if (!anyFloat && isa<mlir::FloatType>(element))
    anyFloat = element;
}
} // namespace lispier
