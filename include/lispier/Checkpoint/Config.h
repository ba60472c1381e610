//===- Config.h - what a model's files say besides tensors -----*- C++ -*-===//
#ifndef LISPIER_CHECKPOINT_CONFIG_H
#define LISPIER_CHECKPOINT_CONFIG_H

#include "lispier/Checkpoint/Result.h"
#include <cstdint>
#include <map>
#include <string>
#include <variant>

namespace lispier {
/// Keys and values: of config.json, or of an llm.c file's header. Members of an object, and of an array, are keys with
/// a dot: `rope_scaling.factor`, `eos_token_id.0`. Each question has the value for a missing key, and fails when the
/// key has a value of another type.
class Config {
public:
  /// Reads a JSON object. Missing files are the caller's to notice.
  static Result<Config> read(const std::string &path);

  Config() = default;
  explicit Config(std::string path) : source(std::move(path)) {}
  void set(const std::string &key, int64_t value) { values[key] = value; }

  /// The file that it was read from; empty without one.
  const std::string &path() const { return source; }
  /// null counts as missing: Hugging Face writes it for a size that follows from others.
  Result<int64_t> integer(const std::string &key, int64_t missing) const;
  /// An integer is a number too; finite.
  Result<double> number(const std::string &key, double missing) const;
  Result<bool> flag(const std::string &key, bool missing) const;
  /// Lives as long as the configuration; `missing` may be null.
  Result<const char *> text(const std::string &key, const char *missing) const;

private:
  struct Other { ///< What no question asks for: an object, an array, a number out of range.
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
