//===- JsonFile.cpp - checked access to the values of a JSON file ---------===//
#include "JsonFile.h"
#include "lispier/Checkpoint/Quoted.h"
#include <algorithm>
#include <cmath>

using namespace lispier;
using nlohmann::json;

namespace {
/// What nlohmann says after the position, without the text that was read last, which may be long or not printable.
std::string reasonOf(std::string what) {
  if (size_t begin = what.find(": ", what.find("column")); begin != std::string::npos)
    what.erase(0, begin + 2);
  if (size_t last = what.find("; last read: "); last != std::string::npos) {
    size_t next = what.rfind("; expected ");
    what.erase(last, next != std::string::npos && next > last ? next - last : std::string::npos);
  }
  return shown(what, 300);
}

/// A number as JSON spells it, a text in quotes, or the name of the type; short.
std::string describe(const json &value) {
  constexpr size_t kLongest = 60;
  if (value.is_structured())
    return value.is_object() ? "an object" : "an array";
  std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  return text.size() > kLongest ? "another " + std::string(value.type_name())
         : value.is_string()    ? inQuotes(text)
                                : text;
}
} // namespace

Result<json> lispier::parseJson(const MappedFile &file, const json::parser_callback_t &filter) {
  try {
    return json::parse(file.text(), filter);
  } catch (const json::exception &error) {
    auto *syntax = dynamic_cast<const json::parse_error *>(&error);
    std::string_view before = file.text().substr(0, syntax && syntax->byte ? syntax->byte - 1 : 0);
    size_t lineBegin = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
    return Failure{file.path() + ":" + std::to_string(1 + std::count(before.begin(), before.end(), '\n')) + ":" +
                   std::to_string(1 + before.size() - lineBegin) + ": is not JSON: " + reasonOf(error.what())};
  }
}

JsonValue JsonValue::operator[](const std::string &key) const {
  const json *found = nullptr;
  if (isObject())
    if (auto at = value->find(key); at != value->end())
      found = &*at;
  return {*this, found, where.empty() ? shown(key) : where + "." + shown(key)};
}

void JsonValue::fail(const std::string &message) const {
  if (!*error)
    *error = file->fail((where.empty() ? "" : "'" + where + "' ") + message);
}

void JsonValue::expected(const std::string &what) const {
  fail(value ? "is " + describe(*value) + "; expected " + what : "is missing; expected " + what);
}

bool JsonValue::flag(std::optional<bool> missing) const {
  if (absent() && missing)
    return *missing;
  if (value && value->is_boolean())
    return value->get<bool>();
  expected("true or false");
  return false;
}

std::string JsonValue::text(std::optional<std::string> missing) const {
  if (absent() && missing)
    return *missing;
  if (isText())
    return value->get<std::string>();
  expected("a string");
  return "";
}

int64_t JsonValue::integer(int64_t least, int64_t most, std::optional<int64_t> missing) const {
  if (absent() && missing)
    return *missing;
  if (value && value->is_number_integer() &&
      !(value->is_number_unsigned() && value->get<uint64_t>() > uint64_t(INT64_MAX)))
    if (int64_t number = value->get<int64_t>(); number >= least && number <= most)
      return number;
  expected("an integer from " + std::to_string(least) + " to " + std::to_string(most));
  return least;
}

double JsonValue::number(std::optional<double> missing) const {
  if (absent() && missing)
    return *missing;
  if (value && value->is_number() && std::isfinite(value->get<double>()))
    return value->get<double>();
  expected("a number");
  return 0;
}

std::vector<JsonValue> JsonValue::items() const {
  std::vector<JsonValue> result;
  if (!isArray())
    expected("an array");
  else
    for (size_t i = 0; i < value->size(); ++i)
      result.push_back({*this, &(*value)[i], where + "[" + std::to_string(i) + "]"});
  return result;
}

std::vector<std::string> JsonValue::keys() const {
  std::vector<std::string> result;
  if (!isObject())
    expected("an object");
  else
    for (auto &[key, item] : value->items())
      result.push_back(key);
  return result;
}

void JsonValue::allowKeys(std::initializer_list<const char *> known) const {
  for (const std::string &key : keys())
    if (std::find(known.begin(), known.end(), key) == known.end())
      (*this)[key].fail("is not supported");
}

size_t JsonValue::choice(std::initializer_list<const char *> choices) const {
  if (isText())
    for (size_t i = 0; i < choices.size(); ++i)
      if (value->get_ref<const std::string &>() == choices.begin()[i])
        return i;
  std::string list;
  for (const char *name : choices)
    list += (list.empty() ? "'" : ", '") + std::string(name) + "'";
  expected((choices.size() > 1 ? "one of " : "") + list);
  return 0;
}

void JsonValue::expectNeutral(const char *neutral) const {
  if (!absent() && *value != json::parse(neutral))
    fail("is " + describe(*value) + ", which is not supported; expected " + neutral);
}
