//===- ScanLayout.cpp - where a dimension of a scan lies ------------------===//
#include "ScanLayout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace lispier {
SmallVector<ScannedBit> scannedBits(const tile::Layout &layout, unsigned dimension) {
  SmallVector<ScannedBit> bits;
  for (auto [bases, where] : {std::pair(&layout.registers, ScannedBit::Register),
                              std::pair(&layout.lanes, ScannedBit::Lane), std::pair(&layout.warps, ScannedBit::Warp)})
    for (auto [number, basis] : enumerate(*bases))
      if (basis[dimension])
        bits.push_back({basis[dimension], where, static_cast<unsigned>(number)});
  sort(bits, [](const ScannedBit &a, const ScannedBit &b) { return a.value < b.value; });
  return bits;
}

bool isScanned(const tile::Layout &layout, unsigned dimension) {
  for (const tile::Bases *bases : {&layout.registers, &layout.lanes, &layout.warps})
    for (const tile::Coordinates &basis : *bases)
      if (basis[dimension] && count_if(basis, [](int32_t each) { return each != 0; }) != 1)
        return false;
  SmallVector<ScannedBit> bits = scannedBits(layout, dimension);
  return all_of(enumerate(bits), [](auto each) { return each.value().value == int64_t(1) << each.index(); });
}
} // namespace lispier
