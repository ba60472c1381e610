//===- JinjaBuiltins.cpp - filters, tests and methods of templates --------===//
#include "Jinja.h"
#include "lispier/Checkpoint/Utf8.h"
#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <functional>
#include <map>

using namespace lispier;
using namespace lispier::jinja;

namespace {
/// Characters that Python's strip removes: White_Space and four control characters.
bool isPythonSpace(std::string_view character) {
  char32_t code = codePoint(character);
  return isWhiteSpace(code) || (code >= 0x1C && code <= 0x1F);
}

/// An argument by position or, if it has a name, by keyword; null if it is not given.
const Value *argument(const Arguments &arguments, size_t index, std::string_view name = "") {
  if (index < arguments.values.size())
    return &arguments.values[index];
  for (auto &[keyword, value] : arguments.keywords)
    if (keyword == name)
      return &value;
  return nullptr;
}

std::string textArgument(const Arguments &arguments, size_t index, std::string_view name = "") {
  const Value *value = argument(arguments, index, name);
  if (!value || value->kind != Value::Text)
    throw Error{arguments.offset, "argument " + std::to_string(index + 1) + " is " +
                                      (value ? value->kindName() : "missing") + "; expected a string"};
  return value->text;
}

int64_t integerArgument(const Arguments &arguments, size_t index, std::string_view name, int64_t missing) {
  const Value *value = argument(arguments, index, name);
  if (!value || value->kind == Value::None)
    return missing;
  if (value->kind != Value::Integer)
    throw Error{arguments.offset,
                "argument " + std::to_string(index + 1) + " is " + value->kindName() + "; expected an integer"};
  return value->integer;
}

/// Removes characters of the argument, or white space, at the ends.
std::string strip(std::string_view text, const Arguments &arguments, bool left, bool right) {
  std::vector<std::string_view> all = characters(text), set;
  const Value *given = argument(arguments, 0, "chars");
  std::string wanted = given && given->kind != Value::None ? textArgument(arguments, 0, "chars") : "";
  set = characters(wanted);
  auto removes = [&](std::string_view character) {
    return given && given->kind != Value::None ? std::find(set.begin(), set.end(), character) != set.end()
                                               : isPythonSpace(character);
  };
  size_t begin = 0, end = all.size();
  while (left && begin < end && removes(all[begin]))
    ++begin;
  while (right && end > begin && removes(all[end - 1]))
    --end;
  if (begin == end)
    return "";
  return std::string(all[begin].data(), all[end - 1].data() + all[end - 1].size());
}

std::string replaced(std::string_view text, const Arguments &arguments) {
  std::string from = textArgument(arguments, 0), to = textArgument(arguments, 1), result;
  if (from.empty() || arguments.values.size() > 2)
    throw Error{arguments.offset, "'replace' of an empty string or with a count is not supported"};
  for (size_t found; (found = text.find(from)) != std::string::npos; text.remove_prefix(found + from.size())) {
    checkSize(result.size() + found + to.size(), arguments.offset);
    result.append(text.substr(0, found)).append(to);
  }
  return result.append(text);
}

Value splitText(std::string_view text, const Arguments &arguments) {
  int64_t most = integerArgument(arguments, 1, "maxsplit", -1);
  List parts;
  const Value *given = argument(arguments, 0, "sep");
  if (!given || given->kind == Value::None) {
    std::string part;
    for (std::string_view character : characters(text)) {
      if (!isPythonSpace(character)) {
        part += character;
      } else if (!part.empty()) {
        parts.push_back(Value::of(std::exchange(part, {})));
      }
    }
    if (!part.empty())
      parts.push_back(Value::of(part));
    if (most >= 0)
      throw Error{arguments.offset, "'split' at white space with a count is not supported"};
    return Value::of(std::move(parts));
  }
  std::string separator = textArgument(arguments, 0, "sep");
  if (separator.empty())
    throw Error{arguments.offset, "'split' at an empty string"};
  for (size_t found; most != 0 && (found = text.find(separator)) != std::string::npos; --most) {
    parts.push_back(Value::of(std::string(text.substr(0, found))));
    text.remove_prefix(found + separator.size());
  }
  parts.push_back(Value::of(std::string(text)));
  return Value::of(std::move(parts));
}

/// Changes the case of ASCII letters; others would need Unicode's tables.
std::string changeCase(const std::string &text, const Arguments &arguments, int (*change)(int)) {
  std::string result = text;
  for (char &c : result) {
    if (static_cast<signed char>(c) < 0)
      throw Error{arguments.offset, "upper and lower case of letters outside ASCII is not supported"};
    c = static_cast<char>(change(c));
  }
  return result;
}

std::string capitalized(const std::string &text, const Arguments &arguments) {
  std::string result = changeCase(text, arguments, tolower);
  if (!result.empty())
    result[0] = static_cast<char>(toupper(result[0]));
  return result;
}

Value itemsOfMap(const Value &value) {
  List items;
  for (auto &[key, item] : *value.map)
    items.push_back(Value::of(List{Value::of(key), item}));
  return Value::of(std::move(items));
}

int64_t lengthOf(const Value &value, size_t offset) {
  switch (value.kind) {
  case Value::Undefined:
    return 0;
  case Value::Text:
    return static_cast<int64_t>(characters(value.text).size());
  case Value::Sequence:
    return static_cast<int64_t>(value.list->size());
  case Value::Mapping:
    return static_cast<int64_t>(value.map->size());
  default:
    throw Error{offset, std::string(value.kindName()) + " has no length"};
  }
}

/// The value as a list, for filters of lists.
const List &listOf(const Value &value, const Arguments &arguments) {
  if (value.kind != Value::Sequence)
    throw Error{arguments.offset, std::string(value.kindName()) + " where a list is expected"};
  return *value.list;
}

Value toJson(const Value &value, const Arguments &arguments) {
  for (auto &[name, option] : arguments.keywords)
    if (name != "indent" && !(name == "ensure_ascii" && !option.truth()))
      throw Error{arguments.offset, "'tojson' with '" + name + "' is not supported"};
  if (!arguments.values.empty() && arguments.values[0].truth())
    throw Error{arguments.offset, "'tojson' with ASCII only is not supported"};
  int64_t indent = integerArgument(arguments, 1, "indent", -1);
  if (indent > 64)
    throw Error{arguments.offset, "'tojson' with an indent of more than 64"};
  return Value::of(value.json(indent));
}

Value joined(const Value &value, const Arguments &arguments) {
  std::string separator = argument(arguments, 0, "d") ? textArgument(arguments, 0, "d") : "", result;
  const List &items = listOf(value, arguments);
  for (size_t i = 0; i < items.size(); ++i) {
    result += (i ? separator : "") + outputText(items[i], arguments.offset);
    checkSize(result.size(), arguments.offset);
  }
  return Value::of(std::move(result));
}

Value defaulted(const Value &value, const Arguments &arguments) {
  const Value *other = argument(arguments, 0, "default_value"), *falseToo = argument(arguments, 1, "boolean");
  bool missing = value.kind == Value::Undefined || (falseToo && falseToo->truth() && !value.truth());
  return !missing ? value : other ? *other : Value::of(std::string());
}

using FilterFunction = std::function<Value(const Value &, const Arguments &)>;

const std::map<std::string, FilterFunction, std::less<>> &filterTable() {
  using V = const Value &;
  using A = const Arguments &;
  auto text = [](V value, A a) { return outputText(value, a.offset); };
  auto length = [](V value, A a) { return Value::of(lengthOf(value, a.offset)); };
  auto end = [](bool last) {
    return [last](V value, A a) {
      const List &items = listOf(value, a);
      return items.empty() ? Value::undefined("item") : last ? items.back() : items.front();
    };
  };
  static const std::map<std::string, FilterFunction, std::less<>> table = {
      {"trim", [=](V value, A a) { return Value::of(strip(text(value, a), a, true, true)); }},
      {"replace", [=](V value, A a) { return Value::of(replaced(text(value, a), a)); }},
      {"upper", [=](V value, A a) { return Value::of(changeCase(text(value, a), a, toupper)); }},
      {"lower", [=](V value, A a) { return Value::of(changeCase(text(value, a), a, tolower)); }},
      {"capitalize", [=](V value, A a) { return Value::of(capitalized(text(value, a), a)); }},
      {"string", [=](V value, A a) { return Value::of(text(value, a)); }},
      {"safe", [=](V value, A) { return value; }},
      {"length", length},
      {"count", length},
      {"tojson", toJson},
      {"join", joined},
      {"default", defaulted},
      {"d", defaulted},
      {"first", end(false)},
      {"last", end(true)},
      {"list", [](V value, A a) { return Value::of(listOf(value, a)); }},
      {"items",
       [](V value, A a) {
         if (value.kind != Value::Mapping)
           throw Error{a.offset, std::string(value.kindName()) + " where a mapping is expected"};
         return itemsOfMap(value);
       }},
  };
  return table;
}

using TestFunction = bool (*)(const Value &, const Arguments &);

const std::map<std::string, TestFunction, std::less<>> &testTable() {
  using V = const Value &;
  using A = const Arguments &;
  auto equal = [](V value, A a) {
    const Value *other = argument(a, 0);
    return other && value.equals(*other);
  };
  static const std::map<std::string, TestFunction, std::less<>> table = {
      {"defined", [](V value, A) { return value.kind != Value::Undefined; }},
      {"undefined", [](V value, A) { return value.kind == Value::Undefined; }},
      {"none", [](V value, A) { return value.kind == Value::None; }},
      {"string", [](V value, A) { return value.kind == Value::Text; }},
      {"mapping", [](V value, A) { return value.kind == Value::Mapping; }},
      {"number", [](V value, A) { return value.isNumber(); }},
      {"integer", [](V value, A) { return value.kind == Value::Integer; }},
      {"float", [](V value, A) { return value.kind == Value::Float; }},
      {"boolean", [](V value, A) { return value.kind == Value::Bool; }},
      {"true", [](V value, A) { return value.kind == Value::Bool && value.integer; }},
      {"false", [](V value, A) { return value.kind == Value::Bool && !value.integer; }},
      {"sequence",
       [](V value, A) {
         return value.kind == Value::Text || value.kind == Value::Sequence || value.kind == Value::Mapping;
       }},
      {"iterable",
       [](V value, A) {
         return value.kind == Value::Text || value.kind == Value::Sequence || value.kind == Value::Mapping ||
                value.kind == Value::Undefined;
       }},
      {"equalto", equal},
      {"eq", equal},
  };
  return table;
}

Value mapMethod(const std::string &name, const Value &object, const Arguments &arguments) {
  if (name == "items")
    return itemsOfMap(object);
  if (name == "get") {
    Value *found = object.member(textArgument(arguments, 0));
    const Value *missing = argument(arguments, 1);
    return found ? *found : missing ? *missing : Value::none();
  }
  List result;
  if (name != "keys" && name != "values")
    throw Error{arguments.offset, "method '" + name + "' of a mapping is not supported"};
  for (auto &[key, value] : *object.map)
    result.push_back(name == "keys" ? Value::of(key) : value);
  return Value::of(std::move(result));
}
} // namespace

