//===- TileEmitter.h - a group's values, a tile at a time ------*- C++ -*-===//
//
// Makes a tile of a tensor of a group's body by making the tiles of the operands that it
// needs, through the ops' indexing maps: a tensor argument is read from memory, an
// elementwise op is computed on tiles, a reduction and a contraction are a loop or one
// op on whole tiles. Nothing is computed that no result needs, and nothing twice in the
// same place of the program.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_SCHEDULE_TILEEMITTER_H
#define LISPIER_LIB_SCHEDULE_TILEEMITTER_H

#include "MaskRange.h"
#include "RegionValue.h"
#include "TileProgram.h"
#include "TileSchedule.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <map>

namespace lispier::tensors {
/// The part of a dimension that a tile covers: `size` elements from `start` on.
struct TileAxis {
  mlir::Value start; ///< Null for 0.
  int64_t size = kPoint;
  int64_t step() const { return std::max<int64_t>(1, size); } ///< From one tile to the next.
  bool operator<(const TileAxis &other) const {
    return std::pair(start.getAsOpaquePointer(), size) < std::pair(other.start.getAsOpaquePointer(), other.size);
  }
};
using TileAxes = llvm::SmallVector<TileAxis, 4>;

/// A sum of exp(u - maximum), where `element`, in the region of `maximum`, is u.
struct ShiftedSum {
  mlir::linalg::LinalgOp sum, maximum;
  mlir::Value element;
};
std::optional<ShiftedSum> shiftedSumOf(mlir::linalg::LinalgOp sum, const GroupDimensions &dimensions);

/// Whether what a region takes the exponential of has been rounded to 16 bits, which changes the exponential by more
/// than its computation as a power of two, also of a difference of it, or where a mask leaves it.
bool isOfRounded(mlir::Value exponent);

class TileEmitter {
public:
  TileEmitter(TileProgram &program, const GroupDimensions &dimensions, const TileSchedule &schedule);

  /// The tile of a tensor of the body, with a dimension for each of `axes` that is no point: a vector, or a number.
  /// Null if an op has no rule; then whyNot() says which.
  mlir::Value tile(mlir::Value tensor, llvm::ArrayRef<TileAxis> axes);
  /// Writes a tile of result `number`.
  void store(mlir::Value tile, unsigned number, llvm::ArrayRef<TileAxis> axes);

  using Body = llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value start, mlir::ValueRange carried)>;
  /// A loop over a dimension in steps of `step`. Returns the carried values; fails if `body` returns fewer.
  mlir::FailureOr<mlir::scf::ForOp> loop(unsigned dimension, int64_t step, mlir::ValueRange initial, Body body,
                                         LoopRange range = {});

  /// A loop over the rows of a scan in steps of a tile of `axes`, from its end if it is reverse. `store` takes where
  /// each tile starts along the scan, for which tile() of the result is known then; fails if it returns false.
  mlir::LogicalResult scan(group::ScanOp op, llvm::SmallVector<TileAxis, 4> axes, unsigned along,
                           llvm::function_ref<bool(mlir::Value start)> store);

  /// Sums of columns, each a tile of the result of an op, in loops over the schedule's rows, in each step of which
  /// `store` is called. `axisOf` says which part of another dimension tiles have. Empty if it fails.
  llvm::SmallVector<mlir::Value> sumColumns(llvm::ArrayRef<mlir::linalg::LinalgOp> sums,
                                            llvm::function_ref<TileAxis(unsigned dimension)> axisOf,
                                            llvm::function_ref<bool(llvm::ArrayRef<mlir::Value> starts)> store);

  /// Carries what the loop reads at its own position from the step before, which reads it ahead.
  void readAhead(mlir::scf::ForOp loop) {
    if (!schedule.keepsRows) // Those are copied before all loops.
      ahead.push_back(loop);
  }
  /// To be called once, when all results are stored.
  void finish();

  mlir::Value size(unsigned dimension); ///< Number of elements; null if it is not known.
  mlir::Value index(int64_t value);
  mlir::OpBuilder &builder() { return b; }
  /// The number of this program in the grid.
  mlir::Value programId() const { return frontier->getResult(0); }
  const std::string &whyNot() const { return reason; }

private:
  using Axes = llvm::ArrayRef<TileAxis>;
  using LoopSet = llvm::SmallBitVector;

  /// A value of a linalg op's region: a vector over some of the loops, in their order, or a number for none.
  struct Piece {
    mlir::Value value;
    LoopSet loops;
  };
  /// A linalg op whose region is evaluated for one tile.
  struct Region {
    mlir::linalg::LinalgOp op;
    const GroupDimensions::Loops &loops;
    TileAxes axes; ///< Of each loop.
    llvm::DenseMap<mlir::Value, Piece> known;
  };
  /// The values that can be made at one depth of loops.
  struct Scope {
    mlir::Operation *scope = nullptr; ///< The loop or branch that makes this depth; null for the kernel itself.
    std::map<std::pair<void *, std::vector<TileAxis>>, mlir::Value> tiles;
  };

  struct Place;
  struct PaddedPlace;
  struct TileSite;

