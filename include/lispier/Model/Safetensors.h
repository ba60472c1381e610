//===- Safetensors.h - the header of a .safetensors file -------*- C++ -*-===//
//
// Format: 8 bytes of header size (little endian), a JSON object
// {name: {dtype, shape, data_offsets: [begin, end]}, ...}, then the data, which
// the offsets count from.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_MODEL_SAFETENSORS_H
#define LISPIER_MODEL_SAFETENSORS_H

#include "lispier/Model/MappedFile.h"
#include <map>
#include <vector>

namespace lispier {
/// One tensor of the file; `data` points into the mapping.
struct TensorEntry {
  std::string dtype; ///< As the file spells it: F32, F16, BF16, I64 ...
  std::vector<uint64_t> shape;
  const uint8_t *data = nullptr;
  uint64_t bytes = 0;
};

/// Reads and checks the header: its size, its JSON, each tensor's shape against its length, offsets in
/// range and without overlap. A tensor of an unknown dtype is listed, but its length is not checked.
Result<std::map<std::string, TensorEntry>> readSafetensors(const MappedFile &file);
} // namespace lispier
#endif
