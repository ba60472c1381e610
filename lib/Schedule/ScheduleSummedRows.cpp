//===- ScheduleSummedRows.cpp - rows that are reduced, and summed ---------===//
#include "TileSchedule.h"
#include "lispier/TargetInfo/TargetInfo.h"
#include "lispier/Tensor/Groups/SumParts.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace lispier::tensors {
namespace {
int64_t bytesOfElement(Value tensor) {
  Type type = getElementTypeOrSelf(tensor);
  return type.isIntOrFloat() ? llvm::divideCeil(type.getIntOrFloatBitWidth(), 8) : sizeof(int64_t);
}

/// The rows of a kernel some of whose reductions sum these, and some each of them.
struct RowsOfSums {
  SmallVector<unsigned> rows; ///< Outermost first.
  unsigned columns;
  SummedRows sizes;
};
std::optional<RowsOfSums> rowsOfSums(group::KernelOp kernel, const GroupDimensions &dimensions) {
  auto loopsOf = [&](linalg::LinalgOp op, bool areReduced) {
    const GroupDimensions::Loops &loops = dimensions.loops(op);
    SmallVector<unsigned> own;
    for (auto [dimension, isReduced] : llvm::zip(loops.dimensions, loops.reduced))
      if (isReduced == areReduced)
        own.push_back(dimension);
    return own;
  };
  if (kernel.getKind() != group::Kind::Row)
    return std::nullopt;
  Block &body = kernel.getBody().front();
  SmallVector<linalg::LinalgOp> reductions = llvm::filter_to_vector(
      body.getOps<linalg::LinalgOp>(), [&](linalg::LinalgOp op) { return !loopsOf(op, true).empty(); });
  auto sumsRowsOf = [&](linalg::LinalgOp sum, linalg::LinalgOp op) {
    SmallVector<unsigned> columns = loopsOf(op, true), kept = loopsOf(op, false), rows = loopsOf(sum, true);
    return columns.size() == 1 && !llvm::is_contained(rows, columns.front()) &&
           llvm::is_contained(loopsOf(sum, false), columns.front()) &&
           llvm::all_of(rows, [&](unsigned row) { return llvm::is_contained(kept, row); });
  };
  // Other results have rows.
  auto areMade = [&](ArrayRef<unsigned> rows) {
    return llvm::all_of(llvm::enumerate(kernel.yieldOp().getResults()), [&](auto result) {
      auto op = result.value().template getDefiningOp<linalg::LinalgOp>();
      auto ofResult = dimensions.of(kernel.initArgument(result.index()));
      return llvm::any_of(rows, [&](unsigned row) { return llvm::is_contained(ofResult, row); }) ||
             (op && llvm::is_contained(reductions, op) && loopsOf(op, true) == rows);
    });
  };
  // Columns are contiguous. Without this, a sum of columns that comes first would be taken for one of rows.
  auto isLast = [&](unsigned columns) {
    return llvm::all_of(body.getArguments(), [&](BlockArgument argument) {
      return !isa<RankedTensorType>(argument.getType()) || !llvm::is_contained(dimensions.of(argument), columns) ||
             dimensions.of(argument).back() == columns;
    });
  };
  for (linalg::LinalgOp op : llvm::make_filter_range(
           reductions, [&](linalg::LinalgOp each) { return isLast(loopsOf(each, true).front()); })) {
    auto *sum = llvm::find_if(reductions, [&](linalg::LinalgOp each) { return sumsRowsOf(each, op); });
    if (sum == reductions.end() || !areMade(loopsOf(*sum, true)))
      continue;
    RowsOfSums found{loopsOf(*sum, true), loopsOf(op, true).front(), {}};
    int64_t sums = llvm::count_if(reductions, [&](linalg::LinalgOp each) { return loopsOf(each, true) == found.rows; });
    int64_t bytes = 0;
    for (BlockArgument argument : body.getArguments().drop_back(kernel.getInits().size()))
      if (isa<RankedTensorType>(argument.getType()) && llvm::is_contained(dimensions.of(argument), found.columns) &&
          llvm::is_contained(dimensions.of(argument), found.rows.front()))
        bytes += bytesOfElement(argument);
    found.sizes = {dimensions.size(found.columns), sums, bytes};
    return found;
  }
  return std::nullopt;
}
} // namespace

/// Some rows at once, in a loop over those that the program has, and the sums of all. The more sums, the more warps
/// share a row, so that these stay in registers.
std::optional<TileSchedule> scheduleSummedRows(group::KernelOp kernel, const GroupDimensions &dimensions,
                                               const TargetInfo &target) {
  std::optional<RowsOfSums> found = rowsOfSums(kernel, dimensions);
  std::optional<SummedRowTiles> tiles = found ? tilesOfSummedRows(found->sizes) : std::nullopt;
  if (!tiles)
    return std::nullopt;
  TileSchedule schedule;
  schedule.rows = found->rows;
  schedule.readsAhead = tiles->readsAhead;
  int64_t threads = tiles->columns < kRun ? kRun : tiles->lanes * tiles->rows;
  schedule.warps = std::max<int64_t>(1, threads / std::max(1u, target.warpWidth));
  for (unsigned row : found->rows)
    schedule.reduced[row] = {kPoint, /*looped=*/true};
  int64_t rows = sideOf(dimensions, found->rows.back(), tiles->rows);
  schedule.reduced[found->rows.back()].size = rows == 1 ? kPoint : rows;
  schedule.reduced[found->columns] = {tiles->columns, /*looped=*/false};
  schedule.blocks.assign(dimensions.of(kernel.initArgument(0)).size(), kPoint);
  return schedule;
}
} // namespace lispier::tensors
