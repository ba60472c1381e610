//===- JsonFile.h - checked access to the values of a JSON file -*- C++ -*-===//
#ifndef LISPIER_LIB_CHECKPOINT_JSONFILE_H
#define LISPIER_LIB_CHECKPOINT_JSONFILE_H

#include "lispier/Checkpoint/MappedFile.h"
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

namespace lispier {
/// Parses a JSON file. A syntax error becomes `path:line:column: is not JSON: what was found; what was expected`.
/// `filter` is nlohmann's parser callback; null keeps all.
Result<nlohmann::json> parseJson(const MappedFile &file, const nlohmann::json::parser_callback_t &filter = nullptr);

/// A value of a JSON file with its place, for messages. Errors go into a `Failure` that all values of a file share and
/// of which the first is kept; a getter that fails returns a default, so that a reader can ask for all it needs and
/// check once.
class JsonValue {
public:
  JsonValue(const MappedFile &file, const nlohmann::json &root, std::optional<Failure> &error)
      : file(&file), value(&root), error(&error) {}

  /// The value of a key; an absent value if there is none.
  JsonValue operator[](const std::string &key) const;
  bool missing() const { return !value; }
  /// Whether the value is missing or null.
  bool absent() const { return !value || value->is_null(); }
  bool isObject() const { return value && value->is_object(); }
  bool isArray() const { return value && value->is_array(); }
  bool isText() const { return value && value->is_string(); }

  /// Each fails for a value of another type, and for an absent one unless there is a default.
  bool flag(std::optional<bool> missing = std::nullopt) const;
  std::string text(std::optional<std::string> missing = std::nullopt) const;
  int64_t integer(int64_t least, int64_t most, std::optional<int64_t> missing = std::nullopt) const;
  double number(std::optional<double> missing = std::nullopt) const;
  /// The items of an array.
  std::vector<JsonValue> items() const;
  /// The keys of an object; fails for another type.
  std::vector<std::string> keys() const;
  /// Fails unless this is an object all of whose keys are listed: a field of unknown meaning is not ignored.
  void allowKeys(std::initializer_list<const char *> known) const;
  /// The index of the text in `choices`; fails with the list, and returns 0, if it is none of them.
  size_t choice(std::initializer_list<const char *> choices) const;
  /// Fails unless the value is absent or equals the JSON text `neutral`: what another value means is not supported.
  void expectNeutral(const char *neutral) const;
  /// Records the error `path: 'place' message`.
  void fail(const std::string &message) const;
  const std::string &place() const { return where; }

private:
  JsonValue(const JsonValue &parent, const nlohmann::json *value, std::string where)
      : file(parent.file), value(value), error(parent.error), where(std::move(where)) {}
  /// Records that the value is missing or is not `expected`.
  void expected(const std::string &what) const;

  const MappedFile *file;
  const nlohmann::json *value;
  std::optional<Failure> *error;
  std::string where; ///< Such as `model.vocab`; empty for the whole file.
};
} // namespace lispier
#endif
