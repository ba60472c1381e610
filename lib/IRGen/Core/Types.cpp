//===- Types.cpp - reading types and signatures ---------------------------===//
#include "Types.h"
#include "AttributeReadings.h"
#include "CoreParts.h"
#include "Literals.h"
#include "Messages.h"
#include "RecordTypes.h"
#include "StructTypes.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Diagnostics.h"

using namespace llvm;

namespace lispier {
namespace {
/// Names of types in other languages, for hints.
StringRef usualSpelling(StringRef text) {
  return StringSwitch<StringRef>(text)
      .Cases({"int", "int32", "int32_t", "Int"}, "i32")
      .Cases({"long", "int64", "int64_t"}, "i64")
      .Cases({"short", "int16", "int16_t"}, "i16")
      .Cases({"char", "byte", "int8", "int8_t", "uint8_t"}, "i8")
      .Cases({"bool", "boolean", "Bool"}, "i1")
      .Cases({"float", "float32", "single"}, "f32")
      .Cases({"double", "float64"}, "f64")
      .Cases({"half", "float16"}, "f16")
      .Cases({"bfloat16", "bfloat"}, "bf16")
      .Cases({"size_t", "usize", "isize"}, "index")
      .Cases({"ptr", "llvm.ptr", "pointer"}, "!llvm.ptr")
      .Cases({"void", "unit"}, "[]")
      .Default("");
}
} // namespace

bool nestsTooDeep(StringRef text) {
  unsigned depth = 0;
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '"' && (i == 0 || text[i - 1] != '\\'))
      inString = !inString;
    if (inString)
      continue;
    if (StringRef("<([{").contains(c) && ++depth > kMaxTextNesting)
      return true;
    if (StringRef(">)]}").contains(c) && depth && !(c == '>' && i && text[i - 1] == '-'))
      --depth;
  }
  return false;
}

mlir::Type TypeReader::readType(StringRef text) {
  mlir::Type type;
  if (!text.empty() && !nestsTooDeep(text))
    capture([&] { type = mlir::parseType(text, &context); });
  return type;
}

mlir::Type TypeReader::parseTypeText(StringRef text, const Form *form, unsigned columnOffset) {
  if (auto found = cache.find(text); found != cache.end())
    return found->second;
  if (gen.recordTypes.find(text))
    return gen.recordTypes.typeOf(form, 0);
  if (auto known = gen.structTypes.known.find(text); known != gen.structTypes.known.end()) {
    gen.structTypes.layOut(known->second);
    return known->second.type;
  }
  if (nestsTooDeep(text)) {
    error("type-parse", form, "the brackets of this type nest deeper than " + Twine(kMaxTextNesting));
    return {};
  }
  std::string message;
  unsigned column = 0;
  mlir::Type type;
  {
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diag) {
      if (message.empty() && diag.getSeverity() == mlir::DiagnosticSeverity::Error) {
        message = diag.str();
        if (auto place = dyn_cast<mlir::FileLineColLoc>(diag.getLocation()); place && place.getLine() == 1)
          column = place.getColumn();
      }
      return mlir::success();
    });
    if (!text.empty())
      type = mlir::parseType(text, &context);
  }
  if (type)
    return cache[text] = type;
  SMRange range = form->range();
  // The column within the token, if the token's text is the type's text unchanged.
  if (column > 1 && column <= text.size() && range.isValid()) {
    const char *start = range.Start.getPointer() + columnOffset;
    if (start + text.size() <= range.End.getPointer() && StringRef(start, text.size()) == text)
      range.Start = SMLoc::getFromPointer(start + column - 1);
  }
  if (text.empty())
    message = "the text is empty";
  Diag &diag = gen.messages.error("type-parse", range, form,
                                  "`" + text + "` is no type: " + (message.empty() ? "unknown" : message));
  if (StringRef usual = usualSpelling(text); !usual.empty())
    diag.withHint("did you mean `" + usual + "`?");
  else {
    std::vector<std::string> names{"i1", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64", "index", "none"};
    for (auto &known : gen.structTypes.known)
      names.push_back(known.first().str());
    if (std::string hint = didYouMean(text, names); !hint.empty())
      diag.withHint(hint);
  }
  return {};
}

const Form *TypeReader::withoutInout(const Form *type) {
  return type->isCall("inout") && type->size() == 2 ? (*type)[1] : type;
}

bool TypeReader::isInout(const Form *parameter) {
  return parameter->isCall(":") && parameter->size() == 3 &&
         ((*parameter)[2]->isCall("inout") || (*parameter)[2]->isSymbol("inout"));
}

ArrayRef<const Form *> TypeReader::dimensionsOfType(const Form *type) {
  type = type ? withoutInout(type) : nullptr;
  return type && type->isCall("tensor") && type->size() > 1 ? type->items().drop_front().drop_back()
                                                            : ArrayRef<const Form *>();
}

ArrayRef<const Form *> TypeReader::dimensions(const Form *parameter) {
  return parameter->isCall(":") && parameter->size() == 3 ? dimensionsOfType((*parameter)[2])
                                                          : ArrayRef<const Form *>();
}

