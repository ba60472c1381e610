//===- Checkpoint.cpp - a model's tensors by name -------------------------===//
#include "lispier/Checkpoint/Checkpoint.h"
#include "lispier/Checkpoint/LlmC.h"
#include "lispier/Checkpoint/Quoted.h"
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>

using namespace lispier;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {
constexpr std::string_view kIndexEnding = ".safetensors.index.json";
constexpr const char *kExpected = "a model directory, a .safetensors or .safetensors.index.json file, or a "
                                  ".bin file";

/// What to do with weights as torch.save writes them: they are a pickle, a program that only Python runs.
constexpr const char *kPickled =
    "holds weights pickled by PyTorch, which are not read; expected model.safetensors, which "
    "AutoModelForCausalLM.from_pretrained(FOLDER).save_pretrained(FOLDER) of transformers "
    "writes";

bool isPickledName(std::string_view name) {
  return name.starts_with("pytorch_model") && (name.ends_with(".bin") || name.ends_with(".bin.index.json"));
}
/// A zip archive, or a pickle by itself.
bool isPickled(const MappedFile &file) {
  return file.text().starts_with("PK\x03\x04") || file.text().starts_with("\x80\x02");
}

/// Reads an index, {"weight_map": {name: file, ...}}: the file of each tensor.
Result<std::map<std::string, std::string>> readIndex(const MappedFile &file) {
  json content = json::parse(file.text(), nullptr, /*allow_exceptions=*/false);
  if (!content.is_object())
    return file.fail("is not a JSON object");
  auto found = content.find("weight_map");
  if (found == content.end() || !found->is_object() || found->empty())
    return file.fail("has no weight_map from tensor to file");
  std::map<std::string, std::string> shards;
  for (auto &[name, shard] : found->items()) {
    // Shards are in the index's directory; a path in their name could lead elsewhere.
    std::string text = shard.is_string() ? shard.get<std::string>() : "";
    if (text.empty())
      return file.fail("weight_map has no file name for tensor " + inQuotes(name));
    if (text.find('/') != std::string::npos)
      return file.fail("weight_map says that tensor " + inQuotes(name) + " is in " + inQuotes(text) +
                       "; expected the name of a file beside the index, without '/'");
    shards.emplace(name, text);
  }
  return shards;
}
} // namespace

const TensorEntry *Checkpoint::find(const std::string &name) const {
  auto found = entries.find(name);
  return found == entries.end() ? nullptr : &found->second;
}

int64_t Checkpoint::countNumbered(std::string_view prefix) const {
  int64_t count = 0;
  for (auto at = entries.lower_bound(std::string(prefix)); at != entries.end() && at->first.starts_with(prefix); ++at) {
    std::string_view rest = std::string_view(at->first).substr(prefix.size());
    int64_t number = 0;
    auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (error == std::errc() && end != rest.data() + rest.size() && *end == '.' && number >= 0 && number < INT32_MAX)
      count = std::max(count, number + 1);
  }
  return count;
}

Result<Checkpoint> Checkpoint::open(const std::string &path, std::string_view layout) {
  auto file = findWeights(path);
  if (!file)
    return file.failure();
  Checkpoint checkpoint;
  checkpoint.source = *file;
  Result<Done> opened = file->ends_with(kIndexEnding)     ? checkpoint.openIndex(*file)
                        : file->ends_with(".safetensors") ? checkpoint.openSafetensors(*file)
                        : file->ends_with(".bin")
                            ? checkpoint.openLlmC(*file, layout)
                            : checkpoint.fail(std::string("is of no known format; expected ") + kExpected);
  if (!opened)
    return opened.failure();
  std::string config = (fs::path(*file).parent_path() / "config.json").string();
  std::error_code error;
  if (checkpoint.kind == Format::Safetensors && fs::exists(config, error)) {
    auto read = Config::read(config);
    if (!read)
      return read.failure();
    checkpoint.settings = std::move(*read);
  }
  return checkpoint;
}

Result<Done> Checkpoint::openSafetensors(const std::string &path) {
  auto file = MappedFile::open(path);
  if (!file)
    return file.failure();
  auto read = readSafetensors(*file);
  if (!read)
    return read.failure();
  entries = std::move(*read);
  files.push_back(std::move(*file));
  return Done();
}

Result<Done> Checkpoint::openIndex(const std::string &path) {
  auto index = MappedFile::open(path);
  if (!index)
    return index.failure();
  auto map = readIndex(*index);
  if (!map)
    return map.failure();
  std::map<std::string, std::map<std::string, TensorEntry>> shards;
  for (auto &[name, shard] : *map) {
    auto [opened, isNew] = shards.try_emplace(shard);
    if (isNew) {
      auto file = MappedFile::open((fs::path(path).parent_path() / shard).string());
      if (!file)
        return file.failure();
      auto read = readSafetensors(*file);
      if (!read)
        return read.failure();
      opened->second = std::move(*read);
      files.push_back(std::move(*file));
    }
    auto found = opened->second.find(name);
    if (found == opened->second.end())
      return fail("says that tensor " + inQuotes(name) + " is in " + inQuotes(shard) + ", which does not hold it");
    entries.emplace(name, found->second);
  }
  return Done();
}

Result<Done> Checkpoint::openLlmC(const std::string &path, std::string_view layout) {
  kind = Format::LlmC;
  auto file = MappedFile::open(path);
  if (!file)
    return file.failure();
  if (isPickled(*file))
    return file->fail(kPickled);
  if (layout.empty())
    return file->fail("is an llm.c file, for which the program has no layout; "
                      "expected safetensors");
  auto read = readLlmC(*file, layout);
  if (!read)
    return read.failure();
  entries = std::move(read->entries);
  settings = std::move(read->config);
  files.push_back(std::move(*file));
  return Done();
}

Result<std::string> lispier::findWeights(const std::string &path) {
  std::error_code error;
  if (path.empty())
    return Failure{std::string("the model's path is empty; expected ") + kExpected};
  if (!fs::exists(path, error))
    return Failure{path + ": no such file or directory; expected " + kExpected};
  if (!fs::is_directory(path, error))
    return path;
  for (const char *name : {"model.safetensors", "model.safetensors.index.json"})
    if (fs::path file = fs::path(path) / name; fs::exists(file, error))
      return file.string();
  std::vector<std::string> found;
  std::string pickled;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error)) {
    std::string name = entry->path().filename().string();
    if (isPickledName(name))
      pickled = name;
    else if (name.ends_with(".bin") && !name.ends_with("tokenizer.bin"))
      found.push_back(name);
  }
  if (error)
    return Failure{path + ": cannot be listed: " + error.message()};
  std::sort(found.begin(), found.end());
  if (found.empty() && !pickled.empty())
    return Failure{(fs::path(path) / pickled).string() + ": " + kPickled};
  if (found.empty())
    return Failure{path + ": holds neither model.safetensors, nor its index, "
                          "nor a .bin checkpoint"};
  if (found.size() > 1)
    return Failure{path + ": holds no model.safetensors and more than one checkpoint, " + found[0] + " and " +
                   found[1] + "; name the file"};
  return (fs::path(path) / found[0]).string();
}
