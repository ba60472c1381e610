//===- WeightBlock.h - selected tensors in one memory block ----*- C++ -*-===//
//
// A program adds the tensors that it needs in the order in which it reads them.
// They are converted to one element type and placed in one block, each aligned to
// 64 bytes. One block means one upload to a device and, on a host, huge pages,
// which avoid TLB misses in a decode step.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_CHECKPOINT_WEIGHTBLOCK_H
#define LISPIER_CHECKPOINT_WEIGHTBLOCK_H

#include "lispier/Checkpoint/Checkpoint.h"
#include <memory>
#include <optional>

namespace lispier {
/// Float types that can be read; a block contains BF16 or F32.
enum class FloatType { F32, F16, BF16 };
std::optional<FloatType> parseFloatType(std::string_view name);

/// What a block has of a tensor, a matrix as the program sees it: element (r, c) is number `r * stride + c` of the
/// file's tensor, or, if the file has it transposed, `r + c * stride`; of the part of a rank, `rank * step` more. Where
/// it is `ofFirst`, other ranks than the first have zeros.
struct Excerpt {
  int64_t rows, columns;
  bool isTransposed;
  int64_t stride, step = 0;
  bool ofFirst = false;
};

class WeightBlock {
public:
  /// `checkpoint` must outlive the block's `read`.
  WeightBlock(const Checkpoint &checkpoint, FloatType type) : checkpoint(checkpoint), type(type) {}

  /// Adds a tensor and returns its offset in elements. The program sees it as rows x columns; with `transposed` the
  /// file has columns x rows. `rows` 0 means a vector. Fails if there is no such tensor, its shape differs, or its type
  /// cannot be read.
  Result<int64_t> add(const std::string &name, int64_t rows, int64_t columns, bool transposed);
  /// As `add`, for what the caller has checked to be in the tensor, which may have any shape. Only this is read of the
  /// file. Unless `aligned`, it follows the last one directly (after `add`, at the next multiple of 64 bytes). Fails if
  /// there is no such tensor, or its type cannot be read.
  Result<int64_t> append(const std::string &name, const Excerpt &excerpt, bool aligned);
  /// Adds `count` zeros, 64-byte aligned, and returns their offset in elements.
  int64_t appendZeros(int64_t count);
  /// Size in elements, including padding.
  int64_t elements() const { return total; }
  /// Allocates the block and converts all tensors into it, or a rank's parts of them, rounding to nearest even. Fails
  /// if memory is exhausted.
  Result<Done> read(int64_t rank = 0);
  /// The block: `elements()` BF16 or F32 numbers, 64-byte aligned; null before `read`.
  void *data() const { return memory.get(); }

private:
  struct Release {
    void operator()(void *memory) const;
  };
  struct Place {
    const TensorEntry *entry; ///< Null for zeros.
    FloatType stored;
    int64_t offset;
    Excerpt excerpt;
  };
  int64_t roundUp(int64_t elements) const;

  const Checkpoint &checkpoint;
  FloatType type;
  std::vector<Place> places;
  int64_t total = 0;
  std::unique_ptr<void, Release> memory;
};
} // namespace lispier
#endif
