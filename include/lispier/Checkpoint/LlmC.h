//===- LlmC.h - llm.c's checkpoints, by a layout table ---------*- C++ -*-===//
//
// Format: 256 int32: magic, version (3: F32, 5: BF16), then the model's sizes;
// after them the numbers of all tensors, without names. A layout, which the
// program brings as text, says what they are:
//
//   magic 20240326
//   header n_positions n_layer n_embd        words 2, 3 and 4 of the header
//   wpe.weight n_positions n_embd            a tensor: its name and sizes
//   h.{n_layer}.ln_1.weight n_embd           one for each layer, 0 first
//
// in the file's order. A size is a number, a word of the header, or a product
// of them (4*n_embd).
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_CHECKPOINT_LLMC_H
#define LISPIER_CHECKPOINT_LLMC_H

#include "lispier/Checkpoint/Config.h"
#include "lispier/Checkpoint/MappedFile.h"
#include "lispier/Checkpoint/Safetensors.h"
#include <map>
#include <string_view>

namespace lispier {
struct LlmCContents {
  Config config; ///< The words of the header, by the layout's names; each is 1 to 2^24.
  std::map<std::string, TensorEntry> entries;
};
/// Fails when the file is not of this kind, when the layout is wrong, and when the sizes do not add up to the file's.
Result<LlmCContents> readLlmC(const MappedFile &file, std::string_view layout);
} // namespace lispier
#endif
