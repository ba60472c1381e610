//===- WindowViews.h - windows as views of memory --------------*- C++ -*-===//
#ifndef LISPIER_LIB_SCHEDULE_WINDOWVIEWS_H
#define LISPIER_LIB_SCHEDULE_WINDOWVIEWS_H

#include "lispier/Group/Group.h"
#include "llvm/ADT/DenseMap.h"

namespace lispier::tensors {
/// A dimension of memory, of `size` elements that are `step` apart, which a read with a dimension `place`, and perhaps
/// one `window`, reads at stride place + dilation window - low. There may be none at a place.
struct PaddedDimension {
  unsigned place;
  std::optional<unsigned> window;
  int64_t stride = 1, dilation = 0, low = 0;
  int64_t size, step;
  bool isPadded = false;
};
/// What windows of a tensor with a border read: elsewhere than in memory it is `value`.
struct PaddedRead {
  llvm::SmallVector<PaddedDimension> dimensions;
  mlir::TypedAttr value;
};
/// By the argument of the body which is read.
using PaddedReads = llvm::DenseMap<mlir::Value, PaddedRead>;

/// Reads of an input of the kernel, a memref, at sums of multiples of loops, such as 2 p + i, become
/// reads at p, i of a view with a dimension for each loop, whose elements overlap: for the rest of a schedule windows
/// are tensors like others. Reads of a border around an input (tensor.pad) that are reduced become such reads of the
/// input, whose operand then says what shape they have, and PaddedReads where they are.
PaddedReads viewWindows(group::KernelOp kernel);

/// Makes places that fusion computes of loops, such as 2 i + 1 of a slice with steps, arithmetic.
void expandPlaces(group::KernelOp kernel);
} // namespace lispier::tensors
#endif
