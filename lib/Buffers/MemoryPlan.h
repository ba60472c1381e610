//===- MemoryPlan.h - where intermediate tensors lie -----------*- C++ -*-===//
//
// Each tensor has a size and is live from one time to another; two that are live at
// the same time have different places in one piece of memory, the arena.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_BUFFERS_MEMORYPLAN_H
#define LISPIER_LIB_BUFFERS_MEMORYPLAN_H

#include "lispier/Buffers/SymbolicSize.h"

namespace lispier {
struct PlannedTensor {
  SymbolicSize bytes;
  unsigned first, last; ///< Times of the op that makes it and of the last that uses it.
  /// Offset in the arena: the largest of these, of which there is one where sizes can be compared.
  llvm::SmallVector<SymbolicSize> offset;

  bool isLiveWith(const PlannedTensor &other) const { return first <= other.last && other.first <= last; }
};

/// Chooses offsets, larger tensors first, each at the lowest place that is free while it is live. A size that is
/// unknown is taken as `assumed` to choose an order; that the places are free holds for all sizes.
void planMemory(llvm::MutableArrayRef<PlannedTensor> tensors, double assumed);

/// The size of the arena in bytes is the largest of these: the ends of the tensors' places, without those that are
/// known to be no larger than another.
llvm::SmallVector<SymbolicSize> arenaEnds(llvm::ArrayRef<PlannedTensor> tensors);

/// How many bytes are live at one time, for each time, but for numbers that are never the largest. No plan has an arena
/// smaller than the largest of them.
llvm::SmallVector<SymbolicSize> mostLiveBytes(llvm::ArrayRef<PlannedTensor> tensors);

/// The largest of these, with unknown sizes as `assumed`.
double largestOf(llvm::ArrayRef<SymbolicSize> sizes, double assumed);
} // namespace lispier
#endif
