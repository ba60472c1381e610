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

/// A product at a chain's end: the dimensions of its result, and the one that it sums.
struct LastProduct {
  linalg::LinalgOp op;
  Contraction product;
  unsigned rows, columns, summed;
};
LastProduct lastProductOf(linalg::LinalgOp op, const GroupDimensions &dimensions) {
  Contraction product = *contractionOf(op, dimensions);
  const GroupDimensions::Loops &loops = dimensions.loops(op);
  // The operand that the other products make has the rows.
  bool isFirst = isa<OpResult>(op.getDpsInputs()[0]);
  return {op, product, loops.dimensions[isFirst ? product.m : product.n],
          loops.dimensions[isFirst ? product.n : product.m], loops.dimensions[product.k]};
}

SmallVector<linalg::LinalgOp> lastProductsOf(group::KernelOp kernel, ArrayRef<linalg::LinalgOp> inner,
                                             const GroupDimensions &dimensions) {
  return llvm::filter_to_vector(kernel.getBody().front().getOps<linalg::LinalgOp>(), [&](linalg::LinalgOp op) {
    return contractionOf(op, dimensions) && !llvm::is_contained(inner, op);
  });
}

/// Whether the product has sizes that rings can copy, and no tensor is as large as what it is made of. Of keys that
/// heads share those of small heads are pipelined: microseconds on an H200, pipelined and by a ring, of b t g r d, 2
/// 4096 8 4 128 6037, 2186, but 4 2048 8 4 64 644, 897.
bool fitsRings(const LastProduct &last, group::KernelOp kernel, const GroupDimensions &dimensions) {
  constexpr int64_t kLeastColumns = 48, kLeastOfShared = 65, kMostColumns = 128;
  auto isLong = [&](unsigned dimension) {
    return dimensions.isStatic(dimension) && dimensions.size(dimension) >= kRingRows;
  };
  auto hasBoth = [&](BlockArgument argument) {
    return isa<RankedTensorType>(argument.getType()) && llvm::is_contained(dimensions.of(argument), last.rows) &&
           llvm::is_contained(dimensions.of(argument), last.summed);
  };
  const GroupDimensions::Loops &loops = dimensions.loops(last.op);
  return llvm::all_of(last.product.outer, [&](unsigned loop) { return dimensions.isStatic(loops.dimensions[loop]); }) &&
         (last.product.outer.empty() || dimensions.size(last.columns) >= kLeastOfShared) && isLong(last.rows) &&
         isLong(last.summed) && dimensions.isStatic(last.columns) && dimensions.size(last.columns) >= kLeastColumns &&
         dimensions.size(last.columns) <= kMostColumns &&
         llvm::none_of(kernel.getBody().front().getArguments(), hasBoth);
}

/// What a step takes of a chain that goes by rings (ComputingLoops.cpp in lib/Tiles): of known sizes, with factors of
/// 16 bits, and in so many tiles that all multiprocessors have one. Else nothing.
std::optional<int64_t> ringStepOf(group::KernelOp kernel, ArrayRef<linalg::LinalgOp> inner,
                                  const GroupDimensions &dimensions, const TargetInfo &target) {
  // Of a row, sums and what the products of a step make. Four lanes share a row: 192 of 232 registers.
  constexpr int64_t kMostOfRow = 384;
  for (auto op : kernel.getBody().front().getOps<linalg::LinalgOp>())
    if (contractionOf(op, dimensions) && llvm::any_of(op.getDpsInputs(), [](Value factor) {
          Type type = getElementTypeOrSelf(factor);
          return !type.isBF16() && !type.isF16();
        }))
      return std::nullopt;
  int64_t ofRow = 0, places = 1;
  SmallVector<unsigned> columns; // Of two results, dimensions of their own.
  for (linalg::LinalgOp op : lastProductsOf(kernel, inner, dimensions)) {
    LastProduct last = lastProductOf(op, dimensions);
    if (!target.has(Ability::Wgmma) || !fitsRings(last, kernel, dimensions))
      return std::nullopt;
    columns.push_back(last.columns);
    ofRow += dimensions.size(last.columns);
  }
  for (unsigned dimension : dimensions.of(kernel.initArgument(0))) {
    if (!dimensions.isStatic(dimension))
      return std::nullopt;
    places *= llvm::is_contained(columns, dimension) ? 1 : dimensions.size(dimension);
  }
  if (places / kRingRows < target.multiprocessors)
    return std::nullopt;
  // Beside two sums, long steps leave no registers for addresses.
  for (int64_t step : {columns.size() > 1 ? kRingStep / 2 : kRingStep, kRingStep / 2})
    if (ofRow + int64_t(inner.size()) * step <= kMostOfRow)
      return step;
  return std::nullopt;
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
  SmallVector<LastProduct> all;
  for (linalg::LinalgOp op : lastProductsOf(kernel, inner, dimensions)) {
    all.push_back(lastProductOf(op, dimensions));
    const LastProduct &last = all.back();
    if (!llvm::is_contained(own, last.rows) || last.rows == last.columns || !dimensions.isStatic(last.columns)) {
      whyNot = "its first result has no dimension that all of its last products have";
      return {};
    }
  }
  auto make = [&](int64_t side, int64_t step) {
    TileSchedule schedule;
    schedule.inner.assign(inner.begin(), inner.end());
    schedule.blocks.assign(own.size(), kPoint);
    schedule.stages = target.copiesAsync ? 2 : 1;
    for (const LastProduct &last : all) {
      schedule.blocks[llvm::find(own, last.rows) - own.begin()] = fittingSide(side, dimensions.size(last.rows));
      // A tile has all columns, which are dimensions of their own if there are two results.
      int64_t width = fittingSide(std::numeric_limits<int64_t>::max(), dimensions.size(last.columns));
      schedule.reduced[last.columns] = {width, /*looped=*/false};
      if (auto *column = llvm::find(own, last.columns); column != own.end())
        schedule.blocks[column - own.begin()] = width;
      schedule.summedStep = fittingSide(step, dimensions.size(last.summed));
    }
    return schedule;
  };
  int64_t side = target.copiesAsync ? kSideOfChain : kSmallSideOfChain;
  TileSchedule pipelined = make(side, side);
  std::optional<int64_t> step = ringStepOf(kernel, inner, dimensions, target);
  if (!step)
    return {{std::nullopt, 0, pipelined}};
  TileSchedule ring = make(kRingRows, *step);
  ring.ring = true;
  ring.warps = kRingWarps;
  return {{std::nullopt, 0, ring, pipelined}};
}
} // namespace lispier::tensors
