//===- Attributes.cpp - attribute values, fitted to what the op declares --===//
//
// A value is read as the kind that ODS declares (Enums.cpp). For constraints that
// exist only in C++, and for ops without a row in the ODS tables, IRGen makes a
// list of candidate attributes and uses the first one that the op accepts.
//
//===----------------------------------------------------------------------===//
#include "Attributes.h"
#include "AttributeReadings.h"
#include "CoreParts.h"
#include "Literals.h"
#include "NumberTypes.h"
#include "OpDraft.h"
#include "OpForms.h"
#include "Segments.h"
#include "StructTypes.h"
#include "Types.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Diagnostics.h"

using namespace llvm;

namespace lispier {
PropertyStorage::PropertyStorage(mlir::RegisteredOperationName op) : op(op) {
  if (int bytes = op.getOpPropertyByteSize()) {
    storage.resize((bytes + sizeof(Word) - 1) / sizeof(Word));
    op.initOpProperties(get(), mlir::OpaqueProperties(nullptr));
  }
}

PropertyStorage::~PropertyStorage() {
  if (!storage.empty())
    op.destroyOpProperties(get());
}

mlir::LogicalResult PropertyStorage::set(mlir::DictionaryAttr values) {
  if (storage.empty())
    return mlir::success();
  return op.setOpPropertiesFromAttribute(op, get(), values,
                                         [&] { return mlir::emitError(mlir::UnknownLoc::get(values.getContext())); });
}

/// The older spelling of dense arrays: `array<i32: 0 1 1>`.
static std::string withCommas(StringRef text) {
  auto [head, items] = text.split(':');
  SmallVector<StringRef> words;
  items.trim().rtrim('>').split(words, ' ', -1, /*KeepEmpty=*/false);
  std::string joined;
  for (StringRef word : words)
    joined += (joined.empty() ? "" : ", ") + word.trim(", \t\n").str();
  return (head + ": " + joined + ">").str();
}

mlir::Attribute AttributeReader::parseAttributeText(StringRef text, mlir::Type type, std::string *why) {
  mlir::Attribute parsed;
  if (text.trim().empty())
    return parsed;
  if (nestsTooDeep(text)) {
    if (why)
      *why = "its brackets nest deeper than " + std::to_string(kMaxTextNesting);
    return parsed;
  }
  Captured message = capture([&] { parsed = mlir::parseAttribute(text, &context, type); });
  if (!parsed && text.starts_with("array<"))
    capture([&] { parsed = mlir::parseAttribute(withCommas(text), &context, type); });
  if (why && !parsed)
    *why = message.message;
  return parsed;
}

namespace {
/// Whether a string is MLIR text of an attribute: "#llvm.linkage<external>", "dense<..> : T".
bool looksLikeAttribute(StringRef text) {
  return text.starts_with("#") || text.starts_with("array<") || text.starts_with("dense<") || text == "array<" ||
         text.starts_with("dense_resource<") || text.starts_with("sparse<");
}
bool hasBrackets(StringRef text) { return text.contains('<') && text.contains('>'); }
} // namespace

mlir::Attribute AttributeReader::symbolReference(StringRef text) {
  StringRef name = text.drop_front();
  if (name.contains("::") || name.contains('"'))
    return parseAttributeText(text);
  return mlir::FlatSymbolRefAttr::get(&context, name);
}

mlir::Attribute AttributeReader::naturalAttribute(const Form *form) {
  StringRef text = form->text();
  auto typeAttribute = [&]() -> mlir::Attribute {
    mlir::Type type;
    if (gen.structTypes.known.contains(text))
      type = gen.types.parseType(form);
    else
      type = gen.types.readType(text);
    return type ? mlir::TypeAttr::get(type) : mlir::Attribute();
  };
  switch (form->kind()) {
  case FormKind::String:
    if (text.starts_with("@") && text.size() > 1)
      return symbolReference(text);
    if (looksLikeAttribute(text))
      return parseAttributeText(text);
    return builder.getStringAttr(text);
  case FormKind::Symbol:
    if (text.starts_with("@") && text.size() > 1)
      return symbolReference(text);
    if (hasBrackets(text) || text.starts_with("#"))
      if (mlir::Attribute parsed = parseAttributeText(text))
        return parsed;
    return typeAttribute();
  case FormKind::Number:
    return isTooLarge(form) ? gen.literals.literal(form, builder.getI64Type()) : plainNumber(form, builder);
  case FormKind::Bool:
    return builder.getBoolAttr(form->boolean());
  case FormKind::Nil:
  case FormKind::Keyword:
    return builder.getUnitAttr();
  case FormKind::Vector: {
    SmallVector<mlir::Attribute> items;
    for (const Form *item : form->items()) {
      items.push_back(naturalAttribute(item));
      if (!items.back())
        return {};
    }
    return builder.getArrayAttr(items);
  }
  case FormKind::Map: {
    mlir::NamedAttrList entries;
    for (size_t i = 0; i + 1 < form->size(); i += 2) {
      mlir::Attribute value = dialectAttribute((*form)[i]->text(), (*form)[i + 1]);
      if (!value)
        return {};
      if (value != absent())
        entries.set((*form)[i]->text(), value);
    }
    return entries.getDictionary(&context);
  }
  case FormKind::List:
    break;
  }
  if (form->isCall("->")) {
    mlir::Type type = gen.types.parseType(form);
    return type ? mlir::TypeAttr::get(type) : mlir::Attribute();
  }
  if (form->isCall(":") && form->size() == 3) {
    const Form *value = (*form)[1];
    mlir::Type type = gen.types.parseType((*form)[2]);
    if (!type)
      return {};
    bool isFloat = value->isSymbol() && isa<mlir::FloatType>(type); // +inf, -inf, nan
    if (value->isNumber() || value->isBool() || isFloat)
      return gen.literals.literal(value, type);
    // The type none keeps a string a string, even if its text could be parsed as another attribute.
    if (value->isString() && (isa<mlir::NoneType>(type) || !looksLikeAttribute(value->text())))
      return mlir::StringAttr::get(value->text(), type);
    if (value->isString() || value->isSymbol())
      return parseAttributeText(value->text().str() + " : " + mlir::debugString(type));
    if (value->isVector())
      return denseElements(value, type);
  }
  return {};
}

/// Reads `[[1 2] [3 4]]` as dense elements of a shaped type; null, and nothing reported, if it does not fit.
mlir::Attribute AttributeReader::denseElements(const Form *form, mlir::Type type) {
  if (!isa<mlir::ShapedType>(type))
    return {};
  std::string text;
  bool isFloat = isa<mlir::FloatType>(cast<mlir::ShapedType>(type).getElementType());
  // MLIR's floats need a decimal point: 1.0e-5 instead of 1e-5.
  auto asReal = [&](const Form *number) {
    if (std::optional<int64_t> integer = gen.literals.integerOf(number))
      return itostr(*integer) + ".0";
    StringRef mantissa = number->text().take_until([](char c) { return c == 'e' || c == 'E'; });
    return (mantissa + (mantissa.contains('.') ? "" : ".0") + number->text().drop_front(mantissa.size())).str();
  };
  // MLIR's text of an infinity or a NaN is its bits.
  auto bitsOf = [&](const Form *name) {
    auto attribute = cast<mlir::FloatAttr>(gen.literals.literal(name, cast<mlir::ShapedType>(type).getElementType()));
    SmallString<32> digits;
    attribute.getValue().bitcastToAPInt().toString(digits, 16, /*Signed=*/false, /*formatAsCLiteral=*/true);
    return digits.str().str();
  };
  std::function<void(const Form *)> write = [&](const Form *item) {
    if (!item->isVector()) {
      text += item->isNumber() && isFloat                                   ? asReal(item)
              : isFloat && item->isSymbol() && gen.literals.isLiteral(item) ? bitsOf(item)
              : item->isNumber() || item->isSymbol()                        ? item->text().str()
                                                                            : item->str();
      return;
    }
    text += "[";
    ListSeparator comma(text.empty() ? "" : ", ");
    for (const auto &[i, child] : enumerate(item->items())) {
      if (i)
        text += ", ";
      write(child);
    }
    text += "]";
  };
  write(form);
  return parseAttributeText("dense<" + text + "> : " + mlir::debugString(type));
}

/// Whether the nested vector has, at each level, as many items as the shape has elements in that dimension.
bool AttributeReader::checkShape(const Form *form, mlir::ShapedType type, int64_t level) {
  int64_t wanted = level < type.getRank() ? type.getDimSize(level) : 0;
  if (level == type.getRank() ? !form->isVector() : form->isVector() && wanted == int64_t(form->size()))
    return level == type.getRank() ||
           all_of(form->items(), [&](const Form *item) { return checkShape(item, type, level + 1); });
  std::string text = mlir::debugString(type);
  if (!form->isVector())
    error("attr-kind", form,
          text + " has a vector of " + Twine(wanted) + " elements here, not " + describe(form->kind()));
  else if (level == type.getRank())
    error("attr-kind", form, text + " has one element here, not a vector");
  else
    error("attr-kind", form,
          text + " has " + Twine(wanted) + (wanted == 1 ? " element here, not " : " elements here, not ") +
              Twine(form->size()));
  return false;
}

bool AttributeReader::accepts(mlir::RegisteredOperationName op, StringRef key, mlir::Attribute value,
                              std::string *why) {
  if (!value)
    return false;
  mlir::NamedAttrList one;
  one.set(key, value);
  bool ok = true;
  Captured message = capture([&] {
    ok = succeeded(op.verifyInherentAttrs(one, [&] { return mlir::emitError(builder.getUnknownLoc()); }));
    PropertyStorage scratch(op);
    ok = ok && succeeded(scratch.set(one.getDictionary(&context)));
  });
  // An error about another, missing property does not concern this value.
  if (!ok && message) {
    Captured without = capture([&] { (void)PropertyStorage(op).set(builder.getDictionaryAttr({})); });
    ok = without && without.message == message.message;
  }
  if (!ok && why)
    *why = message.message;
  return ok;
}

bool AttributeReader::isInherent(mlir::RegisteredOperationName op, StringRef key) {
  if (std::optional<ods::Op> row = ods::Op::find(op.getStringRef()))
    return row->attribute(key) || (key == "operandSegmentSizes" && row->is(ods::OpRow::SizedOperands)) ||
           (key == "resultSegmentSizes" && row->is(ods::OpRow::SizedResults));
  if (any_of(op.getAttributeNames(), [&](mlir::StringAttr name) { return name == key; }))
    return true;
  // A property that is no attribute: its conversion rejects any attribute.
  std::string why;
  return op.getOpPropertyByteSize() && !accepts(op, key, builder.getUnknownLoc(), &why);
}

void AttributeReader::candidates(mlir::RegisteredOperationName op, StringRef key, const Form *value,
                                 SmallVectorImpl<mlir::Attribute> &out) {
  auto add = [&](mlir::Attribute attribute) {
    if (attribute)
      out.push_back(attribute);
  };
  StringRef text = value->text();
  if (value->isNumber()) {
    Captured ignored = capture([&] {
      for (unsigned width : {32u, 1u, 8u, 16u})
        if (std::optional<int64_t> integer = gen.literals.integerOf(value);
            integer && isIntN(width == 1 ? 2 : width, *integer))
          add(builder.getIntegerAttr(builder.getIntegerType(width), *integer));
      if (std::optional<int64_t> integer = gen.literals.integerOf(value)) {
        add(builder.getIndexAttr(*integer));
        for (unsigned width : {64u, 32u})
          for (bool isSigned : {true, false})
            add(mlir::IntegerAttr::get(builder.getIntegerType(width, isSigned), APInt(width, *integer, true, true)));
      }
      if (auto real = plainNumber(value, builder)) {
        auto asFloat = [&](mlir::FloatType type) -> mlir::Attribute {
          double number;
          if (text.getAsDouble(number))
            return gen.literals.literal(value, type);
          bool loses;
          APFloat converted(number);
          converted.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &loses);
          return converted.isInfinity() ? mlir::Attribute()
                                        : gen.literals.literal(value, type); // Not a candidate; no error.
        };
        add(asFloat(builder.getF32Type()));
        add(asFloat(builder.getF64Type()));
        add(asFloat(builder.getBF16Type()));
        add(asFloat(builder.getF16Type()));
      }
    });
    return;
  }
  if (value->isBool()) {
    if (value->boolean())
      add(builder.getUnitAttr());
    for (unsigned width : {32u, 64u})
      add(builder.getIntegerAttr(builder.getIntegerType(width), value->boolean()));
    return;
  }
  if (value->isString() || value->isSymbol() || value->isKeyword()) {
    if (text.starts_with("@"))
      add(builder.getStringAttr(text.drop_front()));
    if (!text.empty() && !text.contains('<') && !text.starts_with("@"))
      add(spelledAttribute(("#" + op.getDialectNamespace() + "." + key).str(), text));
    add(parseAttributeText(text));
    if (!text.empty()) {
      mlir::Type type;
      if (gen.structTypes.known.contains(text))
        type = gen.types.parseType(value);
      else
        type = gen.types.readType(text);
      if (type)
        add(mlir::TypeAttr::get(type));
    }
    if (!value->isString())
      add(builder.getStringAttr(text));
    if (!text.empty() && !text.starts_with("@"))
      add(mlir::FlatSymbolRefAttr::get(&context, text));
    return;
  }
  if (value->isVector())
    arrayCandidates(op, key, value, out);
  // (: 7 i32) where the op wants another width: also try the number without its type.
  if (value->isCall(":") && value->size() == 3 && ((*value)[1]->isNumber() || (*value)[1]->isBool()))
    candidates(op, key, (*value)[1], out);
}

