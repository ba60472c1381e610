//===- CheckpointAbi.cpp - the C ABI for weights --------------------------===//
//
// Converts results to handles that keep their first error. The only exception that
// the C++ code can throw is std::bad_alloc, which becomes an error here.
//
//===----------------------------------------------------------------------===//
#include "lispier/Checkpoint/CheckpointAbi.h"
#include "AbiHandle.h"
#include "lispier/Checkpoint/Npy.h"
#include "lispier/Checkpoint/WeightBlock.h"
#include <algorithm>
#include <cstring>
#include <filesystem>

using namespace lispier;

struct lispier_checkpoint : AbiHandle {
  std::optional<Checkpoint> files;
  std::vector<const std::pair<const std::string, TensorEntry> *> order; ///< Sorted by name.
  std::string directory;
};

struct lispier_block {
  lispier_checkpoint *checkpoint;
  std::optional<WeightBlock> block; ///< None if the checkpoint failed to open.
};

namespace {
const TensorEntry *entryAt(const lispier_checkpoint *checkpoint, int64_t index) {
  bool exists = index >= 0 && index < static_cast<int64_t>(checkpoint->order.size());
  return exists ? &checkpoint->order[index]->second : nullptr;
}

/// A value of the configuration by name, `missing` where it is absent; records an error for one of another type.
template <typename T>
T ask(lispier_checkpoint *checkpoint, Result<T> (Config::*getter)(const std::string &, T) const, const char *key,
      T missing) {
  if (!checkpoint->files)
    return missing;
  return askConfig(*checkpoint, checkpoint->files->config(), AbsentKey::IsDefault, getter, key, missing);
}
} // namespace

