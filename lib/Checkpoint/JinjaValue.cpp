//===- JinjaValue.cpp - values of templates -------------------------------===//
#include "Jinja.h"
#include "lispier/Checkpoint/Utf8.h"
#include <algorithm>
#include <charconv>

using namespace lispier;
using namespace lispier::jinja;

namespace {
constexpr int kMostNested = 100; ///< Bounds the recursion on hostile values.

Value make(Value::Kind kind) {
  Value value;
  value.kind = kind;
  return value;
}

/// A JSON string as Python writes it: only control characters, quotes and backslashes are escaped.
std::string jsonString(std::string_view text) {
  std::string result = "\"";
  for (char c : text) {
    static constexpr char kDigits[] = "0123456789abcdef";
    static constexpr std::string_view kEscaped = "\"\\\n\r\t\b\f", kLetters = "\"\\nrtbf";
    if (size_t at = kEscaped.find(c); at != std::string_view::npos)
      result += {'\\', kLetters[at]};
    else if (static_cast<uint8_t>(c) < 0x20)
      result += std::string("\\u00") + kDigits[c >> 4] + kDigits[c & 15];
    else
      result += c;
  }
  return result + '"';
}
/// A string as Python's repr writes it.
std::string pythonString(std::string_view text) {
  char quote = text.find('\'') != std::string_view::npos && text.find('"') == std::string_view::npos ? '"' : '\'';
  std::string result(1, quote);
  for (std::string_view character : characters(text)) {
    char c = character[0];
    char32_t code = codePoint(character);
    if (c == quote || c == '\\')
      (result += '\\') += c;
    else if (c == '\n' || c == '\t' || c == '\r')
      result += std::string("\\") + (c == '\n' ? 'n' : c == '\t' ? 't' : 'r');
    else if (code < 0x20 || (code >= 0x7F && code <= 0xA0) || code == 0xAD)
      result += std::string("\\x") + "0123456789abcdef"[code >> 4] + "0123456789abcdef"[code & 15];
    else
      result += character;
  }
  return result + quote;
}
} // namespace

Value Value::undefined(std::string name) {
  Value value;
  value.text = std::move(name);
  return value;
}
Value Value::none() { return make(None); }
Value Value::of(bool truth) {
  Value value = make(Bool);
  value.integer = truth;
  return value;
}
Value Value::of(int64_t number) {
  Value value = make(Integer);
  value.integer = number;
  return value;
}
Value Value::of(double number) {
  Value value = make(Float);
  value.number = number;
  return value;
}
Value Value::of(std::string text) {
  Value value = make(Text);
  value.text = std::move(text);
  return value;
}
Value Value::of(List items) {
  Value value = make(Sequence);
  value.list = std::make_shared<List>(std::move(items));
  return value;
}
Value Value::tuple(List items) {
  Value value = of(std::move(items));
  value.isTuple = true;
  return value;
}
Value Value::iterator(List items) {
  Value value = of(std::move(items));
  value.isIterator = true;
  return value;
}
Value Value::of(Map members) {
  Value value = make(Mapping);
  value.map = std::make_shared<Map>(std::move(members));
  return value;
}

Value Value::of(const nlohmann::ordered_json &json, int depth) {
  if (depth > kMostNested)
    throw Error{0, "a value is nested too deeply"};
  if (json.is_null())
    return none();
  if (json.is_boolean())
    return of(json.get<bool>());
  if (json.is_number_integer() && !(json.is_number_unsigned() && json.get<uint64_t>() > uint64_t(INT64_MAX)))
    return of(json.get<int64_t>());
  if (json.is_number())
    return of(json.get<double>());
  if (json.is_string())
    return of(json.get<std::string>());
  if (json.is_array()) {
    List items;
    for (auto &item : json)
      items.push_back(of(item, depth + 1));
    return of(std::move(items));
  }
  Map members;
  for (auto &[key, item] : json.items())
    members.emplace_back(key, of(item, depth + 1));
  return of(std::move(members));
}