  mlir::Value fail(mlir::Operation *op, const llvm::Twine &why);
  unsigned depthOf(Axes axes) const;
  llvm::SmallVector<int64_t> shapeOf(Axes axes) const;
  Place placeOf(mlir::BlockArgument tensor, Axes axes);

  /// Where the step `number` of a scan is, which begins at `last` if there is one.
  mlir::Value placeOfStep(mlir::Value number, mlir::Value last);
  mlir::LogicalResult walk(group::ScanOp op, llvm::SmallVector<TileAxis, 4> axes, unsigned along,
                           llvm::function_ref<bool(mlir::Value start)> store);
  mlir::Value make(mlir::Value tensor, Axes axes);
  mlir::Value read(mlir::BlockArgument tensor, Axes axes);
  mlir::Value readPadded(mlir::BlockArgument tensor, const PaddedRead &read, Axes axes);
  std::optional<PaddedPlace> paddedPlaceOf(mlir::BlockArgument tensor, const PaddedRead &read, Axes axes);
  void addWindow(PaddedPlace &place, const PaddedDimension &dimension, const TileAxis &axis, mlir::Value window,
                 bool isWhole);
  mlir::Value isInMemory(const PaddedDimension &dimension, mlir::Value first, int64_t lanes);
  mlir::Value maskOf(const PaddedPlace &place, llvm::ArrayRef<int64_t> shape);
  mlir::Value constant(mlir::Operation *op, Axes axes);
  mlir::Value compute(mlir::linalg::LinalgOp op, unsigned result, Axes axes);
  mlir::Value reduce(Region &region, unsigned result);
  /// A tile with all loops of the region's op, along the reduced ones, with what the result begins with.
  mlir::Value combinedFromFirst(Region &region, mlir::OpOperand &init, mlir::Value all,
                                mlir::vector::CombiningKind kind);
  mlir::Value combineInLoops(Region &region, llvm::ArrayRef<unsigned> looped, mlir::vector::CombiningKind kind,
                             mlir::TypedAttr neutral, llvm::function_ref<mlir::Value()> combined);
  llvm::SmallVector<mlir::Value>
  carryInLoops(Region &region, llvm::ArrayRef<unsigned> looped, mlir::ValueRange initial,
               llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange carried)> body);
  std::optional<ShiftedSum> sumInOnePass(mlir::linalg::LinalgOp sum) const;
  mlir::Value sumShifted(Region &region, ShiftedSum shifted, unsigned looped);
  /// What a sum that is shifted by the maximum made beside it; null if there is none.
  mlir::Value maximumOfShiftedSum(mlir::linalg::LinalgOp maximum, Axes axes);
  /// The result of the region's op where it is one of two that are made in one pass; null if it is not.
  mlir::Value jointResult(Region &region, llvm::ArrayRef<unsigned> looped, mlir::vector::CombiningKind kind,
                          mlir::TypedAttr neutral);
  mlir::Value sumWithSquares(Region &region, JointReductions joint, llvm::ArrayRef<unsigned> looped);
  mlir::Value extremeWithPlace(Region &region, JointReductions joint, llvm::ArrayRef<unsigned> looped,
                               mlir::vector::CombiningKind kind, mlir::TypedAttr neutral);
  mlir::Value reducedTile(Region &region, mlir::Value places, mlir::vector::CombiningKind kind);
  mlir::Value countsOfPlaces(Region &region, mlir::Type type, llvm::ArrayRef<unsigned> looped);
  /// The element, in a region without other loops than `loop`, at the one place along it where it is not `neutral`, if
  /// that is how it is made; else null.
  mlir::Value selectedElement(Region &region, mlir::Value element, unsigned loop, mlir::TypedAttr neutral);
  mlir::Value contract(Region &region, const Contraction &product);
  mlir::Value sumInOneLoop(Region &region, const Contraction &product, mlir::Value first);
  mlir::Value sumChainInOneLoop(Region &region, const Contraction &product, mlir::Value sofar);
  mlir::Value sumProducts(Region &region, const Contraction &product, llvm::ArrayRef<unsigned> outer,
                          mlir::Value sofar);
  mlir::Value contractOnline(Region &region, const Contraction &product, mlir::Value first);
  mlir::Value multiply(const Region &region, const Contraction &product, mlir::Value a, mlir::Value c, mlir::Value sum);
  mlir::Value multiplyWeights(const Region &region, const Contraction &product, mlir::Value weights, mlir::Value values,
                              mlir::Value sums);
  std::optional<unsigned> rowsOfProducts() const {
    return schedule.online ? std::optional(schedule.online->tokens) : std::nullopt;
  }
  mlir::Value factor(Region &region, unsigned operand, unsigned summed);
  mlir::Value extended(mlir::Value tile, mlir::Type element);

  /// Where along the loop, in steps of `step`, an element may be another than -inf in the region's tile: `value` is
  /// what masks leave, an element of the region.
  SeenRange countedRange(Region &region, mlir::Value value, unsigned loop, int64_t step);
  /// The same for a product: where neither factor is 0 in the region's tile, because a mask makes it so.
  SeenRange nonzeroRange(Region &region, unsigned loop, int64_t step);
  llvm::SmallVector<std::pair<LoopRange, bool>, 2> partsOf(const SeenRange &range, unsigned dimension, int64_t step);
  mlir::Value wholeBound(const SeenRange &range, unsigned dimension, int64_t step);
  LoopRange inSteps(const Region &region, LoopRange range, unsigned loop, int64_t step);

  std::optional<Piece> element(Region &region, mlir::Value value);
  std::optional<Piece> operandElement(Region &region, mlir::OpOperand &operand);
  std::optional<Piece> gather(Region &region, mlir::tensor::ExtractOp op);
  mlir::Value readElement(mlir::tensor::ExtractOp op, mlir::Value table, mlir::ValueRange indices);
  void requireNumbers(const Region &region, mlir::tensor::ExtractOp op, mlir::Value table, mlir::ValueRange indices);
  std::optional<bool> isPart(Region &region, mlir::Value condition);
  std::optional<Piece> cloneOnTiles(Region &region, mlir::Operation *op);
  bool hasRoundedScores() const;
  std::optional<Piece> approximateExponential(Region &region, mlir::math::ExpOp op);
  mlir::Value exponential(mlir::Value exponent, bool isRounded);
  Piece divideByShared(Region &region, const Piece &a, const Piece &d);
  std::optional<Piece> readWhere(Region &region, const Piece &condition, const Piece &read, const Piece &otherwise);
  Piece indexOf(Region &region, unsigned iterator);
  mlir::Value widen(const Region &region, const Piece &piece, const LoopSet &to);
  LoopSet properLoops(const Region &region, llvm::ArrayRef<unsigned> loops) const;
  LoopSet allLoops(const Region &region) const;
  llvm::SmallVector<int64_t> shapeOf(const Region &region, const LoopSet &loops) const;
  /// A tile over `loops`, in the order of a tensor's dimensions.
  mlir::Value inOrder(const Region &region, mlir::Value tile, llvm::ArrayRef<unsigned> loops);
  /// A tile in the order of a tensor's dimensions, whose loops they are, in the order of loops.
  mlir::Value inLoops(const Region &region, mlir::Value tile, llvm::ArrayRef<unsigned> loops);

  mlir::Value scalar(mlir::Value value);
  mlir::Value productOf(llvm::ArrayRef<mlir::OpFoldResult> factors);
  mlir::Value sizeOfTensor(mlir::Value tensor, unsigned position);
  bool isWhole(unsigned dimension, const TileAxis &axis) const;
  bool mayEnd(const Region &region, const LoopSet &loops) const;
  mlir::Value inside(const Region &region, const LoopSet &loops, const LoopSet &all);
  /// `value`, over `loops`, where it is inside in all reduced ones, else `neutral`.
  mlir::Value neutralOutside(Region &region, mlir::Value value, mlir::TypedAttr neutral, const LoopSet &loops);
  bool claimPadding(mlir::vector::TransferReadOp read, mlir::TypedAttr padding);
  mlir::scf::ForOp merged(mlir::scf::ForOp first, mlir::scf::ForOp second);
  void mergeLoops();
  void settlePaddings();
  void settleMasks();
  mlir::Value anyNumber(mlir::Type type);
  mlir::Value number(mlir::TypedAttr value);
  mlir::Value splat(mlir::Value number, llvm::ArrayRef<int64_t> shape);
  mlir::Value splat(mlir::TypedAttr number, llvm::ArrayRef<int64_t> shape);

  TileProgram &program;
  const GroupDimensions &dimensions;
  const TileSchedule &schedule;
  mlir::OpBuilder b;
  mlir::Location loc;
  mlir::Operation *frontier;  ///< What all tiles share is before it.
  bool reportsErrors = false; ///< Reads at numbers outside of a tensor end the program.
  std::vector<Scope> scopes;
  llvm::DenseMap<mlir::Value, unsigned> depthOfStart;
  llvm::DenseMap<mlir::Value, mlir::Value> scalars;
  llvm::DenseMap<mlir::Attribute, mlir::Value> numbers;
  llvm::DenseMap<unsigned, mlir::Value> sizes;  ///< By dimension.
  llvm::MapVector<mlir::Type, mlir::Value> any; ///< The padding of reads for which it does not matter so far.
  /// Reads under a mask, with reads of the whole tile and what is elsewhere.
  llvm::SmallVector<std::tuple<mlir::vector::TransferReadOp, mlir::vector::TransferReadOp, mlir::TypedAttr>> masked;
  llvm::SmallVector<mlir::scf::ForOp> ahead; ///< What readAhead was called for.
  std::string reason;
  /// The loops of each contraction, in program order: two, if one of them needs no mask.
  llvm::SmallVector<llvm::SmallVector<mlir::scf::ForOp, 2>> sums;
  llvm::SmallPtrSet<void *, 4> holding;           ///< Conditions of masks that hold for all elements of the tile.
  llvm::SmallVector<mlir::scf::ForOp> reductions; ///< The same of reductions that have one loop.
};
} // namespace lispier::tensors
#endif
