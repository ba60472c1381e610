//===- MaskRegions.cpp - where comparisons of two indices change ----------===//
#include "MaskRegions.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace lispier {
namespace {
/// The numbers beside each change, one between each two changes, and one beyond the last.
SmallVector<int64_t> aroundChanges(SmallVector<int64_t> changes) {
  constexpr int64_t kBeyond = 1000;
  changes.push_back(0);
  llvm::sort(changes);
  SmallVector<int64_t> result;
  for (auto [at, change] : llvm::enumerate(changes)) {
    int64_t next = at + 1 < changes.size() ? changes[at + 1] : change + 2 * kBeyond;
    for (int64_t number : {change - 1, change, change + 1, change + (next - change) / 2})
      if (number >= 0)
        result.push_back(number);
  }
  llvm::sort(result);
  result.erase(llvm::unique(result), result.end());
  return result;
}

/// Tokens at which two lines meet, or one of them the first position.
SmallVector<int64_t> crossings(ArrayRef<MaskLine> lines) {
  SmallVector<MaskLine> all(lines);
  all.push_back({0, 1, 0});
  SmallVector<int64_t> result;
  for (auto [at, a] : llvm::enumerate(all))
    for (const MaskLine &b : ArrayRef(all).take_front(at)) {
      int64_t determinant = a.token * b.position - b.token * a.position;
      if (determinant == 0)
        continue;
      int64_t token = (a.position * b.constant - b.position * a.constant) / determinant;
      result.append({token - 1, token, token + 1}); // A quotient by 2 is rounded.
    }
  return result;
}
} // namespace

SmallVector<std::pair<int64_t, int64_t>> placesOfRegions(ArrayRef<MaskLine> lines) {
  SmallVector<std::pair<int64_t, int64_t>> places;
  for (int64_t token : aroundChanges(crossings(lines))) {
    SmallVector<int64_t> changes;
    for (const MaskLine &line : lines)
      if (line.position)
        changes.push_back(-line.position * (line.token * token + line.constant));
    for (int64_t position : aroundChanges(changes))
      places.push_back({token, position});
  }
  return places;
}
} // namespace lispier
