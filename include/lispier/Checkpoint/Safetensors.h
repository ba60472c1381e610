//===- Safetensors.h - the header of a .safetensors file -------*- C++ -*-===//
//
// File format: the size of the header (8 bytes, little endian), the header as a
// JSON object {name: {dtype, shape, data_offsets: [begin, end]}, ...}, and the
// data, from whose start the offsets count.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_CHECKPOINT_SAFETENSORS_H
#define LISPIER_CHECKPOINT_SAFETENSORS_H

#include "lispier/Checkpoint/MappedFile.h"
#include <map>
#include <optional>
#include <vector>

namespace lispier {
/// One tensor of a file; `data` points into the mapping and has no alignment.
struct TensorEntry {
  std::string dtype; ///< As in the file: F32, F16, BF16, I64, ...
  std::vector<uint64_t> shape;
  const uint8_t *data = nullptr;
  uint64_t bytes = 0;
};

/// A shape as text: `[2, 3]`.
std::string shapeText(const std::vector<uint64_t> &shape);

/// The bytes of an element of a dtype; nullopt for one that the format does not define.
std::optional<uint64_t> elementBytes(const std::string &dtype);

/// Reads the header and checks its size and JSON, each tensor's shape against its length, and that each byte of the
/// data belongs to exactly one tensor. A tensor of unknown dtype is listed without a check of its length.
Result<std::map<std::string, TensorEntry>> readSafetensors(const MappedFile &file);
} // namespace lispier
#endif
