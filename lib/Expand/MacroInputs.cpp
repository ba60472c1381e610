//===- MacroInputs.cpp - what macros may read -----------------------------===//
//
// Functions of the macro-time language by which a program is compiled for one use:
// the options that it will be run with, and JSON files. Both go through FileLoader,
// which records what a compilation depends on. And the fields of records.
//
//===----------------------------------------------------------------------===//
#include "MacroTime.h"
#include "lispier/Expand/Expand.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace lispier {
namespace {
using InputNames = ArrayRef<Value>;
constexpr size_t kMostJsonBytes = 1 << 20;
constexpr unsigned kMostJsonDepth = 64;

bool asTexts(MacroInterpreter &in, InputNames values, const Form *at, SmallVectorImpl<StringRef> &texts) {
  for (Value value : values) {
    if (!value.form || !value.form->isString()) {
      in.fail("macro-shape", at, "a string is needed here");
      return false;
    }
    texts.push_back(value.form->text());
  }
  return true;
}

Value programOption(MacroInterpreter &in, InputNames arguments, const Form *at) {
  SmallVector<StringRef> texts;
  if (!asTexts(in, arguments, at, texts))
    return {};
  std::optional<std::string> value = in.files().option(texts.front(), ArrayRef(texts).drop_front());
  return value ? in.string(*value) : in.nil();
}

/// The parser of JSON recurses.
bool isTooDeep(StringRef text) {
  unsigned depth = 0;
  for (char c : text) {
    depth += c == '[' || c == '{';
    depth -= depth && (c == ']' || c == '}');
    if (depth > kMostJsonDepth)
      return true;
  }
  return false;
}

/// Null after a reported error.
const Form *formOf(MacroInterpreter &in, const json::Value &value, const Form *at) {
  if (!in.spend(1, at))
    return nullptr;
  SmallVector<const Form *> items;
  auto add = [&](const json::Value &item) {
    items.push_back(formOf(in, item, at));
    return items.back() != nullptr;
  };
  switch (value.kind()) {
  case json::Value::Null:
    return in.nil();
  case json::Value::Boolean:
    return in.boolean(*value.getAsBoolean());
  case json::Value::Number: {
    std::string text;
    raw_string_ostream(text) << value;
    return in.number(text);
  }
  case json::Value::String:
    return in.string(*value.getAsString());
  case json::Value::Array:
    for (const json::Value &item : *value.getAsArray())
      if (!add(item))
        return nullptr;
    return in.vector(items);
  case json::Value::Object:
    for (const auto &[key, item] : *value.getAsObject()) {
      items.push_back(in.keyword(StringRef(key)));
      if (!add(item))
        return nullptr;
    }
    return in.map(items);
  }
  llvm_unreachable("all kinds are handled");
}

Value readJson(MacroInterpreter &in, InputNames arguments, const Form *at) {
  SmallVector<StringRef> path;
  if (!asTexts(in, arguments, at, path))
    return {};
  std::string why;
  std::unique_ptr<MemoryBuffer> file = in.files().load(path.front(), why);
  if (!file || file->getBufferSize() > kMostJsonBytes || isTooDeep(file->getBuffer()))
    return in.nil();
  Expected<json::Value> value = json::parse(file->getBuffer());
  if (!value) {
    consumeError(value.takeError());
    return in.nil();
  }
  return formOf(in, *value, at);
}

Value recordFields(MacroInterpreter &in, InputNames arguments, const Form *at) {
  if (!arguments[0].form)
    return in.fail("macro-shape", at, "the name of a record is needed here, not a function");
  const Form *name = arguments[0].form;
  const Form *record = name->isSymbol() ? in.records.lookup(name->text()) : nullptr;
  if (!record)
    return in.nil();
  return in.spend(record->size(), at) ? Value(in.vector(record->items().drop_front(2))) : Value();
}

constexpr Native kInputFunctions[] = {
    {"program-option", 1, Native::kAny, programOption},
    {"read-json", 1, 1, readJson},
    {"record-fields", 1, 1, recordFields},
};
} // namespace

ArrayRef<Native> macroInputFunctions() { return kInputFunctions; }
} // namespace lispier
