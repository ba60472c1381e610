//===- LlmC.cpp - llm.c's checkpoint format --------------------------------===//
//
// 256 int32: magic, version (3 = F32, 5 = BF16), positions, vocabulary, layers,
// heads, channels, padded vocabulary, zeros. Then the tensors one kind after
// the other, all layers of a kind together, projections as (out, in).
//
//===----------------------------------------------------------------------===//
#include "lispier/Model/Checkpoint.h"
#include <cstring>

using namespace lispier;

namespace {
constexpr int32_t kMagic = 20240326;
constexpr uint64_t kHeaderBytes = 256 * 4;

int32_t headerWord(const MappedFile &file, int index) {
  int32_t word;
  std::memcpy(&word, file.data() + 4 * index, sizeof word);
  return word;
}

Failure wrongMagic(const MappedFile &file) {
  if (file.text().starts_with("PK"))
    return file.fail("is a PyTorch archive, not an llm.c checkpoint; use the model's model.safetensors");
  return file.fail("begins with magic " + std::to_string(headerWord(file, 0)) + ", an llm.c checkpoint with " +
                   std::to_string(kMagic));
}
} // namespace

Result<Checkpoint> lispier::readLlmC(const MappedFile &file) {
  if (file.size() < 4)
    return file.fail("is " + std::to_string(file.size()) + " bytes long; an llm.c checkpoint begins with " +
                     std::to_string(kHeaderBytes) + " bytes of header");
  if (headerWord(file, 0) != kMagic)
    return wrongMagic(file);
  if (file.size() < kHeaderBytes)
    return file.fail("is truncated: " + std::to_string(file.size()) + " bytes, the header alone has " +
                     std::to_string(kHeaderBytes));
  int32_t version = headerWord(file, 1);
  if (version != 3 && version != 5)
    return file.fail("is an llm.c checkpoint of version " + std::to_string(version) +
                     "; versions 3 (F32) and 5 (BF16) can be read");
  Storage storage = version == 3 ? Storage::F32 : Storage::BF16;

  Gpt2Shape shape;
  shape.positions = headerWord(file, 2);
  shape.vocabulary = headerWord(file, 3);
  shape.layers = headerWord(file, 4);
  shape.heads = headerWord(file, 5);
  shape.channels = headerWord(file, 6);
  shape.paddedVocabulary = headerWord(file, 7);
  shape.endOfText = shape.vocabulary - 1;
  if (auto checked = checkShape(file, shape); !checked)
    return checked.failure();

  uint64_t elementBytes = storage == Storage::F32 ? 4 : 2, elements = 0;
  for (int kind = 0; kind <= LISPIER_FINAL_NORM_BIAS; ++kind) {
    TensorShape tensor = tensorShape(shape, lispier_tensor(kind));
    elements += uint64_t(tensor.rows) * tensor.columns * (isPerLayer(lispier_tensor(kind)) ? shape.layers : 1);
  }
  uint64_t expected = kHeaderBytes + elements * elementBytes;
  if (file.size() != expected)
    return file.fail(std::string(file.size() < expected ? "is truncated: " : "is too long: ") +
                     std::to_string(file.size()) + " bytes, the sizes in its header ask for " +
                     std::to_string(expected));

  auto checkpoint = Checkpoint::allocate(file, shape, /*ownOutputWeight=*/false);
  if (!checkpoint)
    return checkpoint;
  const uint8_t *data = file.data() + kHeaderBytes;
  for (int kind = 0; kind <= LISPIER_FINAL_NORM_BIAS; ++kind) {
    TensorShape tensor = tensorShape(shape, lispier_tensor(kind));
    for (int64_t layer = 0; layer < (isPerLayer(lispier_tensor(kind)) ? shape.layers : 1); ++layer) {
      checkpoint->fill(lispier_tensor(kind), layer, data, storage, /*transposed=*/false);
      data += uint64_t(tensor.rows) * tensor.columns * elementBytes;
    }
  }
  return checkpoint;
}
