//===- JinjaMethods.cpp - texts, and methods of texts and mappings --------===//
#include "JinjaBuiltins.h"
#include "lispier/Checkpoint/Normalize.h"
#include "lispier/Checkpoint/Pattern.h"
#include "lispier/Checkpoint/Utf8.h"
#include <algorithm>
#include <cctype>
#include <cstring>

using namespace lispier;
using namespace lispier::jinja;

namespace {
/// Characters that Python's strip removes: White_Space and four control characters.
bool isPythonSpace(std::string_view character) {
  char32_t code = codePoint(character);
  return isWhiteSpace(code) || (code >= 0x1C && code <= 0x1F);
}

} // namespace

std::string jinja::strip(std::string_view text, const Arguments &arguments, bool left, bool right) {
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

std::string jinja::replaced(std::string_view text, const Arguments &arguments) {
  const Value *old = argument(arguments, 0, "old"), *next = argument(arguments, 1, "new");
  if (!old || !next)
    throw Error{arguments.offset, "'replace' without two strings"};
  std::string from = outputText(*old, arguments.offset), to = outputText(*next, arguments.offset), result;
  int64_t most = integerArgument(arguments, 2, "count", -1);
  if (from.empty()) { // Before each character, and at the end.
    for (std::string_view character : characters(text)) {
      checkSize(result.size() + to.size(), arguments.offset);
      result.append(most-- != 0 ? to : "").append(character);
    }
    return result.append(most != 0 ? to : "");
  }
  for (size_t found; most != 0 && (found = text.find(from)) != std::string::npos; --most) {
    checkSize(result.size() + found + to.size(), arguments.offset);
    result.append(text.substr(0, found)).append(to);
    text.remove_prefix(found + from.size());
  }
  return result.append(text);
}

std::string jinja::capitalized(std::string_view text) {
  if (text.empty())
    return "";
  size_t first = nextUtf8(text).length;
  return toTitlecase(text.substr(0, first)) + toLowercase(text.substr(first));
}

std::string jinja::inTitleCase(std::string_view text) {
  std::string result;
  bool begins = true;
  for (std::string_view character : characters(text)) {
    result += begins ? toUppercase(character) : toLowercase(character);
    begins = isPythonSpace(character) || std::strchr("-({[<", character[0]);
  }
  return result;
}

namespace {
/// As Python's `title`: letters behind others in lower case.
std::string titled(std::string_view text) {
  static const Result<Pattern> cased = Pattern::compile("\\p{Cased}");
  std::string result;
  bool isInWord = false;
  for (std::string_view character : characters(text)) {
    size_t begin, end;
    result += isInWord ? toLowercase(character) : toTitlecase(character);
    isInWord = cased && Pattern::Search(*cased).find(character, 0, begin, end);
  }
  return result;
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

/// At the last `maxsplit` separators.
Value splitFromEnd(std::string_view text, const Arguments &arguments) {
  int64_t most = integerArgument(arguments, 1, "maxsplit", -1);
  if (most < 0)
    return splitText(text, arguments);
  std::string separator = textArgument(arguments, 0, "sep");
  if (separator.empty())
    throw Error{arguments.offset, "'rsplit' at an empty string"};
  List parts;
  for (size_t found; most > 0 && (found = text.rfind(separator)) != std::string::npos; --most) {
    parts.push_back(Value::of(std::string(text.substr(found + separator.size()))));
    text = text.substr(0, found);
  }
  parts.push_back(Value::of(std::string(text)));
  std::reverse(parts.begin(), parts.end());
  return Value::of(std::move(parts));
}

Value lines(std::string_view text, bool keepsEnds) {
  List parts;
  while (!text.empty()) {
    size_t end = text.find_first_of("\r\n"), after = end;
    if (end == std::string_view::npos)
      end = after = text.size();
    else
      after += text.substr(end).starts_with("\r\n") ? 2 : 1;
    parts.push_back(Value::of(std::string(text.substr(0, keepsEnds ? after : end))));
    text.remove_prefix(after);
  }
  return Value::of(std::move(parts));
}

/// The number of the character at a byte, -1 for none.
Value characterIndex(std::string_view text, size_t byte) {
  return Value::of(byte == std::string_view::npos ? int64_t(-1)
                                                  : static_cast<int64_t>(characters(text.substr(0, byte)).size()));
}

int64_t countOf(std::string_view text, std::string_view part) {
  if (part.empty())
    return static_cast<int64_t>(characters(text).size()) + 1;
  int64_t count = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string_view::npos; at += part.size())
    ++count;
  return count;
}

bool startsOrEnds(std::string_view text, const Arguments &arguments, bool starts) {
  const Value *given = argument(arguments, 0);
  List parts = given && given->kind == Value::Sequence ? *given->list : List{Value::of(textArgument(arguments, 0))};
  return std::any_of(parts.begin(), parts.end(), [&](const Value &part) {
    return part.kind == Value::Text && (starts ? text.starts_with(part.text) : text.ends_with(part.text));
  });
}

/// Whether all of a text is of a kind of ASCII characters, and there is some.
bool consistsOf(std::string_view text, int (*isKind)(int)) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return static_cast<signed char>(c) >= 0 && isKind(static_cast<uint8_t>(c));
  });
}