extern "C" {
lispier_checkpoint *lispier_checkpoint_open(const char *path, const char *layout) {
  return openHandle<lispier_checkpoint>([&](lispier_checkpoint &handle) -> Result<Done> {
    auto opened = Checkpoint::open(path ? path : "", layout ? layout : "");
    if (!opened)
      return opened.failure();
    handle.files = std::move(*opened);
    handle.directory = std::filesystem::path(handle.files->path()).parent_path().string();
    if (handle.directory.empty())
      handle.directory = ".";
    for (auto &item : handle.files->tensors())
      handle.order.push_back(&item);
    return Done();
  });
}

const char *lispier_checkpoint_error(const lispier_checkpoint *checkpoint) { return errorOf(checkpoint); }

const char *lispier_checkpoint_path(const lispier_checkpoint *checkpoint) {
  return checkpoint->files ? checkpoint->files->path().c_str() : "";
}
const char *lispier_checkpoint_directory(const lispier_checkpoint *checkpoint) { return checkpoint->directory.c_str(); }
const char *lispier_checkpoint_format(const lispier_checkpoint *checkpoint) {
  bool llmC = checkpoint->files && checkpoint->files->format() == Checkpoint::Format::LlmC;
  return llmC ? "llm.c" : "safetensors";
}
void lispier_checkpoint_close(lispier_checkpoint *checkpoint) { delete checkpoint; }

int64_t lispier_checkpoint_tensors(const lispier_checkpoint *checkpoint) {
  return static_cast<int64_t>(checkpoint->order.size());
}

int64_t lispier_checkpoint_find(const lispier_checkpoint *checkpoint, const char *name) {
  auto &order = checkpoint->order;
  auto found = std::lower_bound(order.begin(), order.end(), std::string_view(name),
                                [](auto *item, std::string_view wanted) { return item->first < wanted; });
  return found != order.end() && (*found)->first == name ? found - order.begin() : -1;
}

const char *lispier_checkpoint_name(const lispier_checkpoint *checkpoint, int64_t index) {
  return entryAt(checkpoint, index) ? checkpoint->order[index]->first.c_str() : nullptr;
}
const char *lispier_checkpoint_type(const lispier_checkpoint *checkpoint, int64_t index) {
  const TensorEntry *entry = entryAt(checkpoint, index);
  return entry ? entry->dtype.c_str() : nullptr;
}
int64_t lispier_checkpoint_rank(const lispier_checkpoint *checkpoint, int64_t index) {
  const TensorEntry *entry = entryAt(checkpoint, index);
  return entry ? static_cast<int64_t>(entry->shape.size()) : -1;
}
int64_t lispier_checkpoint_size(const lispier_checkpoint *checkpoint, int64_t index, int64_t dim) {
  bool exists = dim >= 0 && dim < lispier_checkpoint_rank(checkpoint, index);
  return exists ? static_cast<int64_t>(entryAt(checkpoint, index)->shape[dim]) : -1;
}
const void *lispier_checkpoint_data(const lispier_checkpoint *checkpoint, int64_t index) {
  const TensorEntry *entry = entryAt(checkpoint, index);
  return entry ? entry->data : nullptr;
}
int64_t lispier_checkpoint_bytes(const lispier_checkpoint *checkpoint, int64_t index) {
  const TensorEntry *entry = entryAt(checkpoint, index);
  return entry ? static_cast<int64_t>(entry->bytes) : -1;
}

int32_t lispier_checkpoint_same(const lispier_checkpoint *checkpoint, int64_t a, int64_t b) {
  const TensorEntry *first = entryAt(checkpoint, a), *second = entryAt(checkpoint, b);
  return first && second && first->dtype == second->dtype && first->shape == second->shape &&
         first->bytes == second->bytes && std::memcmp(first->data, second->data, first->bytes) == 0;
}

int64_t lispier_checkpoint_count(const lispier_checkpoint *checkpoint, const char *prefix) {
  return checkpoint->files ? checkpoint->files->countNumbered(prefix) : 0;
}

const char *lispier_checkpoint_config(const lispier_checkpoint *checkpoint) {
  bool has = checkpoint->files && !checkpoint->files->config().path().empty();
  return has ? checkpoint->files->config().path().c_str() : nullptr;
}
int64_t lispier_checkpoint_integer(lispier_checkpoint *checkpoint, const char *key, int64_t missing) {
  return ask(checkpoint, &Config::integer, key, missing);
}
double lispier_checkpoint_number(lispier_checkpoint *checkpoint, const char *key, double missing) {
  return ask(checkpoint, &Config::number, key, missing);
}
int32_t lispier_checkpoint_flag(lispier_checkpoint *checkpoint, const char *key, int32_t missing) {
  return ask(checkpoint, &Config::flag, key, missing != 0);
}
const char *lispier_checkpoint_text(lispier_checkpoint *checkpoint, const char *key, const char *missing) {
  return ask(checkpoint, &Config::text, key, missing);
}

int32_t lispier_write_npy(const char *path, const float *values, int64_t count) {
  return writeNpy(path, values, count);
}

lispier_block *lispier_block_new(lispier_checkpoint *checkpoint, const char *type) {
  auto *handle = new (std::nothrow) lispier_block{checkpoint, std::nullopt};
  if (!handle)
    return nullptr;
  keepReason(checkpoint->error, [&]() -> Result<Done> {
    auto parsed = parseFloatType(type);
    if (!parsed || *parsed == FloatType::F16)
      return Failure{"a block of weights holds BF16 or F32, not " + std::string(type)};
    if (checkpoint->files)
      handle->block.emplace(*checkpoint->files, *parsed);
    return Done();
  });
  return handle;
}

int64_t lispier_block_add(lispier_block *block, const char *name, int64_t rows, int64_t columns, int32_t transposed) {
  int64_t offset = -1;
  if (block && block->block)
    keepReason(block->checkpoint->error, [&]() -> Result<Done> {
      auto added = block->block->add(name, rows, columns, transposed != 0);
      if (!added)
        return added.failure();
      offset = *added;
      return Done();
    });
  return offset;
}

int64_t lispier_block_elements(const lispier_block *block) {
  return block && block->block ? block->block->elements() : 0;
}

void *lispier_block_read(lispier_block *block) {
  if (!block || !block->block || !block->checkpoint->error.empty())
    return nullptr;
  keepReason(block->checkpoint->error, [&] { return block->block->read(); });
  return block->block->data();
}

void lispier_block_close(lispier_block *block) { delete block; }
} // extern "C"
