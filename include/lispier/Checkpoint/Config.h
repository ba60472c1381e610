//===- Config.h - a model's configuration ----------------------*- C++ -*-===//
#ifndef LISPIER_CHECKPOINT_CONFIG_H
#define LISPIER_CHECKPOINT_CONFIG_H

#include "lispier/Checkpoint/Result.h"
#include <cstdint>
#include <map>
#include <string>
#include <variant>

namespace lispier {
/// Keys and values of config.json or of an llm.c file's header. Members of objects and arrays have dotted keys,
/// `rope_scaling.factor`, `eos_token_id.0`, of at most four names: deeper members are absent. Each getter returns
/// `missing` for an absent key and fails if the value has another type.
class Config {
public:
  /// Reads a JSON object. Fails if the file does not exist.
  static Result<Config> read(const std::string &path);

  Config() = default;
  explicit Config(std::string path) : source(std::move(path)) {}
  template <typename T> void set(const std::string &key, const T &value) { values[key] = value; }
  bool has(const std::string &key) const { return values.contains(key); }

  /// The file it was read from; empty if there is none.
  const std::string &path() const { return source; }
  /// Here alone a null counts as missing: Hugging Face writes it for sizes that follow from others.
  Result<int64_t> integer(const std::string &key, int64_t missing) const;
  /// Accepts integers too. The result is finite.
  Result<double> number(const std::string &key, double missing) const;
  Result<bool> flag(const std::string &key, bool missing) const;
  /// The result lives as long as the configuration. `missing` may be null.
  Result<const char *> text(const std::string &key, const char *missing) const;

private:
  struct Other { ///< A value that no getter returns: null, an object, an array.
    bool isNull;
  };
  using Value = std::variant<Other, bool, int64_t, double, std::string>;
  const Value *find(const std::string &key) const;
  Failure wrong(const std::string &key, const Value &value, const char *expected) const;
  template <typename Json> void add(const std::string &key, const Json &value, int depth);

  std::string source;
  std::map<std::string, Value> values;
};
} // namespace lispier
#endif