void AttributeReader::arrayCandidates(mlir::RegisteredOperationName op, StringRef key, const Form *value,
                                      SmallVectorImpl<mlir::Attribute> &out) {
  SmallVector<int64_t> integers;
  SmallVector<double> reals;
  for (const Form *item : value->items()) {
    if (std::optional<int64_t> integer =
            item->isBool() ? std::optional<int64_t>(item->boolean()) : gen.literals.integerOf(item))
      integers.push_back(*integer);
    double real;
    if (item->isNumber() && !item->text().getAsDouble(real))
      reals.push_back(real);
  }
  if (integers.size() == value->size()) {
    SmallVector<int32_t> narrow(integers.begin(), integers.end());
    SmallVector<int16_t> i16s(integers.begin(), integers.end());
    SmallVector<int8_t> i8s(integers.begin(), integers.end());
    SmallVector<bool> bools(integers.begin(), integers.end());
    out.append({builder.getDenseI64ArrayAttr(integers), builder.getDenseI32ArrayAttr(narrow),
                builder.getDenseBoolArrayAttr(bools), mlir::DenseI16ArrayAttr::get(&context, i16s),
                builder.getDenseI8ArrayAttr(i8s), builder.getI32ArrayAttr(narrow), builder.getIndexArrayAttr(integers),
                builder.getBoolArrayAttr(bools)});
    out.push_back(mlir::DenseElementsAttr::get(mlir::RankedTensorType::get(integers.size(), builder.getI64Type()),
                                               ArrayRef(integers)));
    out.push_back(mlir::DenseElementsAttr::get(mlir::RankedTensorType::get(narrow.size(), builder.getI32Type()),
                                               ArrayRef(narrow)));
  }
  if (reals.size() == value->size()) {
    SmallVector<float> singles(reals.begin(), reals.end());
    out.append({builder.getDenseF32ArrayAttr(singles), builder.getDenseF64ArrayAttr(reals),
                builder.getF32ArrayAttr(singles), builder.getF64ArrayAttr(reals)});
  }
  // Try the candidates element by element; the same candidate index applies to all elements of an array.
  SmallVector<SmallVector<mlir::Attribute>> readings;
  size_t most = 0;
  for (const Form *item : value->items()) {
    SmallVector<mlir::Attribute> &ways = readings.emplace_back();
    if (item->isVector())
      arrayCandidates(op, key, item, ways);
    else
      candidates(op, key, item, ways);
    most = std::max(most, ways.size());
  }
  for (size_t way = 0; way < most; ++way) {
    SmallVector<mlir::Attribute> items;
    for (auto &ways : readings)
      if (way < ways.size())
        items.push_back(ways[way]);
    if (items.size() == readings.size())
      out.push_back(builder.getArrayAttr(items));
  }
}

