//===- LlmC.h - llm.c's checkpoints with a layout table --------*- C++ -*-===//
//
// File format: 256 int32 (magic, version (3: F32, 5: BF16), then the model's
// sizes), followed by the data of all tensors, without names. The program supplies
// the layout as text, in the order of the file:
//
//   magic 20240326
//   header n_positions n_layer n_embd        names of header words 2, 3 and 4, counted from 0
//   wpe.weight n_positions n_embd            a tensor: its name and sizes
//   h.{n_layer}.ln_1.weight n_embd           one for each layer, from 0
//
// A size is a number, the name of a header word, or a product of these (4*n_embd).
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
  Config config; ///< The named header words; each is 1 to 2^24.
  std::map<std::string, TensorEntry> entries;
};
/// Fails if the file is not an llm.c checkpoint, the layout is malformed, or the sizes do not add up to the file's.
Result<LlmCContents> readLlmC(const MappedFile &file, std::string_view layout);
} // namespace lispier
#endif
