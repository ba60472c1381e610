//===- Checkpoint.cpp - GPT-2's weights in one block -----------------------===//
#include "lispier/Model/Checkpoint.h"
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sys/mman.h>

using namespace lispier;
namespace fs = std::filesystem;

namespace {
constexpr size_t kHugePage = size_t(2) << 20;
constexpr int64_t kAlignElements = 32; // 64 bytes of BF16
constexpr int kKinds = LISPIER_OUTPUT_WEIGHT + 1;

float halfToFloat(uint16_t half) {
  uint32_t sign = uint32_t(half & 0x8000) << 16, exponent = (half >> 10) & 31, fraction = half & 1023;
  if (exponent == 31) // infinity and NaN
    return std::bit_cast<float>(sign | 0x7F800000u | (fraction << 13));
  if (exponent == 0) { // zero and subnormals: fraction * 2^-24
    float magnitude = float(fraction) * 0x1p-24f;
    return sign ? -magnitude : magnitude;
  }
  return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
}

uint16_t roundToBf16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7FFFFFFFu) > 0x7F800000u)
    return uint16_t((bits >> 16) | 0x40); // a NaN stays one when its low half is cut off
  return uint16_t((bits + 0x7FFFu + ((bits >> 16) & 1)) >> 16);
}

/// Element `i` of a file's tensor. The file gives no alignment, hence the copies.
template <Storage storage> uint16_t element(const uint8_t *data, int64_t i) {
  if constexpr (storage == Storage::F32) {
    float value;
    std::memcpy(&value, data + 4 * i, 4);
    return roundToBf16(value);
  }
  uint16_t value;
  std::memcpy(&value, data + 2 * i, 2);
  return storage == Storage::BF16 ? value : roundToBf16(halfToFloat(value));
}

template <Storage storage> void copy(uint16_t *to, const uint8_t *from, TensorShape shape, bool transposed) {
  int64_t rows = shape.rows, columns = shape.columns;
  if (!transposed) {
    for (int64_t i = 0; i < rows * columns; ++i)
      to[i] = element<storage>(from, i);
    return;
  }
  constexpr int64_t kTile = 64; // both sides of a tile stay in the first-level cache
  for (int64_t row0 = 0; row0 < rows; row0 += kTile)
    for (int64_t column0 = 0; column0 < columns; column0 += kTile)
      for (int64_t row = row0; row < std::min(row0 + kTile, rows); ++row)
        for (int64_t column = column0; column < std::min(column0 + kTile, columns); ++column)
          to[row * columns + column] = element<storage>(from, column * rows + row);
}

int64_t alignedSize(TensorShape shape) {
  return (shape.rows * shape.columns + kAlignElements - 1) / kAlignElements * kAlignElements;
}
} // namespace

bool lispier::isPerLayer(lispier_tensor kind) { return kind >= LISPIER_NORM1_WEIGHT && kind <= LISPIER_CONTRACT_BIAS; }

TensorShape lispier::tensorShape(const Gpt2Shape &shape, lispier_tensor kind) {
  int64_t c = shape.channels;
  switch (kind) {
  case LISPIER_TOKEN_EMBEDDING:
  case LISPIER_OUTPUT_WEIGHT:
    return {shape.paddedVocabulary, c};
  case LISPIER_POSITION_EMBEDDING:
    return {shape.positions, c};
  case LISPIER_QKV_WEIGHT:
    return {3 * c, c};
  case LISPIER_QKV_BIAS:
    return {1, 3 * c};
  case LISPIER_ATTENTION_WEIGHT:
    return {c, c};
  case LISPIER_EXPAND_WEIGHT:
    return {4 * c, c};
  case LISPIER_EXPAND_BIAS:
    return {1, 4 * c};
  case LISPIER_CONTRACT_WEIGHT:
    return {c, 4 * c};
  case LISPIER_NORM1_WEIGHT:
  case LISPIER_NORM1_BIAS:
  case LISPIER_ATTENTION_BIAS:
  case LISPIER_NORM2_WEIGHT:
  case LISPIER_NORM2_BIAS:
  case LISPIER_CONTRACT_BIAS:
  case LISPIER_FINAL_NORM_WEIGHT:
  case LISPIER_FINAL_NORM_BIAS:
    return {1, c};
  }
  return {0, 0};
}

