//===- TileSchedule.h - how a group is cut into tiles ----------*- C++ -*-===//
#ifndef LISPIER_LIB_SCHEDULE_TILESCHEDULE_H
#define LISPIER_LIB_SCHEDULE_TILESCHEDULE_H

#include "GroupDimensions.h"
#include "lispier/Group/AttentionParts.h"

namespace lispier {
struct TargetInfo;
}

namespace lispier::tensors {
/// One element, for which a tile has no dimension.
inline constexpr int64_t kPoint = 0;

/// What lanes of a warp read together.
inline constexpr int64_t kRun = 128;

/// Of tiles whose loops compute between products, by rings (ComputingLoops.cpp in lib/Tiles): rows, 64 of each four
/// warps, and what a step takes.
inline constexpr int64_t kRingRows = 128, kRingStep = 128, kRingWarps = 8;

/// How ops reduce a dimension that no contraction sums.
struct ReducedDimension {
  int64_t size = 0;    ///< Elements of a tile; kPoint only in a loop.
  bool looped = false; ///< In a loop over such tiles; else one tile has all.
};

/// A product of a softmax's weights and values, in one loop over positions (Milakov and Gimelshein 2018; Dao et al.
/// 2022).
struct OnlineSoftmax {
  mlir::linalg::LinalgOp product, maximum, sum;
  mlir::Value score; ///< What the softmax is of, in the region of `maximum`.
  unsigned weights;  ///< Operand of the product.
  unsigned tokens;   ///< The dimension along which a tile has several rows of weights.
  int64_t step = 0;  ///< Positions of a tile.
};

/// A tile program for a group.
struct TileSchedule {
  /// Elements of a tile along each dimension of the first result; 0 is kPoint. The grid has a program for each tile.
  llvm::SmallVector<int64_t> blocks;
  /// By dimension of the group. Those of them that results have are not in the grid.
  llvm::DenseMap<unsigned, ReducedDimension> reduced;
  /// Rows of which a program has several, one tile after the other, and sums the columns of all: dimensions of
  /// `reduced`, outermost first. Empty if it has one tile of rows.
  llvm::SmallVector<unsigned> rows;
  bool keepsRows = false;  ///< What several loops read of a row is read once, and stays in the memory of the block.
  bool readsAhead = false; ///< Whether it has the next tile of rows in registers, too.
  /// Dimensions of results of which a program has all elements, one after the other: the numbers of parts.
  llvm::SmallVector<unsigned> parts;
  int64_t summedStep = 0; ///< Elements of a contraction's summed dimension in a step.
  std::optional<OnlineSoftmax> online;
  /// Products that make an operand of another one, of whose summed dimension a tile has all.
  llvm::SmallVector<mlir::linalg::LinalgOp, 0> inner;
  int64_t warps = 4, stages = 1;
  bool ring = false; ///< A warp more copies the tiles of a product (tile.roles).
  /// The last two dimensions of the grid in strips of so many blocks; 0: one row of blocks after the other.
  int64_t superRows = 0;
};

/// Elements of a tile along a dimension, at most `most`: few are past the end.
int64_t sideOf(const GroupDimensions &dimensions, unsigned dimension, int64_t most);
/// The side of a product's tile along a dimension of `size`: at most `side`, which one that is not known has, and at
/// least what the smallest matrix instruction has.
int64_t fittingSide(int64_t side, int64_t size);
/// Elements of a sum that an instruction for factors of TF32 takes; of fewer, it is slower than exact sums.
inline constexpr int64_t kLeastOfRounded = 8;

/// The next smaller schedule for the same group: the longest side of its tiles is halved, and a reduction that was in
/// one tile is in a loop. None if no side can be shorter.
std::optional<TileSchedule> smallerThan(TileSchedule schedule, const TargetInfo &target);

/// The schedule in words, for --explain.
std::string textOf(const TileSchedule &schedule);

/// A schedule for the calls in which `dimension` has at most `limit` elements; for all without a limit.
struct GuardedSchedule {
  std::optional<unsigned> dimension;
  int64_t limit = 0;
  TileSchedule schedule;
  /// Of one with a ring whose tiles may be more than a thread has registers for: what is tried next.
  std::optional<TileSchedule> withoutRing = std::nullopt;
  /// Of one for large results of aligned memory alone: the fewest elements of such a result; 0 for all calls. The last
  /// schedule is for the others.
  int64_t leastElements = 0;
};
/// A call takes the first that it fits. Empty if a group has no schedule: then `whyNot` of the functions below says
/// why.
using Schedules = llvm::SmallVector<GuardedSchedule, 1>;

/// Each result element by itself.
Schedules scheduleElementwise(group::KernelOp kernel, const GroupDimensions &dimensions, const TargetInfo &target,
                              std::string &whyNot);
/// Reductions of rows, or of columns. `padded`: of windows that reach beyond memory.
Schedules scheduleReductions(group::KernelOp kernel, const GroupDimensions &dimensions, bool padded,
                             const TargetInfo &target, std::string &whyNot);
/// Reductions of rows beside sums of them: rows one after the other, with the sums of those that a program has. nullopt
/// for another kernel.
std::optional<TileSchedule> scheduleSummedRows(group::KernelOp kernel, const GroupDimensions &dimensions,
                                               const TargetInfo &target);
/// A scan with what is done to its operand and its result.
Schedules scheduleScan(group::KernelOp kernel, group::ScanOp scan, const GroupDimensions &dimensions,
                       const TargetInfo &target);
/// A contraction with what is done to its operands and its result.
Schedules scheduleContraction(group::KernelOp kernel, const GroupDimensions &dimensions, const TargetInfo &target,
                              std::string &whyNot);

/// Products of what other products make, such as the gradients of attention: a loop over what the last ones sum, with
/// the others in it. `inner`: those others, innerProductsOf the kernel.
Schedules scheduleChain(group::KernelOp kernel, llvm::ArrayRef<mlir::linalg::LinalgOp> inner,
                        const GroupDimensions &dimensions, const TargetInfo &target, std::string &whyNot);
/// The products of the kernel that make an operand of another one of its products.
llvm::SmallVector<mlir::linalg::LinalgOp> innerProductsOf(group::KernelOp kernel, const GroupDimensions &dimensions);

/// Attention: its two products, and what is between.
Schedules scheduleAttention(group::KernelOp kernel, const group::AttentionParts &parts,
                            const GroupDimensions &dimensions, const TargetInfo &target, std::string &whyNot);

/// The loops of a product.
struct Contraction {
  unsigned m, n, k; ///< Loops of GroupDimensions::loops.
  llvm::SmallVector<unsigned> batch;
  llvm::SmallVector<unsigned> outer; ///< Summed, too: a tile has one element of each.
};
/// nullopt for another op. If one operand alone has several loops, m or n is that of dimension `rows`, else the
/// largest, and the others count as batches. Of several summed loops k is the largest, and nullopt if it is short.
std::optional<Contraction> contractionOf(mlir::linalg::LinalgOp op, const GroupDimensions &dimensions,
                                         std::optional<unsigned> rows = std::nullopt);

/// Whether the op reduces a dimension along which one element alone counts, which is read instead of all.
bool readsOneElement(mlir::linalg::LinalgOp op, const GroupDimensions &dimensions);
} // namespace lispier::tensors
#endif