std::string jinja::timeNow(std::string_view format, size_t offset) {
  auto now = std::chrono::system_clock::now();
  std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  std::tm local;
  localtime_r(&seconds, &local);
  // Python's datetime has microseconds, and none of the time zone that C's tm has.
  char microseconds[7];
  std::snprintf(microseconds, sizeof microseconds, "%06d",
                int(std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch()).count() % 1'000'000));
  std::string plain;
  for (size_t i = 0; i < format.size(); ++i) {
    char next = format[i] == '%' && i + 1 < format.size() ? format[i + 1] : '\0';
    if (next == 'f')
      plain += microseconds;
    else if (next && next != 'z' && next != 'Z')
      plain.append(format.substr(i, 2));
    else if (!next)
      plain += format[i];
    i += next != '\0';
  }
  char text[4096];
  plain += '.'; // strftime returns 0 both for no text and for too much.
  size_t length = std::strftime(text, sizeof text, plain.c_str(), &local);
  if (length == 0)
    throw Error{offset, "a time of more than 4000 characters"};
  return std::string(text, length - 1);
}

bool jinja::isFilter(std::string_view name) { return filterTable().contains(name); }
bool jinja::isTest(std::string_view name) { return testTable().contains(name); }

Value jinja::applyFilter(const std::string &name, const Value &value, const Arguments &arguments) {
  return filterTable().find(name)->second(value, arguments);
}
bool jinja::applyTest(const std::string &name, const Value &value, const Arguments &arguments) {
  return testTable().find(name)->second(value, arguments);
}

Value jinja::callMethod(const std::string &name, const Value &object, const Arguments &arguments) {
  if (object.kind == Value::Mapping)
    return mapMethod(name, object, arguments);
  if (object.kind != Value::Text)
    throw Error{arguments.offset, "method '" + name + "' of " + object.kindName() + " is not supported"};
  const std::string &text = object.text;
  if (name == "strip" || name == "lstrip" || name == "rstrip")
    return Value::of(strip(text, arguments, name != "rstrip", name != "lstrip"));
  if (name == "startswith")
    return Value::of(text.starts_with(textArgument(arguments, 0)));
  if (name == "endswith")
    return Value::of(text.ends_with(textArgument(arguments, 0)));
  if (name == "split")
    return splitText(text, arguments);
  if (name == "replace")
    return Value::of(replaced(text, arguments));
  if (name == "upper" || name == "lower")
    return Value::of(changeCase(text, arguments, name == "upper" ? toupper : tolower));
  if (name == "capitalize")
    return Value::of(capitalized(text, arguments));
  throw Error{arguments.offset, "method '" + name + "' of a string is not supported"};
}