/// The ODS row of the attribute `key` of `op`; null if there is none.
static const ods::AttributeKindRow *kindOf(mlir::RegisteredOperationName op, StringRef key) {
  std::optional<ods::Op> row = ods::Op::find(op.getStringRef());
  const ods::AttributeRow *attribute = row ? row->attribute(key) : nullptr;
  return attribute ? &ods::kindOf(*attribute) : nullptr;
}

/// Whether a value that cannot be read as this kind is an error. For other kinds C++ may accept more than ODS declares.
static bool isDecided(const ods::AttributeKindRow &kind) {
  using Kind = ods::AttributeKind;
  switch (kind.kind) {
  case Kind::Unit:
  case Kind::Bool:
  case Kind::String:
  case Kind::Type:
  case Kind::FlatSymbol:
  case Kind::DenseArray:
    return true;
  case Kind::Integer:
  case Kind::Float:
  case Kind::Enum:
  case Kind::IntegerEnum:
    return !ods::text(kind.text).empty();
  default:
    return false;
  }
}

/// The shaped type of a global's initializer: the tensor type for a memref or an LLVM array.
static mlir::Type contentsOf(mlir::Type type) {
  SmallVector<int64_t> shape;
  mlir::Type element = type;
  while (auto array = dyn_cast_if_present<mlir::LLVM::LLVMArrayType>(element)) {
    shape.push_back(array.getNumElements());
    element = array.getElementType();
  }
  if (auto memref = dyn_cast_if_present<mlir::MemRefType>(type))
    return mlir::RankedTensorType::get(memref.getShape(), memref.getElementType());
  return shape.empty() || !mlir::TensorType::isValidElementType(element) ? type
                                                                         : mlir::RankedTensorType::get(shape, element);
}