mlir::Type TypeReader::readTensorType(const Form *form) {
  if (form->size() < 2) {
    error("type-parse", form, "a tensor has an element type")
        .withHint("write (tensor size ... type): (tensor t 768 f32)");
    return {};
  }
  const Form *last = form->items().back();
  mlir::Type element = last->isNumber() ? mlir::Type() : parseType(last);
  if (last->isNumber() || (element && !element.isIntOrIndexOrFloat())) {
    error("type-parse", last,
          "a tensor type ends with the type of its elements, a float, an integer or index, not " +
              (element ? mlir::debugString(element) : last->str()))
        .withHint("write (tensor size ... type): (tensor t 768 f32)");
    return {};
  }
  SmallVector<int64_t> shape;
  for (const Form *item : dimensionsOfType(form)) {
    std::optional<int64_t> number = gen.literals.integerOf(item);
    if (!item->isSymbol() && (!number || *number < 0)) {
      error("type-parse", item, "a dimension is a number, a name, or _ for any size, not " + item->str());
      return {};
    }
    shape.push_back(number.value_or(mlir::ShapedType::kDynamic));
  }
  return element ? mlir::RankedTensorType::get(shape, element) : mlir::Type();
}

mlir::Type TypeReader::parseType(const Form *form) {
  if (form->isSymbol())
    return parseTypeText(form->text(), form, 0);
  if (form->isString())
    return parseTypeText(form->text().trim(), form, 1);
  if (form->isCall("tensor"))
    return readTensorType(form);
  if (form->isCall("->")) {
    auto signature = parseSignature(form);
    if (failed(signature))
      return {};
    if (signature->isVariadic)
      return llvmFunctionType(*signature, form);
    return builder.getFunctionType(signature->inputs, signature->results);
  }
  if (form->isCall("list")) {
    const Form *name = form->size() == 2 ? (*form)[1] : nullptr;
    const Form *record = name && name->isCall("list") && name->size() == 2 ? (*name)[1] : name;
    if (record && (record->isSymbol() || record->isCall("record")))
      return gen.recordTypes.typeOf(record, record == name ? 1 : 2);
    error("type-parse", form, "a list is of records, not " + (name ? name->str() : "of nothing"))
        .withHint("write (list Record)");
    return {};
  }
  if (form->isCall("record"))
    return gen.recordTypes.typeOf(form, 0);
  if (form->isCall("inout")) {
    error("type-parse", form, "`inout` stands before the type of a tensor that is a parameter of `defn`")
        .withHint("write (: name (inout (tensor size ... type)))");
    return {};
  }
  error("type-parse", form, Twine("expected a type, found ") + describe(form->kind()))
      .withHint("types are words such as f32 and memref<4xf32>, or the same in quotes");
  return {};
}

mlir::FailureOr<SmallVector<mlir::Type>> TypeReader::parseTypes(const Form *form) {
  SmallVector<mlir::Type> types;
  ArrayRef<const Form *> items = form->isVector() ? form->items() : ArrayRef(form);
  bool ok = true;
  for (const Form *item : items) {
    types.push_back(parseType(item));
    ok &= bool(types.back());
  }
  if (!ok)
    return mlir::failure();
  return types;
}

mlir::FailureOr<TypeReader::Signature> TypeReader::parseSignature(const Form *arrow) {
  if (!arrow->isCall("->") || arrow->size() != 3 || !(*arrow)[1]->isVector()) {
    error("type-parse", arrow, "expected a function type").withHint("write (-> [argument-types] [result-types])");
    return mlir::failure();
  }
  Signature signature;
  ArrayRef<const Form *> inputs = (*arrow)[1]->items();
  if (!inputs.empty() && inputs.back()->isSymbol("...")) {
    signature.isVariadic = true;
    inputs = inputs.drop_back();
  }
  bool ok = true;
  for (const Form *input : inputs) {
    signature.inputs.push_back(parseType(input));
    ok &= bool(signature.inputs.back());
  }
  auto results = parseTypes((*arrow)[2]);
  if (!ok || failed(results))
    return mlir::failure();
  signature.results = std::move(*results);
  return signature;
}

mlir::Type TypeReader::llvmFunctionType(const Signature &signature, const Form *form) {
  mlir::Type returned = mlir::LLVM::LLVMVoidType::get(&context);
  if (signature.results.size() > 1) {
    error("type-parse", form, "a C function returns one value at most");
    return {};
  }
  if (signature.results.size() == 1)
    returned = signature.results[0];
  for (mlir::Type type : signature.inputs)
    if (!mlir::LLVM::isCompatibleType(type)) {
      error("type-parse", form, Twine("a variadic C function cannot take ") + mlir::debugString(type));
      return {};
    }
  if (!mlir::LLVM::isCompatibleType(returned)) {
    error("type-parse", form, Twine("a variadic C function cannot return ") + mlir::debugString(returned));
    return {};
  }
  return mlir::LLVM::LLVMFunctionType::get(returned, signature.inputs, signature.isVariadic);
}
} // namespace lispier
