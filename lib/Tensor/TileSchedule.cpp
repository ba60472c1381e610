//===- TileSchedule.cpp - schedules in words ------------------------------===//
#include "TileSchedule.h"
#include "llvm/ADT/StringExtras.h"

namespace lispier::tensors {
std::string textOf(const TileSchedule &schedule) {
  auto number = [](int64_t value) { return std::to_string(std::max<int64_t>(value, 1)); };
  std::string text =
      "tiles of " + (schedule.blocks.empty() ? "1" : llvm::join(llvm::map_range(schedule.blocks, number), " x "));
  llvm::SmallVector<std::pair<unsigned, ReducedDimension>> reduced(schedule.reduced.begin(), schedule.reduced.end());
  llvm::sort(reduced, [](const auto &a, const auto &b) { return a.first < b.first; });
  for (const auto &[dimension, how] : reduced)
    text += ", reductions " + std::string(how.looped ? "in steps of " : "of ") + number(how.size);
  if (schedule.summedStep)
    text += ", sums in steps of " + number(schedule.summedStep);
  if (schedule.online)
    text += ", positions in steps of " + number(schedule.online->step);
  if (schedule.superRows)
    text += ", strips of " + number(schedule.superRows) + " tiles";
  return text + ", " + number(schedule.warps) + " warps, " + number(schedule.stages) +
         (schedule.stages > 1 ? " stages" : " stage");
}
} // namespace lispier::tensors