/// A function type as one of LLVM's; null if the attribute is none, or LLVM has no such type.
static mlir::Type llvmFunctionType(mlir::Attribute natural) {
  auto given = dyn_cast_if_present<mlir::TypeAttr>(natural);
  auto type = given ? dyn_cast<mlir::FunctionType>(given.getValue()) : mlir::FunctionType();
  if (!type || type.getNumResults() > 1 || !all_of(type.getInputs(), mlir::LLVM::isCompatibleType) ||
      !all_of(type.getResults(), mlir::LLVM::isCompatibleType))
    return {};
  mlir::Type result = type.getNumResults() ? type.getResult(0) : mlir::LLVM::LLVMVoidType::get(type.getContext());
  return mlir::LLVM::LLVMFunctionType::get(result, type.getInputs());
}

/// The words of an enumeration, those that are like `value` first.
static std::string casesInWords(const ods::AttributeKindRow &kind, const Form *value) {
  std::vector<std::string> words;
  for (const ods::EnumCaseRow &row : ods::casesOf(kind))
    words.push_back(ods::text(row.word).str());
  bool isWord = value->isSymbol() || value->isString() || value->isKeyword();
  std::string near = isWord ? didYouMean(value->text(), words) : "";
  return (near.empty() ? "" : near + " ") + "its cases are: " + join(words, ", ");
}