Result<Done> lispier::checkShape(const MappedFile &file, const Gpt2Shape &shape) {
  // The bounds keep 64-bit sizes from overflowing; GPT-2's largest is 48 layers of 1600 channels.
  struct Bound {
    const char *name;
    int64_t value, most;
  } bounds[] = {{"layers", shape.layers, 4096},
                {"heads", shape.heads, 65536},
                {"channels", shape.channels, 65536},
                {"positions", shape.positions, 1 << 24},
                {"a vocabulary of", shape.vocabulary, 1 << 24},
                {"embedding rows", shape.paddedVocabulary, 1 << 24}};
  for (const Bound &bound : bounds)
    if (bound.value < 1 || bound.value > bound.most)
      return file.fail("has " + std::string(bound.name) + " " + std::to_string(bound.value) + "; expected 1 to " +
                       std::to_string(bound.most));
  if (shape.channels % shape.heads != 0)
    return file.fail("has " + std::to_string(shape.channels) + " channels, which " + std::to_string(shape.heads) +
                     " heads do not divide");
  if (shape.paddedVocabulary < shape.vocabulary)
    return file.fail("has a vocabulary of " + std::to_string(shape.vocabulary) + " tokens, but only " +
                     std::to_string(shape.paddedVocabulary) + " rows of token embedding");
  return Done();
}

void Checkpoint::Release::operator()(uint16_t *memory) const { std::free(memory); }

Result<Checkpoint> Checkpoint::allocate(const MappedFile &file, const Gpt2Shape &shape, bool ownOutputWeight) {
  Checkpoint checkpoint;
  checkpoint.sizes = shape;
  checkpoint.offsets.resize(kKinds);
  int64_t &total = checkpoint.total;
  auto place = [&](int kind) {
    checkpoint.offsets[kind] = total;
    total += alignedSize(tensorShape(shape, lispier_tensor(kind)));
  };
  // In the order in which a step reads them.
  place(LISPIER_TOKEN_EMBEDDING);
  place(LISPIER_POSITION_EMBEDDING);
  int64_t layersBegin = total;
  for (int kind = LISPIER_NORM1_WEIGHT; kind <= LISPIER_CONTRACT_BIAS; ++kind)
    place(kind);
  checkpoint.layerStride = total - layersBegin;
  total = layersBegin + checkpoint.layerStride * shape.layers;
  place(LISPIER_FINAL_NORM_WEIGHT);
  place(LISPIER_FINAL_NORM_BIAS);
  checkpoint.offsets[LISPIER_OUTPUT_WEIGHT] = checkpoint.offsets[LISPIER_TOKEN_EMBEDDING];
  if (ownOutputWeight)
    place(LISPIER_OUTPUT_WEIGHT);

  size_t bytes = (size_t(total) * 2 + kHugePage - 1) / kHugePage * kHugePage;
  void *memory = std::aligned_alloc(kHugePage, bytes);
  if (!memory)
    return file.fail("needs " + std::to_string(bytes) + " bytes of memory for its weights, which cannot be had");
  madvise(memory, bytes, MADV_HUGEPAGE); // only speed depends on it
  checkpoint.block.reset(static_cast<uint16_t *>(memory));
  return checkpoint;
}

int64_t Checkpoint::offset(lispier_tensor kind, int64_t layer) const {
  return offsets[kind] + (isPerLayer(kind) ? layer * layerStride : 0);
}

void Checkpoint::fill(lispier_tensor kind, int64_t layer, const uint8_t *data, Storage storage, bool transposed) {
  uint16_t *to = tensor(kind, layer);
  TensorShape shape = tensorShape(sizes, kind);
  switch (storage) {
  case Storage::F32:
    return copy<Storage::F32>(to, data, shape, transposed);
  case Storage::F16:
    return copy<Storage::F16>(to, data, shape, transposed);
  case Storage::BF16:
    return copy<Storage::BF16>(to, data, shape, transposed);
  }
}

Result<std::string> lispier::findWeights(const std::string &path) {
  std::error_code error;
  if (!fs::exists(path, error))
    return Failure{path + ": no such file or directory; expected a model directory, a .safetensors or a .bin file"};
  if (!fs::is_directory(path, error))
    return path;
  fs::path safetensors = fs::path(path) / "model.safetensors";
  if (fs::exists(safetensors, error))
    return safetensors.string();
  std::vector<std::string> found;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error)) {
    std::string name = entry->path().filename().string();
    if (name.ends_with(".bin") && !name.ends_with("tokenizer.bin"))
      found.push_back(name);
  }
  if (error)
    return Failure{path + ": cannot be listed: " + error.message()};
  std::sort(found.begin(), found.end());
  if (found.empty())
    return Failure{path + ": holds neither model.safetensors nor a .bin checkpoint"};
  if (found.size() > 1)
    return Failure{path + ": holds no model.safetensors and more than one checkpoint, " + found[0] + " and " +
                   found[1] + "; name the file"};
  return (fs::path(path) / found[0]).string();
}

Result<Checkpoint> lispier::readCheckpoint(const std::string &weightsFile) {
  auto file = MappedFile::open(weightsFile);
  if (!file)
    return file.failure();
  if (weightsFile.ends_with(".safetensors"))
    return readHuggingFace(*file);
  if (weightsFile.ends_with(".bin"))
    return readLlmC(*file);
  return file->fail("is neither a .safetensors nor a .bin file, so its format is unknown");
}
