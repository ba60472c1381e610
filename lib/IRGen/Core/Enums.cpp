//===- Enums.cpp - attribute values of a kind that ODS names --------------===//
//
// Reads a form as the attribute kind that the op's ODS definition declares, or
// returns null. Attributes.cpp calls this before it tries other candidates.
//
//===----------------------------------------------------------------------===//
#include "AttributeReadings.h"
#include "Attributes.h"
#include "CoreParts.h"
#include "Literals.h"
#include "StructTypes.h"
#include "Types.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace llvm;

namespace lispier {
/// Linkage as numbers, which existing programs contain: 0 is private, 10 external.
mlir::Attribute AttributeReader::linkageOf(const Form *number) {
  using L = mlir::LLVM::Linkage;
  constexpr L linkages[] = {L::Private,   L::Internal,   L::AvailableExternally, L::Linkonce, L::Weak,    L::Common,
                            L::Appending, L::ExternWeak, L::LinkonceODR,         L::WeakODR,  L::External};
  std::optional<int64_t> index = gen.literals.integerOf(number);
  return index && *index >= 0 && *index < int64_t(std::size(linkages))
             ? mlir::LLVM::LinkageAttr::get(&context, linkages[*index])
             : mlir::LLVM::LinkageAttr();
}

/// `word` in an attribute of a dialect: "#gpu.dim" and "x" are #gpu<dim x>. Null if it does not parse.
mlir::Attribute AttributeReader::spelledAttribute(StringRef mnemonic, StringRef word) {
  auto [dialect, name] = mnemonic.split('.');
  for (const std::string &text : {(mnemonic + "<" + word + ">").str(), (dialect + "<" + name + " " + word + ">").str()})
    if (mlir::Attribute parsed = parseAttributeText(text))
      return parsed;
  return {};
}

mlir::Attribute AttributeReader::readWordAs(const ods::AttributeKindRow &kind, StringRef word) {
  using Kind = ods::AttributeKind;
  StringRef text = ods::text(kind.text);
  switch (kind.kind) {
  case Kind::String:
    word.consume_front("@");
    return builder.getStringAttr(word);
  case Kind::Type: {
    mlir::Type type = gen.structTypes.known.contains(word) ? mlir::Type() : gen.types.readType(word);
    return type ? mlir::TypeAttr::get(type) : mlir::Attribute();
  }
  case Kind::Symbol:
  case Kind::FlatSymbol:
    return word.empty() || word.starts_with("@") ? mlir::Attribute() : mlir::FlatSymbolRefAttr::get(&context, word);
  case Kind::AffineMap:
    return dyn_cast_if_present<mlir::AffineMapAttr>(parseAttributeText(word));
  case Kind::IntegerSet:
    return dyn_cast_if_present<mlir::IntegerSetAttr>(parseAttributeText(word));
  case Kind::IntegerEnum:
    for (const ods::EnumCaseRow &one : ods::casesOf(kind))
      if (!text.empty() && ods::text(one.word) == word)
        return builder.getIntegerAttr(mlir::parseType(text, &context), one.value);
    return {};
  case Kind::Enum:
  case Kind::Dialect:
    return text.empty() || word.empty() || word.contains('<') || word.starts_with("@") ? mlir::Attribute()
                                                                                       : spelledAttribute(text, word);
  default:
    return {};
  }
}

mlir::Attribute AttributeReader::readNumberAs(const ods::AttributeKindRow &kind, const Form *value) {
  using Kind = ods::AttributeKind;
  if (kind.kind == Kind::Dialect && ods::text(kind.text) == "#llvm.linkage")
    return linkageOf(value);
  bool isNumberKind = kind.kind == Kind::Bool || kind.kind == Kind::Integer || kind.kind == Kind::Float;
  StringRef text = kind.kind == Kind::Bool ? "i1" : ods::text(kind.text);
  if (!isNumberKind || text.empty())
    return {};
  mlir::Type type = mlir::parseType(text, &context);
  if (auto real = dyn_cast<mlir::FloatType>(type)) {
    APFloat number(0.0);
    double wide;
    bool loses;
    if (value->text().getAsDouble(wide))
      return gen.literals.literal(value, type);
    number = APFloat(wide);
    number.convert(real.getFloatSemantics(), APFloat::rmNearestTiesToEven, &loses);
    return number.isInfinity() ? mlir::Attribute()
                               : gen.literals.literal(value, type); // Not readable as this kind; no error.
  }
  std::optional<int64_t> integer =
      value->isBool() ? std::optional<int64_t>(value->boolean()) : gen.literals.integerOf(value);
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  if (!integer || !(isIntN(width, *integer) || (*integer >= 0 && isUIntN(width, *integer))))
    return {};
  return mlir::IntegerAttr::get(type, APInt(type.isIndex() ? 64 : width, *integer, /*isSigned=*/true,
                                            /*implicitTrunc=*/true));
}

mlir::Attribute AttributeReader::readArrayAs(const ods::AttributeKindRow &kind, const Form *value) {
  if (kind.kind == ods::AttributeKind::Array) {
    const ods::AttributeKindRow &element = ods::elementKindOf(kind);
    SmallVector<mlir::Attribute> items;
    for (const Form *item : value->items()) {
      mlir::Attribute read = readAs(element, item);
      items.push_back(read ? read : naturalAttribute(item));
      if (!items.back())
        return {};
    }
    return builder.getArrayAttr(items);
  }
  if (kind.kind != ods::AttributeKind::DenseArray)
    return {};
  StringRef type = ods::text(kind.text);
  SmallVector<int64_t> integers;
  SmallVector<double> reals;
  for (const Form *item : value->items()) {
    double real;
    std::optional<int64_t> integer =
        item->isBool() ? std::optional<int64_t>(item->boolean()) : gen.literals.integerOf(item);
    if (type.starts_with("f") ? !item->isNumber() || item->text().getAsDouble(real) : !integer)
      return {};
    if (type.starts_with("f"))
      reals.push_back(real);
    else
      integers.push_back(*integer);
  }
  auto as = [&]<typename T>(mlir::detail::DenseArrayAttrImpl<T>, const auto &from) -> mlir::Attribute {
    return mlir::detail::DenseArrayAttrImpl<T>::get(&context, SmallVector<T>(from.begin(), from.end()));
  };
  return type == "i1"    ? as(mlir::DenseBoolArrayAttr(), integers)
         : type == "i8"  ? as(mlir::DenseI8ArrayAttr(), integers)
         : type == "i16" ? as(mlir::DenseI16ArrayAttr(), integers)
         : type == "i32" ? as(mlir::DenseI32ArrayAttr(), integers)
         : type == "i64" ? as(mlir::DenseI64ArrayAttr(), integers)
         : type == "f32" ? as(mlir::DenseF32ArrayAttr(), reals)
         : type == "f64" ? as(mlir::DenseF64ArrayAttr(), reals)
                         : mlir::Attribute();
}

/// Reads `value` as an attribute of this kind; null, and nothing reported, if that is not possible.
mlir::Attribute AttributeReader::readAs(const ods::AttributeKindRow &kind, const Form *value) {
  using Kind = ods::AttributeKind;
  if (value->isCall(":") && value->size() == 3 && ((*value)[1]->isNumber() || (*value)[1]->isBool()))
    return readAs(kind, (*value)[1]); // (: 7 i32) where the op wants another width: its own type is ignored.
  if (value->isBool()) {
    if (kind.kind == Kind::Unit)
      return value->boolean() ? builder.getUnitAttr() : mlir::UnitAttr();
    if (kind.kind == Kind::Bool)
      return builder.getBoolAttr(value->boolean());
    if (kind.kind == Kind::Enum ||
        kind.kind == Kind::IntegerEnum) // The predicate of a comparison may be `true` or `false`.
      return readWordAs(kind, value->boolean() ? "true" : "false");
    return kind.kind == Kind::Integer ? readNumberAs(kind, value) : mlir::Attribute();
  }
  if (value->isNumber())
    return readNumberAs(kind, value);
  if (value->isVector())
    return readArrayAs(kind, value);
  if (kind.kind == Kind::Type && gen.structTypes.known.contains(value->text())) {
    mlir::Type type = gen.types.parseType(value);
    return type ? mlir::TypeAttr::get(type) : mlir::Attribute();
  }
  bool isWord = value->isString() || value->isSymbol() || value->isKeyword();
  return isWord ? readWordAs(kind, value->text()) : mlir::Attribute();
}
} // namespace lispier
