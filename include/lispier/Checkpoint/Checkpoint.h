//===- Checkpoint.h - a model's tensors by name ----------------*- C++ -*-===//
//
// One interface for all models: safetensors (one file, or shards with an index)
// and llm.c's files, which contain no names and are read with a layout table that
// the program supplies. It does not know what a tensor is used for.
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
/// Tensors and configuration of one model. Owns the mapped files, whose pages are read on first access.
class Checkpoint {
public:
  enum class Format { Safetensors, LlmC };

  /// `path`: a .safetensors file, an index (.safetensors.index.json), an llm.c .bin, or a directory with one of these:
  /// model.safetensors, else model.safetensors.index.json, else its only *.bin that is not a tokenizer. `layout`
  /// (LlmC.h) describes .bin files; if it is empty, they are rejected. The configuration is config.json in the
  /// directory of the safetensors (empty if there is none), or the header of an llm.c file.
  static Result<Checkpoint> open(const std::string &path, std::string_view layout);

  Format format() const { return kind; }
  /// The weights file, or the index of its shards.
  const std::string &path() const { return source; }
  const Config &config() const { return settings; }
  const std::map<std::string, TensorEntry> &tensors() const { return entries; }
  /// Returns null if there is no tensor of this name.
  const TensorEntry *find(const std::string &name) const;
  /// Returns one more than the largest N among the names `prefix` N `.` ..., such as a model's number of layers; 0 if
  /// there is no such name.
  int64_t countNumbered(std::string_view prefix) const;
  /// A failure with the text `path: message`.
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

/// Finds the weights file, or the index, for a path as `Checkpoint::open` accepts it.
Result<std::string> findWeights(const std::string &path);
} // namespace lispier
#endif