bool Value::truth() const {
  switch (kind) {
  case Undefined:
  case None:
    return false;
  case Bool:
  case Integer:
    return integer != 0;
  case Float:
    return number != 0;
  case Text:
    return !text.empty();
  case Sequence:
    return isIterator || !list->empty();
  case Mapping:
    return !map->empty();
  case Namespace:
  case Loop:
  case Function:
  case Macro:
    return true;
  }
  return false;
}

bool Value::equals(const Value &other) const {
  if (isNumber() && other.isNumber())
    return kind == Float || other.kind == Float ? asDouble() == other.asDouble() : integer == other.integer;
  if (kind != other.kind)
    return false;
  if (kind == Text)
    return text == other.text;
  if (kind == Sequence)
    return std::equal(list->begin(), list->end(), other.list->begin(), other.list->end(),
                      [](const Value &a, const Value &b) { return a.equals(b); });
  if (kind == Mapping)
    return map->size() == other.map->size() && std::all_of(map->begin(), map->end(), [&](auto &entry) {
             Value *match = other.member(entry.first);
             return match && entry.second.equals(*match);
           });
  return (kind != Namespace && kind != Loop) || map == other.map;
}

const char *Value::kindName() const {
  static constexpr const char *names[] = {"undefined",   "none",     "a boolean",  "an integer",
                                          "a number",    "a string", "a list",     "a mapping",
                                          "a namespace", "a loop",   "a function", "a macro"};
  return names[kind];
}

Value *Value::member(std::string_view key) const {
  if (map)
    for (auto &[name, value] : *map)
      if (name == key)
        return &value;
  return nullptr;
}

std::string jinja::numberText(double value) {
  char buffer[64];
  auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific);
  std::string_view text(buffer, end - buffer);
  size_t mark = text.find('e');
  if (mark == std::string_view::npos)
    return std::string(text); // inf, nan
  int exponent = std::stoi(std::string(text.substr(mark + 1)));
  if (exponent < -4 || exponent >= 16)
    return std::string(text);
  auto [fixedEnd, fixedError] = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed);
  std::string fixed(buffer, fixedEnd);
  return fixed.find('.') == std::string::npos ? fixed + ".0" : fixed;
}

std::string Value::json(const JsonStyle &style, int64_t depth) const {
  bool isList = kind == Sequence;
  switch (kind) {
  case None:
    return "null";
  case Bool:
    return integer ? "true" : "false";
  case Integer:
    return std::to_string(integer);
  case Float:
    return numberText(number);
  case Text:
    return jsonString(text);
  case Sequence:
    if (list->empty())
      return "[]";
    break;
  case Mapping:
    if (map->empty())
      return "{}";
    break;
  default:
    throw Error{0, std::string(kindName()) + " has no JSON"};
  }
  auto line = [&](int64_t level) { return style.indent < 0 ? "" : "\n" + std::string(style.indent * level, ' '); };
  std::string inner;
  auto begin = [&] {
    checkSize(inner.size(), 0);
    inner += (inner.empty() ? "" : style.separator) + line(depth + 1);
  };
  if (isList) {
    for (const Value &item : *list) {
      begin();
      inner += item.json(style, depth + 1);
    }
    return "[" + inner + line(depth) + "]";
  }
  Map members = *map;
  if (style.sorted)
    std::sort(members.begin(), members.end(), [](auto &a, auto &b) { return a.first < b.first; });
  for (auto &[key, item] : members) {
    begin();
    inner += jsonString(key) + style.keySeparator + item.json(style, depth + 1);
  }
  return "{" + inner + line(depth) + "}";
}

std::string Value::repr(size_t offset, int depth) const {
  if (depth > kMostNested)
    throw Error{offset, "a value is nested too deeply"};
  if (kind == Text)
    return pythonString(text);
  if (kind != Sequence && kind != Mapping)
    return outputText(*this, offset);
  if (!text.empty())
    return text;
  if (isIterator)
    throw Error{offset, "an iterator cannot be written; expected a string or a number, such as with '| list'"};
  std::string inner;
  auto separate = [&] {
    checkSize(inner.size(), offset);
    inner += inner.empty() ? "" : ", ";
  };
  if (kind == Sequence) {
    for (const Value &item : *list) {
      separate();
      inner += item.repr(offset, depth + 1);
    }
    return isTuple ? "(" + inner + (list->size() == 1 ? ",)" : ")") : "[" + inner + "]";
  }
  for (auto &[key, item] : *map) {
    separate();
    inner += pythonString(key) + ": " + item.repr(offset, depth + 1);
  }
  return "{" + inner + "}";
}

