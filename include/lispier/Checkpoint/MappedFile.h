//===- MappedFile.h - a read-only memory-mapped file -----------*- C++ -*-===//
#ifndef LISPIER_CHECKPOINT_MAPPEDFILE_H
#define LISPIER_CHECKPOINT_MAPPEDFILE_H

#include "lispier/Checkpoint/Result.h"
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lispier {
/// A regular file mapped into memory. Pages are read on first access.
class MappedFile {
public:
  /// Fails if the file is missing, unreadable or not a regular file.
  static Result<MappedFile> open(const std::string &path);

  MappedFile(MappedFile &&other) noexcept;
  MappedFile &operator=(MappedFile &&other) noexcept;
  ~MappedFile();

  /// Null if the file is empty.
  const uint8_t *data() const { return bytes; }
  size_t size() const { return length; }
  std::string_view text() const { return {reinterpret_cast<const char *>(bytes), length}; }
  const std::string &path() const { return name; }
  /// A failure with the text `path: message`.
  Failure fail(const std::string &message) const { return {name + ": " + message}; }

private:
  explicit MappedFile(std::string path) : name(std::move(path)) {}
  std::string name;
  const uint8_t *bytes = nullptr;
  size_t length = 0;
};
} // namespace lispier
#endif
