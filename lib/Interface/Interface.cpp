//===- Interface.cpp - the entries of a module ----------------------------===//
#include "lispier/Interface/Interface.h"
#include "lispier/Group/EntryAttributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Support/DebugStringHelper.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace lispier {
namespace {
std::string stringOf(mlir::DictionaryAttr from, StringRef key) {
  auto value = from.getAs<mlir::StringAttr>(key);
  return value ? value.str() : "";
}

std::vector<InterfaceValue> readValues(mlir::ArrayAttr values) {
  std::vector<InterfaceValue> read;
  for (auto from : values.getAsRange<mlir::DictionaryAttr>()) {
    InterfaceValue &value = read.emplace_back();
    value.name = stringOf(from, entry::kValueName);
    value.record = stringOf(from, entry::kRecord);
    if (auto fields = from.getAs<mlir::ArrayAttr>(entry::kFields))
      value.fields = readValues(fields);
    if (auto type = from.getAs<mlir::TypeAttr>(entry::kType))
      value.type = mlir::debugString(type.getValue());
    value.isWritten = from.contains(entry::kWritten);
    auto sizes = from.getAs<mlir::ArrayAttr>(entry::kSizes);
    value.isTensor = bool(sizes);
    for (mlir::Attribute size : sizes ? sizes.getValue() : ArrayRef<mlir::Attribute>())
      if (auto number = dyn_cast<mlir::IntegerAttr>(size))
        value.sizes.emplace_back(number.getInt());
      else
        value.sizes.emplace_back(cast<mlir::StringAttr>(size).str());
  }
  return read;
}

void eachLeafOf(const InterfaceValue &value, const std::string &path,
                function_ref<void(const InterfaceValue &, StringRef)> leaf) {
  std::string own = path + value.name;
  if (!value.isRecord())
    return leaf(value, own);
  for (const InterfaceValue &field : value.fields)
    eachLeafOf(field, own + ".", leaf);
}

json::Array toJsonValues(ArrayRef<InterfaceValue> values) {
  json::Array array;
  for (const InterfaceValue &value : values) {
    json::Object object{{"name", value.name}};
    if (value.isRecord()) {
      object["record"] = value.record;
      object["fields"] = toJsonValues(value.fields);
    } else {
      object["type"] = value.type;
    }
    if (value.isTensor) {
      json::Array sizes;
      for (const auto &size : value.sizes)
        if (auto *number = std::get_if<int64_t>(&size))
          sizes.push_back(*number);
        else
          sizes.push_back(std::get<std::string>(size));
      object["sizes"] = std::move(sizes);
      object["access"] = value.isWritten ? "write" : "read";
    }
    array.push_back(std::move(object));
  }
  return array;
}
} // namespace

std::vector<InterfaceEntry> readEntries(mlir::ModuleOp module) {
  std::vector<InterfaceEntry> entries;
  for (auto function : module.getOps<mlir::FunctionOpInterface>()) {
    auto from = function->getAttrOfType<mlir::DictionaryAttr>(kEntryAttr);
    if (!from)
      continue;
    InterfaceEntry &entry = entries.emplace_back();
    entry.name = stringOf(from, entry::kName);
    entry.doc = stringOf(from, entry::kDoc);
    entry.place = stringOf(from, entry::kPlace);
    entry.parameters = readValues(from.getAs<mlir::ArrayAttr>(entry::kParameters));
    entry.results = readValues(from.getAs<mlir::ArrayAttr>(entry::kResults));
    entry.function = function.getName().str();
    if (auto sizes = from.getAs<mlir::FlatSymbolRefAttr>(entry::kSizeFunction))
      entry.sizeFunction = sizes.getValue().str();
    if (auto destinations = from.getAs<mlir::DenseI64ArrayAttr>(entry::kDestinations))
      entry.destinations.assign(destinations.asArrayRef().begin(), destinations.asArrayRef().end());
  }
  return entries;
}

void InterfaceEntry::eachLeaf(function_ref<void(const InterfaceValue &, StringRef)> leaf) const {
  for (ArrayRef<InterfaceValue> values : {ArrayRef(parameters), ArrayRef(results)})
    for (const InterfaceValue &value : values)
      eachLeafOf(value, "", leaf);
}

std::string InterfaceValue::text() const {
  if (isRecord())
    return record;
  std::string text = type;
  if (!isTensor)
    return text;
  text += " [";
  for (const auto &size : sizes) {
    text += &size == &sizes.front() ? "" : " ";
    if (auto *number = std::get_if<int64_t>(&size)) {
      text += std::to_string(*number);
      continue;
    }
    const std::string &name = std::get<std::string>(size);
    text += StringRef(name).contains(' ') ? "(" + name + ")" : name;
  }
  return text + "]";
}

std::string InterfaceEntry::usage() const {
  std::string call = "(" + name, details;
  auto line = [](const InterfaceValue &value, const std::string &path) {
    return "  " + path + value.name + ": " + value.text() + (value.isWritten ? ", which is written" : "") + "\n";
  };
  std::function<void(const InterfaceValue &, const std::string &)> add = [&](const InterfaceValue &value,
                                                                             const std::string &path) {
    details += line(value, path);
    for (const InterfaceValue &field : value.fields)
      add(field, path + value.name + ".");
  };
  for (const InterfaceValue &parameter : parameters) {
    call += " " + parameter.name;
    add(parameter, "");
  }
  call += ")";
  for (const InterfaceValue &result : results)
    call += (&result == &results.front() ? " -> " : ", ") + result.text();
  SmallVector<StringRef> words;
  SplitString(doc, words, " \n\t");
  return call + "\n" + details + (doc.empty() ? "" : join(words, " ") + "\n");
}

std::string Interface::toJson() const {
  json::Array all;
  for (const InterfaceEntry &entry : entries)
    all.push_back(json::Object{{"name", entry.name},
                               {"symbol", entry.symbol},
                               {"doc", entry.doc},
                               {"place", entry.place},
                               {"usage", entry.usage()},
                               {"parameters", toJsonValues(entry.parameters)},
                               {"results", toJsonValues(entry.results)}});
  std::string text;
  raw_string_ostream os(text);
  os << json::Value(
      json::Object{{"abi", 1}, {"prefix", prefix}, {"targets", json::Array(targets)}, {"entries", std::move(all)}});
  return text;
}

std::string cName(StringRef name) {
  std::string result;
  for (char c : name)
    result += isAlnum(c) || c == '_' ? c : '_';
  return result.empty() || isDigit(result.front()) ? "_" + result : result;
}

DLPackType dlpackType(StringRef type) {
  if (type == "index")
    return {0, 64};
  if (type == "i1")
    return {6, 8};
  if (type == "bf16")
    return {4, 16};
  uint8_t bits = 0;
  type.drop_front().getAsInteger(10, bits);
  return {uint8_t(type.front() == 'f' ? 2 : 0), bits};
}
} // namespace lispier
