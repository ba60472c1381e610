//===- KernelSource.cpp - where kernel implementations come from ----------===//
#include "lispier/Kernels/KernelSource.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace lispier {
KernelSource::~KernelSource() = default;

static int64_t elementsOf(KernelSource &source, StringRef key) {
  std::vector<int64_t> tiles = source.tuning(key);
  return tiles.size() == 3 ? tiles[0] * tiles[1] * tiles[2] * source.machine().multiprocessors : 0;
}

int64_t KernelSource::wideProduct() { return elementsOf(*this, "wide-product"); }
int64_t KernelSource::wideFinishedProduct() { return elementsOf(*this, "wide-finished-product"); }

SmallVector<int64_t, 3> KernelSource::wideAttention() {
  std::vector<int64_t> numbers = tuning("wide-attention");
  if (numbers.size() != 3)
    return {};
  return {numbers[0] * machine().multiprocessors, numbers[1], numbers[2]};
}

SmallVector<std::string> KernelSource::groupKinds() {
  SmallVector<std::string> kinds;
  for (const nn::GroupKindName &kind : nn::kGroupKinds)
    if (any_of(heads(), [&](const kernels::Implementation &head) {
          return is_contained(head.groups, *nn::groupKindOf(kind.name)) && !kernels::reasonAgainst(head, machine());
        }))
      kinds.push_back(kind.name.str());
  return kinds;
}
} // namespace lispier
