//===- TileSchedule.cpp - smaller schedules, and schedules in words -------===//
#include "TileSchedule.h"
#include "lispier/TargetInfo/TargetInfo.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

namespace lispier::tensors {
namespace {
/// No matrix instruction has a shorter side.
constexpr int64_t kLeastOfProduct = 16;

using ReducedDimensions = llvm::SmallVector<std::pair<unsigned, ReducedDimension>>;

/// In the order of the dimensions, which that of the map does not have.
ReducedDimensions inOrder(const llvm::DenseMap<unsigned, ReducedDimension> &reduced) {
  ReducedDimensions all(reduced.begin(), reduced.end());
  llvm::sort(all, [](const auto &a, const auto &b) { return a.first < b.first; });
  return all;
}
} // namespace

int64_t fittingSide(int64_t side, int64_t size) {
  if (mlir::ShapedType::isDynamic(size))
    return side;
  return std::min<int64_t>(side, std::max<int64_t>(kLeastOfProduct, llvm::PowerOf2Ceil(std::max<int64_t>(size, 1))));
}

std::optional<TileSchedule> smallerThan(TileSchedule schedule, const TargetInfo &target) {
  int64_t *longest = nullptr, least = kPoint;
  ReducedDimension *reduced = nullptr;
  auto consider = [&](int64_t &side, int64_t leastOfSide, ReducedDimension *dimension) {
    if (side <= std::max<int64_t>(1, leastOfSide) || (longest && side <= *longest))
      return;
    longest = &side;
    least = leastOfSide;
    reduced = dimension;
  };
  for (auto &[dimension, unused] : inOrder(schedule.reduced)) {
    if (!schedule.rows.empty() && dimension != schedule.rows.back())
      continue; // Whole rows, whose sums are in registers.
    ReducedDimension &how = schedule.reduced[dimension];
    consider(how.size, kPoint, &how);
  }
  for (int64_t &block : schedule.blocks)
    consider(block, schedule.summedStep ? kLeastOfProduct : kPoint, nullptr);
  consider(schedule.summedStep, kLeastOfProduct, nullptr);
  if (schedule.online)
    consider(schedule.online->step, kLeastOfProduct, nullptr);
  if (!longest)
    return std::nullopt;
  schedule.keepsRows = false;
  int64_t half = std::max<int64_t>(least, llvm::bit_floor(uint64_t(*longest - 1)));
  *longest = half == 1 ? kPoint : half;
  if (reduced)
    reduced->looped = true;
  schedule.stages = std::max<int64_t>(1, schedule.stages - 1);
  if (schedule.online)
    return schedule;
  int64_t elements = 1;
  for (int64_t block : schedule.blocks)
    elements *= std::max<int64_t>(1, block);
  for (auto &[unused, how] : schedule.reduced)
    elements *= std::max<int64_t>(1, how.size);
  // Warps beyond these would have copies of what others have.
  int64_t warps = llvm::bit_floor(uint64_t(std::max<int64_t>(1, elements / std::max(1u, target.warpWidth))));
  schedule.warps = std::min(schedule.warps, warps);
  return schedule;
}

std::string textOf(const TileSchedule &schedule) {
  auto number = [](int64_t value) { return std::to_string(std::max<int64_t>(value, 1)); };
  std::string text =
      "tiles of " + (schedule.blocks.empty() ? "1" : llvm::join(llvm::map_range(schedule.blocks, number), " x "));
  for (const auto &[dimension, how] : inOrder(schedule.reduced))
    text += ", reductions " + std::string(how.looped ? "in steps of " : "of ") + number(how.size);
  if (schedule.summedStep)
    text += ", sums in steps of " + number(schedule.summedStep);
  if (schedule.online)
    text += ", positions in steps of " + number(schedule.online->step);
  if (schedule.keepsRows)
    text += ", rows kept in shared memory";
  if (schedule.superRows)
    text += ", strips of " + number(schedule.superRows) + " tiles";
  return text + ", " + number(schedule.warps) + " warps, " + number(schedule.stages) +
         (schedule.stages > 1 ? " stages" : " stage");
}
} // namespace lispier::tensors
