//===- Distribution.h - a tile program on its way to threads ---*- C++ -*-===//
//
// A tile becomes a vector of one dimension: the thread's registers, in the order of
// the tile's layout. Ops of one family have a file of their own, DistributeX.cpp,
// whose functions take the distribution and an op of the tile program, and make what
// a thread does instead.
//
// Tiles that pass through the memory of the block are stored and loaded without
// barriers; ShareMemory inserts these where they are needed.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_TILES_DISTRIBUTION_H
#define LISPIER_LIB_TILES_DISTRIBUTION_H

#include "ChooseLayout.h"
#include "lispier/Tile/Tile.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace lispier {
struct TargetInfo;

class Distribution {
public:
  Distribution(mlir::gpu::GPUFuncOp kernel, const TargetInfo &target, BlockShape block);

  mlir::ImplicitLocOpBuilder b;
  const TargetInfo &target;
  BlockShape block;

  //===-- Values of the tile program ------------------------------------------===//

  const tile::Layout &layoutOf(mlir::Value tile) const { return layouts.find(tile)->second; }
  mlir::LogicalResult setLayout(mlir::Value tile, mlir::Attribute attribute);
  /// What a thread has of a tile, or a scalar.
  mlir::Value get(mlir::Value value) const { return values.lookupOrDefault(value); }
  void set(mlir::Value value, mlir::Value ofThread) { values.map(value, ofThread); }
  mlir::IRMapping &mapping() { return values; }
  mlir::VectorType typeOf(mlir::Value tile) const;

  //===-- Arithmetic ----------------------------------------------------------===//

  mlir::Value i32(int64_t value);
  mlir::Value index(int64_t value);
  mlir::Value toIndex(mlir::Value value);
  /// The sum of two numbers of type index; nothing is made for 0.
  mlir::Value add(mlir::Value value, int64_t constant);
  mlir::Value add(mlir::Value a, mlir::Value c);
  mlir::Value both(mlir::Value a, mlir::Value c); ///< Of two conditions; null is true.

  llvm::SmallVector<mlir::Value> elements(mlir::Value vector);
  mlir::Value vectorOf(llvm::ArrayRef<mlir::Value> elements);
  mlir::Value splat(mlir::Value scalar, int64_t size);

  //===-- Threads -------------------------------------------------------------===//

  mlir::Value lane() const { return laneId; } ///< i32, in its warp.
  mlir::Value warp() const { return warpId; } ///< i32, in its block.
  using Thread = std::pair<mlir::Value, mlir::Value>;
  Thread thread() const { return {laneId, warpId}; }
  void setThread(Thread thread) { std::tie(laneId, warpId) = thread; }
  /// From here on to the end of the block, what depends on the thread is computed again (tile.again).
  void computeAgain() {
    setThread({tile::AgainOp::create(b, b.getI32Type(), laneId), tile::AgainOp::create(b, b.getI32Type(), warpId)});
  }
  /// An i32: the exclusive or of `place(basis)` for the basis (TileLayout.h) of each set bit of the lane's and the
  /// warp's number.
  mlir::Value ofThread(const tile::Layout &layout, llvm::function_ref<int64_t(llvm::ArrayRef<int32_t>)> place);
  /// The coordinates of register 0, of type index.
  llvm::SmallVector<mlir::Value> coordinates(const tile::Layout &layout);
  /// Whether no thread of a lower number has the same elements; null if all threads have their own. Bits of the warp's
  /// number in `exceptWarps` do not count.
  mlir::Value isFirstCopy(const tile::Layout &layout, uint32_t exceptWarps = 0);

  //===-- Control flow --------------------------------------------------------===//

  /// Makes the ops of `body` under `condition`, of which null is true. Threads may differ in it.
  void onlyIf(mlir::Value condition, llvm::function_ref<void()> body);
  /// The values of `body` where `condition` holds, elsewhere those of `otherwise`.
  mlir::Value choose(mlir::Value condition, mlir::Type type, llvm::function_ref<mlir::Value()> body,
                     llvm::function_ref<mlir::Value()> otherwise);

  //===-- Memory of the block -------------------------------------------------===//

  /// New memory of the block, of one dimension.
  mlir::Value allocateShared(int64_t elements, mlir::Type element);

private:
  mlir::Value bits(mlir::Value number, llvm::ArrayRef<int64_t> places);

  mlir::IRMapping values;
  llvm::DenseMap<mlir::Value, tile::Layout> layouts;
  mlir::Value laneId, warpId;
};

//===-- Families of ops: each sets what a thread has of the op's results, or fails after an error ---===//

mlir::LogicalResult distributeElementwise(Distribution &d, mlir::Operation *op);
mlir::LogicalResult distributeReshape(Distribution &d, mlir::Operation *op);
mlir::LogicalResult distributeRead(Distribution &d, mlir::vector::TransferReadOp read);
mlir::LogicalResult distributeWrite(Distribution &d, mlir::vector::TransferWriteOp write);
/// A tile copied to a slot of shared memory by a pipelined loop: the write, and the read of global memory before it.
mlir::LogicalResult distributeCopy(Distribution &d, mlir::vector::TransferWriteOp write);
/// A tile read from such a slot.
mlir::LogicalResult distributeSharedRead(Distribution &d, mlir::vector::TransferReadOp read);
/// Whether only products of four warps use `read`, which take the tile from its slot themselves.
bool isReadByWarpgroups(mlir::vector::TransferReadOp read);
/// A product of such slots.
mlir::LogicalResult distributeWarpgroupProduct(Distribution &d, mlir::vector::ContractionOp product);
mlir::LogicalResult distributeScattered(Distribution &d, mlir::Operation *op);
mlir::LogicalResult distributeReduction(Distribution &d, mlir::vector::MultiDimReductionOp reduction);
mlir::LogicalResult distributeScan(Distribution &d, mlir::vector::ScanOp scan);
mlir::LogicalResult distributeProduct(Distribution &d, mlir::vector::ContractionOp product);

/// A value of the lane whose number differs in the bits of `mask`; of any type of elements.
mlir::Value shuffleXor(Distribution &d, mlir::Value value, uint32_t mask);
/// A tile's registers in another layout of the same shape.
mlir::Value convertLayout(Distribution &d, mlir::Value registers, const tile::Layout &from, const tile::Layout &to);
/// The same through memory in row-major order, where the shape may be another.
mlir::Value reshapeThroughMemory(Distribution &d, mlir::Value registers, const tile::Layout &from,
                                 const tile::Layout &to);
} // namespace lispier
#endif