List jinja::itemsOf(const Value &value, size_t offset) {
  if (value.kind == Value::Sequence && value.isIterator)
    return std::exchange(*value.list, {});
  if (value.kind == Value::Sequence)
    return *value.list;
  List items;
  if (value.kind == Value::Mapping)
    for (auto &[key, item] : *value.map)
      items.push_back(Value::of(key));
  else if (value.kind == Value::Text)
    for (std::string_view character : characters(value.text))
      items.push_back(Value::of(std::string(character)));
  else if (value.kind != Value::Undefined)
    throw Error{offset, std::string(value.kindName()) + " has no items to go through"};
  return items;
}

Value jinja::itemOf(const Value &object, const Value &index, size_t offset) {
  if (index.kind == Value::Text || object.kind == Value::Mapping) {
    std::string key = index.kind == Value::Text ? index.text : outputText(index, offset);
    Value *found = object.member(key);
    return found ? *found : Value::undefined(key);
  }
  if ((index.kind == Value::Integer || index.kind == Value::Bool) && !object.isIterator &&
      (object.kind == Value::Sequence || object.kind == Value::Text)) {
    List items = itemsOf(object, offset);
    int64_t size = static_cast<int64_t>(items.size()), at = index.integer < 0 ? index.integer + size : index.integer;
    if (at >= 0 && at < size)
      return items[at];
  }
  return Value::undefined(outputText(index, offset));
}

bool jinja::contains(const Value &whole, const Value &part, size_t offset) {
  if (whole.kind == Value::Text && part.kind == Value::Text)
    return whole.text.find(part.text) != std::string::npos;
  if (whole.kind == Value::Mapping)
    return whole.member(outputText(part, offset));
  if (whole.kind != Value::Sequence && whole.kind != Value::Undefined)
    throw Error{offset, std::string(whole.kindName()) + " cannot contain " + part.kindName()};
  List items = itemsOf(whole, offset);
  return std::any_of(items.begin(), items.end(), [&](const Value &item) { return item.equals(part); });
}

int jinja::compare(const Value &a, const Value &b, size_t offset) {
  if (a.isNumber() && b.isNumber())
    return a.asDouble() < b.asDouble() ? -1 : a.asDouble() > b.asDouble();
  if (a.kind == Value::Text && b.kind == Value::Text)
    return a.text.compare(b.text);
  if (a.kind != Value::Sequence || b.kind != Value::Sequence)
    throw Error{offset, std::string(a.kindName()) + " and " + b.kindName() + " have no order"};
  for (size_t i = 0; i < std::min(a.list->size(), b.list->size()); ++i)
    if (!(*a.list)[i].equals((*b.list)[i])) // Only then they need an order.
      return compare((*a.list)[i], (*b.list)[i], offset);
  return a.list->size() < b.list->size() ? -1 : a.list->size() > b.list->size();
}

void jinja::checkSize(size_t size, size_t offset) {
  constexpr size_t kMostBytes = size_t(1) << 26;
  if (size > kMostBytes)
    throw Error{offset, "a text or list of the template is too large"};
}

std::vector<std::string_view> jinja::characters(std::string_view text) {
  std::vector<std::string_view> result;
  while (!text.empty()) {
    result.push_back(text.substr(0, nextUtf8(text).length));
    text.remove_prefix(result.back().size());
  }
  return result;
}

std::string jinja::outputText(const Value &value, size_t offset) {
  switch (value.kind) {
  case Value::Undefined:
    return "";
  case Value::None:
    return "None";
  case Value::Bool:
    return value.integer ? "True" : "False";
  case Value::Integer:
    return std::to_string(value.integer);
  case Value::Float:
    return numberText(value.number);
  case Value::Text:
    return value.text;
  case Value::Sequence:
  case Value::Mapping:
    return value.repr(offset);
  default:
    throw Error{offset, std::string(value.kindName()) + " cannot be written; expected a string or a number"};
  }
}
