//===- Safetensors.h - the header of a .safetensors file -------*- C++ -*-===//
//
// Format: 8 bytes of header size (little endian), a JSON object
// {name: {dtype, shape, data_offsets: [begin, end]}, ...}, then the data, which
// the offsets count from.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_CHECKPOINT_SAFETENSORS_H
#define LISPIER_CHECKPOINT_SAFETENSORS_H

#include "lispier/Checkpoint/MappedFile.h"
#include <map>
#include <vector>

namespace lispier {
/// One tensor of a file; `data` points into the mapping and has no alignment.
struct TensorEntry {
  std::string dtype; ///< As the file spells it: F32, F16, BF16, I64 ...
  std::vector<uint64_t> shape;
  const uint8_t *data = nullptr;
  uint64_t bytes = 0;
};

/// `[2, 3]`
std::string shapeText(const std::vector<uint64_t> &shape);

/// Reads and checks the header: its size, its JSON, each tensor's shape against its length, and that each byte of the
/// data belongs to one tensor. A tensor of an unknown dtype is listed, but its length is not checked.
Result<std::map<std::string, TensorEntry>> readSafetensors(const MappedFile &file);
} // namespace lispier
#endif
