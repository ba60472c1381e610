//===- MemoryPlan.cpp - where intermediate tensors lie --------------------===//
#include "MemoryPlan.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

namespace lispier {
namespace {
using Bounds = llvm::SmallVector<SymbolicSize>;

Bounds endsOf(const PlannedTensor &tensor) {
  return llvm::map_to_vector(tensor.offset, [&](const SymbolicSize &start) { return start + tensor.bytes; });
}

/// Whether the largest of `left` is at most the largest of `right`, whatever the sizes.
bool isAtMost(const Bounds &left, const Bounds &right) {
  return llvm::all_of(left, [&](const SymbolicSize &a) {
    return llvm::any_of(right, [&](const SymbolicSize &b) { return a.isAtMost(b); });
  });
}

void addBound(Bounds &bounds, const SymbolicSize &bound) {
  if (llvm::any_of(bounds, [&](const SymbolicSize &other) { return bound.isAtMost(other); }))
    return;
  llvm::erase_if(bounds, [&](const SymbolicSize &other) { return other.isAtMost(bound); });
  bounds.push_back(bound);
}

/// The lowest place that is free: at 0, or at the end of a tensor that is live with this one; behind all of these if no
/// other is free for all sizes.
Bounds placeFor(const PlannedTensor &tensor, llvm::ArrayRef<const PlannedTensor *> others, double assumed) {
  Bounds behind{SymbolicSize()};
  std::vector<Bounds> candidates{behind};
  for (const PlannedTensor *other : others) {
    candidates.push_back(endsOf(*other));
    for (const SymbolicSize &end : candidates.back())
      addBound(behind, end);
  }
  const Bounds *best = &behind;
  for (const Bounds &candidate : candidates) {
    PlannedTensor there = tensor;
    there.offset = candidate;
    bool isFree = llvm::all_of(others, [&](const PlannedTensor *other) {
      return isAtMost(endsOf(*other), candidate) || isAtMost(endsOf(there), other->offset);
    });
    if (isFree && largestOf(candidate, assumed) < largestOf(*best, assumed))
      best = &candidate;
  }
  return *best;
}
} // namespace

void planMemory(llvm::MutableArrayRef<PlannedTensor> tensors, double assumed) {
  llvm::SmallVector<PlannedTensor *> order = llvm::map_to_vector(tensors, [](PlannedTensor &each) { return &each; });
  llvm::stable_sort(order, [&](const PlannedTensor *a, const PlannedTensor *b) {
    return a->bytes.estimate(assumed) > b->bytes.estimate(assumed);
  });
  llvm::SmallVector<const PlannedTensor *> placed;
  for (PlannedTensor *tensor : order) {
    llvm::SmallVector<const PlannedTensor *> others;
    for (const PlannedTensor *other : placed)
      if (other->isLiveWith(*tensor))
        others.push_back(other);
    tensor->offset = placeFor(*tensor, others, assumed);
    placed.push_back(tensor);
  }
}

llvm::SmallVector<SymbolicSize> arenaEnds(llvm::ArrayRef<PlannedTensor> tensors) {
  Bounds ends{SymbolicSize()};
  for (const PlannedTensor &tensor : tensors)
    for (const SymbolicSize &end : endsOf(tensor))
      addBound(ends, end);
  return ends;
}

llvm::SmallVector<SymbolicSize> mostLiveBytes(llvm::ArrayRef<PlannedTensor> tensors) {
  Bounds most{SymbolicSize()};
  for (const PlannedTensor &at : tensors) {
    SymbolicSize live;
    for (const PlannedTensor &other : tensors)
      if (other.first <= at.first && at.first <= other.last)
        live = live + other.bytes;
    addBound(most, live);
  }
  return most;
}

double largestOf(llvm::ArrayRef<SymbolicSize> sizes, double assumed) {
  double most = 0;
  for (const SymbolicSize &size : sizes)
    most = std::max(most, size.estimate(assumed));
  return most;
}
} // namespace lispier
