//===- RingResults.h - what becomes of the sums of a ring ------*- C++ -*-===//
//
// Behind the loop of a program with a ring, a thread has its part of the sums in most
// of its registers. What the program computes of them, such as a bias, an activation
// or a residual, is therefore made a few columns at a time, from what is read to what
// is written.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_TILES_RINGRESULTS_H
#define LISPIER_LIB_TILES_RINGRESULTS_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace lispier {
/// Whether the transfer is of a parameter of the kernel, in rows of neighbours that begin at multiples of 16 bytes.
bool isAlignedParameter(mlir::VectorTransferOpInterface transfer);

class RingResults {
public:
  explicit RingResults(mlir::ImplicitLocOpBuilder &b) : b(b) {}

  /// Whether everything that `ops`, those of the loop's block, make of tiles can be made in columns, or is small.
  bool fits(mlir::scf::ForOp loop, llvm::ArrayRef<mlir::Operation *> ops);
  /// The memory through which results are written: two times the rows of a tile, and 64 columns; null if all results
  /// are written from registers.
  mlir::MemRefType buffersType() const;

  /// Makes them of the loop's results, with `mapping` of everything but tiles.
  void make(mlir::IRMapping &mapping, mlir::Value buffers);
  /// A tile that does not depend on the loop.
  mlir::Value whole(mlir::Value tile, mlir::IRMapping &mapping);

private:
  bool fitsWrite(mlir::vector::TransferWriteOp write);
  bool fitsReads();
  bool isCut(mlir::Value tile);
  bool isWhole(mlir::Value tile);

  mlir::Value columnsOf(mlir::Value tile, int64_t column, mlir::IRMapping &mapping);
  mlir::Value makeColumns(mlir::Value tile, int64_t column, mlir::IRMapping &mapping);
  int64_t vacate(mlir::Value buffers);
  void makePart(int64_t begin, int64_t end, mlir::IRMapping &mapping, mlir::Value buffers);
  llvm::SmallVector<mlir::Value> indicesAt(mlir::OperandRange indices, int64_t column, mlir::IRMapping &mapping);

  mlir::ImplicitLocOpBuilder &b;
  mlir::scf::ForOp loop;
  int64_t columns = 0; ///< Of the results' tiles.
  int64_t wholeBytes = 0;
  llvm::SmallVector<mlir::vector::TransferWriteOp> writes;
  llvm::SmallVector<mlir::vector::TransferReadOp> reads; ///< That are made in columns.
  llvm::SmallVector<mlir::vector::TransferWriteOp> drained;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, mlir::Value> made;
  int64_t drains = 0; ///< So far, of one tile.
};
} // namespace lispier
#endif
