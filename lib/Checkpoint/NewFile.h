//===- NewFile.h - a file under construction -------------------*- C++ -*-===//
#ifndef LISPIER_LIB_CHECKPOINT_NEWFILE_H
#define LISPIER_LIB_CHECKPOINT_NEWFILE_H

#include "lispier/Checkpoint/Result.h"
#include <cstddef>
#include <string>
#include <utility>

namespace lispier {
/// `path: what: reason`, where the reason is errno's.
Failure systemFailure(const std::string &path, const char *what, int error);

/// A file that is written once, and is on the disk when `finish` returns.
class NewFile {
public:
  /// Fails if the file exists.
  static Result<NewFile> create(const std::string &path);
  NewFile(NewFile &&other) noexcept : name(std::move(other.name)), descriptor(std::exchange(other.descriptor, -1)) {}
  ~NewFile();

  Result<Done> write(const void *bytes, size_t count);
  Result<Done> finish();

private:
  NewFile(std::string name, int descriptor) : name(std::move(name)), descriptor(descriptor) {}
  std::string name;
  int descriptor;
};

/// Writes a directory's entries to the disk: what was renamed or made in it.
Result<Done> syncFolder(const std::string &path);
} // namespace lispier
#endif