mlir::Attribute AttributeReader::coerce(OpDraft &draft, StringRef key, const Form *value) {
  mlir::RegisteredOperationName op = *mlir::RegisteredOperationName::lookup(draft.name, &context);
  unsigned errorsBefore = diags.errors();
  mlir::Attribute natural;
  // The value of a constant takes the type of its result.
  mlir::Type wanted;
  if (key == "value" && draft.resultTypes && draft.resultTypes->size() == 1)
    wanted = draft.resultTypes->front();
  else if (const Form *global = draft.map->get(key == "value" ? "global_type" : "type");
           global && (key == "value" || key == "initial_value"))
    wanted = contentsOf(gen.types.parseType(global));
  if (auto shaped = dyn_cast_if_present<mlir::ShapedType>(wanted);
      shaped && shaped.hasStaticShape() && value->isVector())
    if (!checkShape(value, shaped, 0))
      return {};
  if (wanted && (value->isNumber() || value->isBool())) {
    mlir::Type element = isa<mlir::ShapedType>(wanted) ? cast<mlir::ShapedType>(wanted).getElementType() : wanted;
    if (element.isIntOrIndexOrFloat()) {
      mlir::TypedAttr typed = gen.literals.literal(value, wanted);
      if (!typed)
        return {};
      natural = typed;
    }
  } else if (wanted && value->isVector())
    natural = denseElements(value, wanted);
  else if (wanted && (value->isSymbol() || value->isString()) && value->text().starts_with("dense<") &&
           !value->text().contains("> :")) {
    std::string why;
    natural = parseAttributeText(value->text().str() + " : " + mlir::debugString(wanted), {}, &why);
    if (!natural && isa<mlir::ShapedType>(wanted)) {
      error("attr-kind", value, "`:" + key + "` does not fit " + mlir::debugString(wanted))
          .withHint("MLIR says: " + why);
      return {};
    }
  }
  if (!natural)
    natural = naturalAttribute(value);
  if (diags.errors() != errorsBefore)
    return {};
  std::string why;
  if (accepts(op, key, natural, &why))
    return natural;
  SmallVector<mlir::Attribute> readings;
  const ods::AttributeKindRow *kind = kindOf(op, key);
  if (kind)
    if (mlir::Attribute exact = readAs(*kind, value))
      readings.push_back(exact);
  if (!kind || !isDecided(*kind))
    candidates(op, key, value, readings);
  else if (mlir::Attribute spelled = parseAttributeText(value->text()))
    readings.push_back(spelled);
  for (mlir::Attribute reading : readings)
    if (accepts(op, key, reading, why.empty() ? &why : nullptr))
      return reading;
  if (value->isBool() && !value->boolean() && accepts(op, key, builder.getUnitAttr()))
    return absent();
  if (diags.errors() != errorsBefore)
    return {};
  std::string syntax;
  if (key == "operandSegmentSizes" && isa_and_present<mlir::DenseI32ArrayAttr>(natural)) {
    gen.grouper.segmentsDoNotFit(draft, value, cast<mlir::DenseI32ArrayAttr>(natural).size());
    return {};
  }
  if (!natural && (value->isString() || value->isSymbol()))
    parseAttributeText(value->text(), {}, &syntax);
  Diag &diag = error("attr-kind", value, "`:" + key + "` of `" + draft.name + "` cannot be " + value->str());
  mlir::Type ofLlvm = llvmFunctionType(natural);
  if (kind && !ods::casesOf(*kind).empty())
    diag.withHint(casesInWords(*kind, value));
  else if (ofLlvm && accepts(op, key, mlir::TypeAttr::get(ofLlvm)))
    diag.withHint("an LLVM function type is written \"" + mlir::debugString(ofLlvm) + "\"");
  else if (kind && !why.empty() && !ods::text(kind->summary).empty()) // A reading was of another kind.
    diag.withHint("expected: " + ods::text(kind->summary));
  else if (!syntax.empty() && (value->text().starts_with("#") || hasBrackets(value->text())))
    diag.withHint("MLIR says: " + syntax);
  return {};
}

