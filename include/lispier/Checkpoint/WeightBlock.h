//===- WeightBlock.h - chosen tensors in one block of memory ---*- C++ -*-===//
//
// A program names the tensors that it wants in the order in which it reads them
// and gets them converted to one element type, each 64-byte aligned, all in one
// block: one upload to a device, and huge pages on a host, which keep the
// address translation off the path of a decode step.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_CHECKPOINT_WEIGHTBLOCK_H
#define LISPIER_CHECKPOINT_WEIGHTBLOCK_H

#include "lispier/Checkpoint/Checkpoint.h"
#include <memory>
#include <optional>

namespace lispier {
/// Types of floats that can be read; a block holds BF16 or F32.
enum class FloatType { F32, F16, BF16 };
std::optional<FloatType> parseFloatType(std::string_view name);

class WeightBlock {
public:
  /// `checkpoint` must outlive the block's `read`.
  WeightBlock(const Checkpoint &checkpoint, FloatType type) : checkpoint(checkpoint), type(type) {}

  /// Reserves the place of a matrix of `rows` x `columns` as the program sees it; `transposed`: the file has columns x
  /// rows. `rows` 0: a vector. Returns where it begins, in elements. Fails when there is no such tensor, or one of
  /// another shape or type.
  Result<int64_t> add(const std::string &name, int64_t rows, int64_t columns, bool transposed);
  /// Elements that are reserved, padding included.
  int64_t elements() const { return total; }
  /// Allocates the block and converts all tensors into it, rounding to nearest even. Fails when memory runs out.
  Result<Done> read();
  /// The block, 64-byte aligned; null before `read`. `elements()` BF16 or F32 numbers.
  void *data() const { return memory.get(); }

private:
  struct Release {
    void operator()(void *memory) const;
  };
  struct Place {
    const TensorEntry *entry;
    FloatType stored;
    int64_t offset, rows, columns;
    bool transposed;
  };
  const Checkpoint &checkpoint;
  FloatType type;
  std::vector<Place> places;
  int64_t total = 0;
  std::unique_ptr<void, Release> memory;
};
} // namespace lispier
#endif
