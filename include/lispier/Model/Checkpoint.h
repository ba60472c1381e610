//===- Checkpoint.h - GPT-2's weights, whatever file they came from -*- C++ -*-===//
//
// One layout for both file formats: BF16 (rounded to nearest even), every
// projection as (out, in), each tensor 64-byte aligned, all in one block whose
// huge pages keep the address translation off the path of a decode step.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_MODEL_CHECKPOINT_H
#define LISPIER_MODEL_CHECKPOINT_H

#include "lispier/Model/MappedFile.h"
#include "lispier/Model/Model.h"
#include <memory>
#include <vector>

namespace lispier {
/// The sizes of a GPT-2. C = channels, V = vocabulary, P = positions.
struct Gpt2Shape {
  int64_t layers = 0, heads = 0, channels = 0, positions = 0;
  int64_t vocabulary = 0;       ///< Token ids that mean something.
  int64_t paddedVocabulary = 0; ///< Rows of the token embedding, >= vocabulary.
  int64_t endOfText = 0;
  float epsilon = 1e-5f; ///< Of the layer norms.
};

/// Rows and columns of one tensor of the shape; a bias has one row.
struct TensorShape {
  int64_t rows, columns;
};
TensorShape tensorShape(const Gpt2Shape &shape, lispier_tensor kind);
/// Whether each layer has its own.
bool isPerLayer(lispier_tensor kind);

/// Says what is impossible about the sizes, so that later products of them cannot overflow.
Result<Done> checkShape(const MappedFile &file, const Gpt2Shape &shape);

/// How a file stores the numbers of one tensor.
enum class Storage { F32, F16, BF16 };

/// All weights of one model. Owns the block.
class Checkpoint {
public:
  /// Reserves the block for a shape that checkShape accepts. Fails when memory runs out.
  static Result<Checkpoint> allocate(const MappedFile &file, const Gpt2Shape &shape, bool ownOutputWeight);

  const Gpt2Shape &shape() const { return sizes; }
  /// The block, in BF16 elements, padding included.
  uint16_t *data() const { return block.get(); }
  int64_t elements() const { return total; }
  /// Where in the block a tensor begins; the output weight is the token embedding unless the file has its own.
  int64_t offset(lispier_tensor kind, int64_t layer) const;
  uint16_t *tensor(lispier_tensor kind, int64_t layer) const { return data() + offset(kind, layer); }
  /// Copies one tensor in, rounding; `transposed`: the file stores (columns, rows).
  void fill(lispier_tensor kind, int64_t layer, const uint8_t *data, Storage storage, bool transposed);

private:
  struct Release {
    void operator()(uint16_t *block) const;
  };
  Gpt2Shape sizes;
  std::unique_ptr<uint16_t[], Release> block;
  std::vector<int64_t> offsets; ///< By kind; of layer 0 where each layer has one.
  int64_t layerStride = 0, total = 0;
};

/// Reads one file of Hugging Face's GPT2LMHeadModel or GPT2Model, with config.json beside it if there is one.
Result<Checkpoint> readHuggingFace(const MappedFile &file);
/// Reads one llm.c checkpoint: version 3 (F32) or 5 (BF16).
Result<Checkpoint> readLlmC(const MappedFile &file);

/// The weights file that a user's path means: the file itself, or in a directory model.safetensors, else
/// the only *.bin that is not a tokenizer.
Result<std::string> findWeights(const std::string &path);
/// Either format, told apart by the name's ending.
Result<Checkpoint> readCheckpoint(const std::string &weightsFile);
} // namespace lispier
#endif
