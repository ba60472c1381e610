//===- SafetensorsWriter.h - writes a .safetensors file --------*- C++ -*-===//
#ifndef LISPIER_CHECKPOINT_SAFETENSORSWRITER_H
#define LISPIER_CHECKPOINT_SAFETENSORSWRITER_H

#include "lispier/Checkpoint/Result.h"
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace lispier {
/// The tensors of a file, which stay in the memory of the caller until they are written.
class SafetensorsWriter {
public:
  /// `dtype`: as in the file, F32, BF16, I64 ... Fails for another one, for a name that was added before, and for sizes
  /// whose product is too large.
  Result<Done> add(const std::string &name, const std::string &dtype, const std::vector<uint64_t> &shape,
                   const void *data);
  /// Adds a pair to the header's `__metadata__`; without any it is {"format": "pt"}, which transformers needs.
  void describe(const std::string &key, const std::string &value) { metadata.emplace_back(key, value); }
  /// Writes a new file, and returns when it is on the disk.
  Result<Done> write(const std::string &path) const;

private:
  struct Tensor {
    std::string name, dtype;
    std::vector<uint64_t> shape;
    const void *data;
    uint64_t unit, bytes; ///< Of an element, of all.
  };
  std::string header(const std::vector<const Tensor *> &order) const;

  std::vector<Tensor> tensors;
  std::set<std::string> names;
  std::vector<std::pair<std::string, std::string>> metadata;
};
} // namespace lispier
#endif
