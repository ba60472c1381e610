//===- JinjaBuiltins.cpp - filters, tests and methods of templates --------===//
#include "JinjaBuiltins.h"
#include "lispier/Checkpoint/Normalize.h"
#include "lispier/Checkpoint/Utf8.h"
#include <algorithm>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

using namespace lispier;
using namespace lispier::jinja;

const Value *jinja::argument(const Arguments &arguments, size_t index, std::string_view name) {
  if (index < arguments.values.size())
    return &arguments.values[index];
  for (auto &[keyword, value] : arguments.keywords)
    if (keyword == name)
      return &value;
  return nullptr;
}

std::string jinja::textArgument(const Arguments &arguments, size_t index, std::string_view name) {
  const Value *value = argument(arguments, index, name);
  if (!value || value->kind != Value::Text)
    throw Error{arguments.offset, "argument " + std::to_string(index + 1) + " is " +
                                      (value ? value->kindName() : "missing") + "; expected a string"};
  return value->text;
}

int64_t jinja::integerArgument(const Arguments &arguments, size_t index, std::string_view name, int64_t missing) {
  const Value *value = argument(arguments, index, name);
  if (!value || value->kind == Value::None)
    return missing;
  if (value->kind != Value::Integer)
    throw Error{arguments.offset,
                "argument " + std::to_string(index + 1) + " is " + value->kindName() + "; expected an integer"};
  return value->integer;
}

bool jinja::flagArgument(const Arguments &arguments, size_t index, std::string_view name, bool missing) {
  const Value *value = argument(arguments, index, name);
  return value ? value->truth() : missing;
}

const List &jinja::listOf(const Value &value, const Arguments &arguments) {
  if (value.kind != Value::Sequence)
    throw Error{arguments.offset, std::string(value.kindName()) + " where a list is expected"};
  return *value.list;
}

Value jinja::itemsOfMap(const Value &value) {
  List items;
  for (auto &[key, item] : *value.map)
    items.push_back(Value::tuple({Value::of(key), item}));
  return Value::of(std::move(items));
}

