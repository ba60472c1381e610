//===- Checkpoint.h - tensors of a model's files by name -------*- C++ -*-===//
//
// One reader for all models: safetensors (one file, or shards with an index)
// and llm.c's files, which hold no names and are read by a layout that the
// program gives. What tensors mean is the program's business.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_CHECKPOINT_CHECKPOINT_H
#define LISPIER_CHECKPOINT_CHECKPOINT_H

#include "lispier/Checkpoint/Config.h"
#include "lispier/Checkpoint/MappedFile.h"
#include "lispier/Checkpoint/Safetensors.h"
#include <map>
#include <string_view>
#include <vector>

namespace lispier {
/// Tensors and configuration of one model. Owns the mapped files; nothing is read before it is asked for.
class Checkpoint {
public:
  enum class Format { Safetensors, LlmC };

  /// `path`: a .safetensors file, an index (.safetensors.index.json), an llm.c .bin, or a directory with one of these:
  /// model.safetensors, else model.safetensors.index.json, else the only *.bin that is not a tokenizer. `layout`
  /// (LlmC.h) describes .bin files; where it is empty they are refused. The configuration is config.json beside
  /// safetensors, and an llm.c file's own header.
  static Result<Checkpoint> open(const std::string &path, std::string_view layout);

  Format format() const { return kind; }
  /// The weights file, or the index of its shards.
  const std::string &path() const { return source; }
  const Config &config() const { return settings; }
  const std::map<std::string, TensorEntry> &tensors() const { return entries; }
  /// Null where there is no tensor of this name.
  const TensorEntry *find(const std::string &name) const;
  /// One more than the largest N of the names `prefix` N `.` ...; 0 without any: the number of a model's layers.
  int64_t countNumbered(std::string_view prefix) const;
  /// `path: message`.
  Failure fail(const std::string &message) const { return {source + ": " + message}; }

private:
  Result<Done> openSafetensors(const std::string &file);
  Result<Done> openIndex(const std::string &file);
  Result<Done> openLlmC(const std::string &file, std::string_view layout);

  Format kind = Format::Safetensors;
  std::string source;
  std::vector<MappedFile> files;
  std::map<std::string, TensorEntry> entries;
  Config settings;
};

/// The weights file, or index, that a user's path means.
Result<std::string> findWeights(const std::string &path);
} // namespace lispier
#endif
