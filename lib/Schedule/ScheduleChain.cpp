//===- ScheduleChain.cpp - tiles of products of what products make --------===//
#include "TileSchedule.h"
#include "lispier/TargetInfo/TargetInfo.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace lispier::tensors {
namespace {
/// Rows of a tile, and what the loop over the last products' sums has in a step. Without asynchronous copies, where
/// memory of blocks is small, tiles are smaller.
constexpr int64_t kSmallSideOfChain = 32, kSideOfChain = 64;

/// Whether a chain goes by rings (ComputingLoops.cpp in lib/Tiles): of known sizes and one last product, whose columns
/// fill a row of a slot, with factors of 16 bits, nothing else that is as large as the products between, and so many
/// tiles that all multiprocessors have one. Of two last products the sums of both are beside what is between.
bool isChainOfRings(group::KernelOp kernel, ArrayRef<linalg::LinalgOp> inner, const GroupDimensions &dimensions,
                    const TargetInfo &target) {
  constexpr int64_t kLeastColumns = 48, kMostColumns = 64;
  linalg::LinalgOp last;
  for (auto op : kernel.getBody().front().getOps<linalg::LinalgOp>()) {
    if (!contractionOf(op, dimensions))
      continue;
    for (Value factor : op.getDpsInputs())
      if (Type type = getElementTypeOrSelf(factor); !type.isBF16() && !type.isF16())
        return false;
    if (llvm::is_contained(inner, op))
      continue;
    if (last)
      return false;
    last = op;
  }
  if (!target.has(Ability::Wgmma) || !last)
    return false;
  Contraction product = *contractionOf(last, dimensions);
  const GroupDimensions::Loops &loops = dimensions.loops(last);
  bool isFirst = isa<OpResult>(last.getDpsInputs()[0]);
  unsigned rows = loops.dimensions[isFirst ? product.m : product.n],
           columns = loops.dimensions[isFirst ? product.n : product.m], summed = loops.dimensions[product.k];
  int64_t places = 1;
  for (unsigned dimension : dimensions.of(kernel.initArgument(0))) {
    if (!dimensions.isStatic(dimension))
      return false;
    if (dimension != columns)
      places *= dimensions.size(dimension);
  }
  for (BlockArgument argument : kernel.getBody().front().getArguments())
    if (isa<RankedTensorType>(argument.getType()) && llvm::is_contained(dimensions.of(argument), rows) &&
        llvm::is_contained(dimensions.of(argument), summed))
      return false;
  auto isLong = [&](unsigned dimension) {
    return dimensions.isStatic(dimension) && dimensions.size(dimension) >= kRingRows;
  };
  return isLong(rows) && isLong(summed) && dimensions.size(columns) >= kLeastColumns &&
         dimensions.size(columns) <= kMostColumns && places / kRingRows >= target.multiprocessors;
}
} // namespace

SmallVector<linalg::LinalgOp> innerProductsOf(group::KernelOp kernel, const GroupDimensions &dimensions) {
  SmallVector<linalg::LinalgOp> products =
      llvm::filter_to_vector(kernel.getBody().front().getOps<linalg::LinalgOp>(),
                             [&](linalg::LinalgOp op) { return contractionOf(op, dimensions).has_value(); });
  if (products.size() < 2)
    return {};
  llvm::SetVector<Operation *> needed;
  for (linalg::LinalgOp product : products)
    for (Value factor : product.getDpsInputs())
      if (factor.getDefiningOp() && !needed.contains(factor.getDefiningOp())) {
        BackwardSliceOptions options;
        options.inclusive = true;
        (void)getBackwardSlice(factor, &needed, options);
      }
  return llvm::filter_to_vector(products, [&](linalg::LinalgOp product) { return needed.contains(product); });
}

Schedules scheduleChain(group::KernelOp kernel, ArrayRef<linalg::LinalgOp> inner, const GroupDimensions &dimensions,
                        const TargetInfo &target, std::string &whyNot) {
  ArrayRef<unsigned> own = dimensions.of(kernel.initArgument(0));
  TileSchedule schedule;
  schedule.inner.assign(inner.begin(), inner.end());
  schedule.blocks.assign(own.size(), kPoint);
  schedule.stages = target.copiesAsync ? 2 : 1;
  int64_t side = target.copiesAsync ? kSideOfChain : kSmallSideOfChain, step = side;
  if (isChainOfRings(kernel, inner, dimensions, target)) {
    schedule.ring = true;
    schedule.warps = kRingWarps;
    side = kRingRows;
    step = kRingStep;
  }
  for (auto op : kernel.getBody().front().getOps<linalg::LinalgOp>()) {
    std::optional<Contraction> product = contractionOf(op, dimensions);
    if (!product || llvm::is_contained(inner, op))
      continue;
    const GroupDimensions::Loops &loops = dimensions.loops(op);
    // The operand that the other products make has the rows.
    bool isFirst = isa<OpResult>(op.getDpsInputs()[0]);
    unsigned rows = loops.dimensions[isFirst ? product->m : product->n],
             columns = loops.dimensions[isFirst ? product->n : product->m];
    auto *row = llvm::find(own, rows);
    if (row == own.end() || rows == columns || !dimensions.isStatic(columns)) {
      whyNot = "its first result has no dimension that all of its last products have";
      return {};
    }
    schedule.blocks[row - own.begin()] = fittingSide(side, dimensions.size(rows));
    // A tile has all columns, which are dimensions of their own if there are two results.
    int64_t width = fittingSide(std::numeric_limits<int64_t>::max(), dimensions.size(columns));
    schedule.reduced[columns] = {width, /*looped=*/false};
    if (auto *column = llvm::find(own, columns); column != own.end())
      schedule.blocks[column - own.begin()] = width;
    schedule.summedStep = fittingSide(step, dimensions.size(loops.dimensions[product->k]));
  }
  return {{std::nullopt, 0, schedule}};
}
} // namespace lispier::tensors
