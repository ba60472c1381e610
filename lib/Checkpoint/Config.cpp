//===- Config.cpp - a model's configuration -------------------------------===//
#include "lispier/Checkpoint/Config.h"
#include "lispier/Checkpoint/MappedFile.h"
#include <cmath>
#include <nlohmann/json.hpp>

using namespace lispier;
using nlohmann::json;

namespace {
constexpr int kMostNested = 4; ///< Bounds the recursion on hostile files; no program needs deeper values.
} // namespace

template <typename Json> void Config::add(const std::string &key, const Json &value, int depth) {
  if (value.is_boolean()) {
    values[key] = value.template get<bool>();
  } else if (value.is_number_unsigned() && value.template get<uint64_t>() > uint64_t(INT64_MAX)) {
    values[key] = value.template get<double>();
  } else if (value.is_number_integer()) {
    values[key] = value.template get<int64_t>();
  } else if (value.is_number()) {
    values[key] = value.template get<double>();
  } else if (value.is_string()) {
    values[key] = value.template get<std::string>();
  } else {
    values[key] = Other{value.is_null()};
    if (depth == kMostNested)
      return;
    for (auto &[inner, item] : value.items()) // The key of an array's item is its index.
      add(key + "." + inner, item, depth + 1);
  }
}

Result<Config> Config::read(const std::string &path) {
  auto file = MappedFile::open(path);
  if (!file)
    return file.failure();
  json content = json::parse(file->text(), nullptr, /*allow_exceptions=*/false);
  if (!content.is_object())
    return file->fail("is not a JSON object");
  Config config(path);
  for (auto &[key, value] : content.items())
    config.add(key, value, 1);
  return config;
}

const Config::Value *Config::find(const std::string &key) const {
  auto found = values.find(key);
  return found == values.end() ? nullptr : &found->second;
}

Failure Config::wrong(const std::string &key, const Value &value, const char *expected) const {
  auto *other = std::get_if<Other>(&value);
  return {source + ": '" + key + "' is " + (other && other->isNull ? "null; expected " : "not ") + expected};
}

Result<int64_t> Config::integer(const std::string &key, int64_t missing) const {
  const Value *value = find(key);
  if (!value)
    return missing;
  if (auto *other = std::get_if<Other>(value); other && other->isNull)
    return missing;
  auto *found = std::get_if<int64_t>(value);
  return found ? Result<int64_t>(*found) : wrong(key, *value, "an integer");
}

Result<double> Config::number(const std::string &key, double missing) const {
  const Value *value = find(key);
  if (!value)
    return missing;
  if (auto *found = std::get_if<int64_t>(value))
    return double(*found);
  auto *found = std::get_if<double>(value);
  return found && std::isfinite(*found) ? Result<double>(*found) : wrong(key, *value, "a number");
}

Result<bool> Config::flag(const std::string &key, bool missing) const {
  const Value *value = find(key);
  if (!value)
    return missing;
  auto *found = std::get_if<bool>(value);
  return found ? Result<bool>(*found) : wrong(key, *value, "true or false");
}

Result<const char *> Config::text(const std::string &key, const char *missing) const {
  const Value *value = find(key);
  if (!value)
    return missing;
  auto *found = std::get_if<std::string>(value);
  return found ? Result<const char *>(found->c_str()) : wrong(key, *value, "a string");
}