namespace {
int64_t lengthOf(const Value &value, size_t offset) {
  switch (value.kind) {
  case Value::Undefined:
    return 0;
  case Value::Text:
    return static_cast<int64_t>(characters(value.text).size());
  case Value::Sequence:
    if (value.isIterator)
      throw Error{offset, "an iterator has no length; expected a list, such as with '| list'"};
    return static_cast<int64_t>(value.list->size());
  case Value::Mapping:
    return static_cast<int64_t>(value.map->size());
  default:
    throw Error{offset, std::string(value.kindName()) + " has no length"};
  }
}

Value toJson(const Value &value, const Arguments &arguments) {
  for (auto &[name, option] : arguments.keywords)
    if (name != "indent" && name != "separators" && name != "sort_keys" && !(name == "ensure_ascii" && !option.truth()))
      throw Error{arguments.offset, "'tojson' with '" + name + "' is not supported"};
  if (!arguments.values.empty() && arguments.values[0].truth())
    throw Error{arguments.offset, "'tojson' with ASCII only is not supported"};
  JsonStyle style;
  style.indent = integerArgument(arguments, 1, "indent", -1);
  if (style.indent > 64)
    throw Error{arguments.offset, "'tojson' with an indent of more than 64"};
  style.separator = style.indent < 0 ? ", " : ",";
  style.sorted = flagArgument(arguments, 3, "sort_keys", false);
  if (const Value *separators = argument(arguments, 2, "separators"); separators && separators->kind != Value::None) {
    if (separators->kind != Value::Sequence || separators->list->size() != 2)
      throw Error{arguments.offset, "'separators' is not a pair of strings"};
    style.separator = outputText((*separators->list)[0], arguments.offset);
    style.keySeparator = outputText((*separators->list)[1], arguments.offset);
  }
  return Value::of(value.json(style));
}

Value defaulted(const Value &value, const Arguments &arguments) {
  const Value *other = argument(arguments, 0, "default_value"), *falseToo = argument(arguments, 1, "boolean");
  bool missing = value.kind == Value::Undefined || (falseToo && falseToo->truth() && !value.truth());
  return !missing ? value : other ? *other : Value::of(std::string());
}

/// A number that a text spells, or a number as an integer or a float; the default for others.
Value asNumber(const Value &value, const Arguments &arguments, bool isWhole) {
  double number = value.isNumber() ? value.asDouble() : 0;
  bool found = value.isNumber();
  if (value.kind == Value::Text) {
    std::string text = strip(value.text, Arguments{arguments.offset, {}, {}}, true, true);
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    found = error == std::errc() && end == text.data() + text.size();
  }
  if (!found) {
    const Value *missing = argument(arguments, 0, "default");
    return missing ? *missing : isWhole ? Value::of(int64_t(0)) : Value::of(0.0);
  }
  if (!isWhole)
    return Value::of(number);
  if (value.kind == Value::Integer)
    return value;
  if (!(std::abs(number) < 9e18))
    throw Error{arguments.offset, "an integer that is too large"};
  return Value::of(static_cast<int64_t>(number));
}

Value rounded(const Value &value, const Arguments &arguments) {
  int64_t places = integerArgument(arguments, 0, "precision", 0);
  std::string method = argument(arguments, 1, "method") ? textArgument(arguments, 1, "method") : "common";
  if (!value.isNumber() || std::abs(places) > 15)
    throw Error{arguments.offset, "'round' of " + std::string(value.kindName()) + " to " + std::to_string(places) +
                                      " places is not supported"};
  if (method == "common" && value.kind != Value::Float && places >= 0)
    return Value::of(value.integer);
  if (method == "common" && places >= 0) {
    char text[400]; // Exactly the nearest decimal, as Python's.
    std::snprintf(text, sizeof text, "%.*f", int(places), value.number);
    return Value::of(std::strtod(text, nullptr));
  }
  double scale = std::pow(10.0, double(places)), number = value.asDouble() * scale;
  number = method == "ceil" ? std::ceil(number) : method == "floor" ? std::floor(number) : std::nearbyint(number);
  if (method == "common" && value.kind != Value::Float)
    return Value::of(static_cast<int64_t>(number / scale));
  return Value::of(number / scale);
}

/// Puts spaces, or a text, before all lines but the first.
Value indented(const Value &value, const Arguments &arguments) {
  const Value *width = argument(arguments, 0, "width");
  std::string prefix = width && width->kind == Value::Text
                           ? width->text
                           : std::string(std::clamp<int64_t>(integerArgument(arguments, 0, "width", 4), 0, 1000), ' ');
  bool first = flagArgument(arguments, 1, "first", false), blank = flagArgument(arguments, 2, "blank", false);
  std::string_view rest = value.text;
  std::string result;
  for (bool isFirst = true;; isFirst = false) {
    size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    result += (isFirst ? first : blank || !line.empty()) ? prefix : "";
    result += line;
    checkSize(result.size(), arguments.offset);
    if (end == std::string_view::npos)
      return Value::of(std::move(result));
    result += '\n';
    rest.remove_prefix(end + 1);
  }
}

Value absolute(const Value &value, const Arguments &arguments) {
  if (value.kind == Value::Float)
    return Value::of(std::abs(value.number));
  if (!value.isNumber() || value.integer == INT64_MIN)
    throw Error{arguments.offset, "'abs' of " + std::string(value.kindName())};
  return Value::of(std::abs(value.integer));
}

const FilterTable &filterTable() {
  using V = const Value &;
  using A = const Arguments &;
  auto text = [](V value, A a) { return outputText(value, a.offset); };
  auto length = [](V value, A a) { return Value::of(lengthOf(value, a.offset)); };
  static const FilterTable table = {
      {"trim", [=](V value, A a) { return Value::of(strip(text(value, a), a, true, true)); }},
      {"replace", [=](V value, A a) { return Value::of(replaced(text(value, a), a)); }},
      {"upper", [=](V value, A a) { return Value::of(toUppercase(text(value, a))); }},
      {"lower", [=](V value, A a) { return Value::of(toLowercase(text(value, a))); }},
      {"capitalize", [=](V value, A a) { return Value::of(capitalized(text(value, a))); }},
      {"title", [=](V value, A a) { return Value::of(inTitleCase(text(value, a))); }},
      {"indent", [=](V value, A a) { return indented(Value::of(text(value, a)), a); }},
      {"string", [=](V value, A a) { return Value::of(text(value, a)); }},
      {"safe", [=](V value, A) { return value; }},
      {"length", length},
      {"count", length},
      {"tojson", toJson},
      {"default", defaulted},
      {"d", defaulted},
      {"int", [](V value, A a) { return asNumber(value, a, true); }},
      {"float", [](V value, A a) { return asNumber(value, a, false); }},
      {"round", rounded},
      {"abs", absolute},
      {"attr", [](V value, A a) { return itemOf(value, Value::of(textArgument(a, 0, "name")), a.offset); }},
      {"items",
       [](V value, A a) {
         if (value.kind == Value::Undefined)
           return Value::iterator({});
         if (value.kind != Value::Mapping)
           throw Error{a.offset, std::string(value.kindName()) + " where a mapping is expected"};
         return Value::iterator(*itemsOfMap(value).list);
       }},
  };
  return table;
}

using TestFunction = bool (*)(const Value &, const Arguments &);

/// How the value compares with the argument of a test.
int order(const Value &value, const Arguments &arguments) {
  const Value *other = argument(arguments, 0, "other");
  return compare(value, other ? *other : Value(), arguments.offset);
}

/// What is left when a number is divided, with the sign of the divisor, as in Python.
double remainder(const Value &value, int64_t divisor, const Arguments &arguments) {
  if (!value.isNumber() || divisor == 0)
    throw Error{arguments.offset, "a test of division by " + std::to_string(divisor) + " of " + value.kindName()};
  if (value.kind == Value::Float)
    return value.number - std::floor(value.number / double(divisor)) * double(divisor);
  return divisor == -1 ? 0 : double(value.integer % divisor);
}

const std::map<std::string, TestFunction, std::less<>> &testTable() {
  using V = const Value &;
  using A = const Arguments &;
  auto equal = [](V value, A a) {
    const Value *other = argument(a, 0, "other");
    return other && value.equals(*other);
  };
  auto differs = [](V value, A a) {
    const Value *other = argument(a, 0, "other");
    return !other || !value.equals(*other);
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
      {"==", equal},
      {"sameas", equal},
      {"ne", differs},
      {"!=", differs},
      {"lt", [](V value, A a) { return order(value, a) < 0; }},
      {"lessthan", [](V value, A a) { return order(value, a) < 0; }},
      {"<", [](V value, A a) { return order(value, a) < 0; }},
      {"le", [](V value, A a) { return order(value, a) <= 0; }},
      {"<=", [](V value, A a) { return order(value, a) <= 0; }},
      {"gt", [](V value, A a) { return order(value, a) > 0; }},
      {"greaterthan", [](V value, A a) { return order(value, a) > 0; }},
      {">", [](V value, A a) { return order(value, a) > 0; }},
      {"ge", [](V value, A a) { return order(value, a) >= 0; }},
      {">=", [](V value, A a) { return order(value, a) >= 0; }},
      {"in",
       [](V value, A a) {
         const Value *whole = argument(a, 0, "seq");
         return whole && contains(*whole, value, a.offset);
       }},
      {"odd", [](V value, A a) { return std::abs(remainder(value, 2, a)) == 1; }},
      {"even", [](V value, A a) { return remainder(value, 2, a) == 0; }},
      {"divisibleby", [](V value, A a) { return remainder(value, integerArgument(a, 0, "num", 0), a) == 0; }},
      {"lower", [](V value, A) { return value.kind == Value::Text && toLowercase(value.text) == value.text; }},
      {"callable",
       [](V value, A) { // As Jinja's undefined values are, too.
         return value.kind == Value::Function || value.kind == Value::Macro || value.kind == Value::Undefined;
       }},
  };
  return table;
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

bool jinja::isFunction(std::string_view name) {
  static constexpr std::string_view kNames[] = {"raise_exception", "strftime_now", "namespace", "range", "dict"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}
bool jinja::isFilter(std::string_view name) { return filterTable().contains(name) || listFilters().contains(name); }
bool jinja::isTest(std::string_view name) { return testTable().contains(name); }

Value jinja::applyFilter(const std::string &name, const Value &value, const Arguments &arguments) {
  auto found = filterTable().find(name);
  return (found == filterTable().end() ? listFilters().find(name) : found)->second(value, arguments);
}
bool jinja::applyTest(const std::string &name, const Value &value, const Arguments &arguments) {
  return testTable().find(name)->second(value, arguments);
}
