//===- RowGroup.h - linalg ops over the same rows --------------*- C++ -*-===//
//
// Consecutive linalg ops on memrefs that can be done row by row. Row i of an op is
// iteration i of its leading dimensions; of what any of the ops writes, it reads only
// what row i of that op writes.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_LOOPS_ROWGROUP_H
#define LISPIER_LIB_LOOPS_ROWGROUP_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/SetVector.h"

namespace lispier {
class RowGroup {
public:
  bool empty() const { return members.empty(); }
  llvm::ArrayRef<mlir::linalg::GenericOp> ops() const { return members; }

  /// Adds the op if the group's rows remain independent; else returns false.
  bool add(mlir::linalg::GenericOp op);

  /// The largest number of leading dimensions that can be the rows of all ops, with something left to be done in each
  /// row; 0 if there is no use in doing the ops row by row.
  unsigned rowRank() const;

  /// The loop dimensions of the op that are its rows', outermost first.
  static llvm::SmallVector<unsigned> rowDims(mlir::linalg::GenericOp op, unsigned rank);

  /// Two memrefs, of which at least one is written, that might overlap.
  struct Overlap {
    mlir::Value written, other;
    bool mayBeEqual; ///< The same memory under two names is no obstacle: the other one is accessed by rows, too.
  };
  llvm::SmallVector<Overlap> possibleOverlaps(unsigned rank) const;

private:
  bool isConsistent(unsigned rank) const;
  /// Whether dimension `row` of the rows, 0 for the outermost, is known to be as long in all ops.
  bool hasEqualSizes(unsigned row) const;

  llvm::SmallVector<mlir::linalg::GenericOp> members;
};
} // namespace lispier
#endif