Value mapMethod(const std::string &name, const Value &object, const Arguments &arguments) {
  if (name == "items")
    return itemsOfMap(object);
  if (name == "get") {
    const Value *key = argument(arguments, 0), *missing = argument(arguments, 1);
    Value *found = object.member(key ? outputText(*key, arguments.offset) : textArgument(arguments, 0));
    return found ? *found : missing ? *missing : Value::none();
  }
  if (name == "copy")
    return Value::of(*object.map);
  List result;
  if (name != "keys" && name != "values")
    throw Error{arguments.offset, "method '" + name + "' of a mapping is not supported"};
  for (auto &[key, value] : *object.map)
    result.push_back(name == "keys" ? Value::of(key) : value);
  return Value::of(std::move(result));
}

Value listMethod(const std::string &name, const Value &object, const Arguments &arguments) {
  const Value *wanted = argument(arguments, 0);
  const List &items = *object.list;
  auto isWanted = [&](const Value &item) { return wanted && item.equals(*wanted); };
  if (name == "count")
    return Value::of(static_cast<int64_t>(std::count_if(items.begin(), items.end(), isWanted)));
  auto found = std::find_if(items.begin(), items.end(), isWanted);
  if (name != "index" || found == items.end())
    throw Error{arguments.offset, name == "index" ? "the list does not have the item"
                                                  : "method '" + name + "' of a list is not supported"};
  return Value::of(static_cast<int64_t>(found - items.begin()));
}

using TextMethod = Value (*)(const std::string &, const Arguments &);

const std::map<std::string, TextMethod, std::less<>> &textMethods() {
  using T = const std::string &;
  using A = const Arguments &;
  static const std::map<std::string, TextMethod, std::less<>> table = {
      {"strip", [](T text, A a) { return Value::of(strip(text, a, true, true)); }},
      {"lstrip", [](T text, A a) { return Value::of(strip(text, a, true, false)); }},
      {"rstrip", [](T text, A a) { return Value::of(strip(text, a, false, true)); }},
      {"startswith", [](T text, A a) { return Value::of(startsOrEnds(text, a, true)); }},
      {"endswith", [](T text, A a) { return Value::of(startsOrEnds(text, a, false)); }},
      {"removeprefix",
       [](T text, A a) {
         std::string part = textArgument(a, 0);
         return Value::of(text.starts_with(part) ? text.substr(part.size()) : text);
       }},
      {"removesuffix",
       [](T text, A a) {
         std::string part = textArgument(a, 0);
         return Value::of(text.ends_with(part) ? text.substr(0, text.size() - part.size()) : text);
       }},
      {"split", [](T text, A a) { return splitText(text, a); }},
      {"rsplit", [](T text, A a) { return splitFromEnd(text, a); }},
      {"splitlines", [](T text, A a) { return lines(text, flagArgument(a, 0, "keepends", false)); }},
      {"replace", [](T text, A a) { return Value::of(replaced(text, a)); }},
      {"upper", [](T text, A) { return Value::of(toUppercase(text)); }},
      {"lower", [](T text, A) { return Value::of(toLowercase(text)); }},
      {"capitalize", [](T text, A) { return Value::of(capitalized(text)); }},
      {"title", [](T text, A) { return Value::of(titled(text)); }},
      {"find", [](T text, A a) { return characterIndex(text, text.find(textArgument(a, 0))); }},
      {"rfind", [](T text, A a) { return characterIndex(text, text.rfind(textArgument(a, 0))); }},
      {"count", [](T text, A a) { return Value::of(countOf(text, textArgument(a, 0))); }},
      {"isdigit", [](T text, A) { return Value::of(consistsOf(text, isdigit)); }},
      {"isnumeric", [](T text, A) { return Value::of(consistsOf(text, isdigit)); }},
      {"isalpha", [](T text, A) { return Value::of(consistsOf(text, isalpha)); }},
      {"isalnum", [](T text, A) { return Value::of(consistsOf(text, isalnum)); }},
      {"isspace", [](T text, A) { return Value::of(consistsOf(text, isspace)); }},
      {"join",
       [](T text, A a) {
         return applyFilter("join", a.values.empty() ? Value() : a.values[0], {a.offset, {Value::of(text)}, {}});
       }},
  };
  return table;
}
} // namespace

Value jinja::callMethod(const std::string &name, const Value &object, const Arguments &arguments) {
  if (object.kind == Value::Mapping)
    return mapMethod(name, object, arguments);
  if (object.kind == Value::Loop && name == "cycle" && !arguments.values.empty())
    return arguments.values[object.member("index0")->integer % int64_t(arguments.values.size())];
  if (object.kind == Value::Sequence)
    return listMethod(name, object, arguments);
  if (object.kind != Value::Text)
    throw Error{arguments.offset, "method '" + name + "' of " + object.kindName() + " is not supported"};
  auto found = textMethods().find(name);
  if (found == textMethods().end())
    throw Error{arguments.offset, "method '" + name + "' of a string is not supported"};
  return found->second(object.text, arguments);
}