/// Sentinel for "leave the key out", as for `:constant false` on a unit attribute.
mlir::Attribute AttributeReader::absent() { return builder.getStringAttr("lispier.absent"); }

mlir::Attribute AttributeReader::dialectAttribute(StringRef key, const Form *value) {
  if (value->isBool() && isUnitKey(key))
    return value->boolean() ? builder.getUnitAttr() : absent();
  return naturalAttribute(value);
}

/// Whether `key` names operands of the op and no attribute.
static bool isOperandName(mlir::RegisteredOperationName op, StringRef key) {
  std::optional<ods::Op> row = ods::Op::find(op.getStringRef());
  return row && !row->attribute(key) &&
         any_of(row->operands(), [&](const ods::ValueRow &operand) { return ods::text(operand.name) == key; });
}

bool AttributeReader::attributes(OpDraft &draft) {
  if (!draft.map)
    return true;
  bool ok = true;
  mlir::RegisteredOperationName op = *mlir::RegisteredOperationName::lookup(draft.name, &context);
  if (const Form *given = draft.map->get("result")) {
    auto types = gen.types.parseTypes(given);
    if (succeeded(types))
      draft.resultTypes = std::move(*types);
    else
      ok = false;
    draft.resultsGiven = true;
  }
  bool isLinalg = draft.isOf<mlir::linalg::LinalgDialect>();
  for (size_t i = 0; i + 1 < draft.map->size(); i += 2) {
    const Form *keyForm = (*draft.map)[i], *value = (*draft.map)[i + 1];
    StringRef key = attributeOfKey(draft.name, keyForm->text());
    if (key == "result" || key == "successors" || (isLinalg && (key == "ins" || key == "outs")) ||
        isKeyOfShortForm(draft.name, key))
      continue;
    mlir::Attribute attribute;
    if (isOperandName(op, key)) {
      error("attr-unknown", keyForm, "`:" + key + "` of `" + draft.name + "` is operands, not an attribute")
          .withHint("operands stand behind the map: (" + draft.name + " {...} " +
                    gen.grouper.segmentNames(draft.name, " ") + ")");
      ok = false;
      continue;
    }
    if (isInherent(op, key)) {
      attribute = coerce(draft, key, value);
      if (attribute && attribute == absent())
        continue;
    } else {
      SmallVector<std::string> names;
      for (mlir::StringAttr name : op.getAttributeNames())
        names.push_back(name.str());
      if (!key.contains('.') && !key.contains('-') && !isUndeclaredKey(draft.name, key) &&
          !nearMisses(key, names).empty()) {
        error("attr-unknown", keyForm, "`" + draft.name + "` has no attribute `:" + key + "`")
            .withHint(didYouMean(key, names) + " its attributes are: " + join(names, ", "));
        ok = false;
        continue;
      }
      unsigned errorsBefore = diags.errors();
      attribute = dialectAttribute(key, value);
      if (attribute && attribute == absent())
        continue;
      if (!attribute && diags.errors() == errorsBefore)
        error("attr-kind", value, "`:" + key + "` cannot be " + value->str())
            .withHint("attributes are numbers, strings, types, @symbols, true, false, vectors and maps of them, and "
                      "MLIR's attribute texts");
    }
    ok &= bool(attribute);
    if (attribute)
      draft.attributes.set(key, attribute);
  }
  return ok;
}
} // namespace lispier
