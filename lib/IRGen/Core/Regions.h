//===- Regions.h - regions, blocks, terminators -----------------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_CORE_REGIONS_H
#define LISPIER_LIB_IRGEN_CORE_REGIONS_H

#include "Part.h"

namespace lispier {
/// Generates regions: blocks, labels, block arguments and terminators. The methods return false, or null, after an
/// error.
class RegionGenerator : public Part {
public:
  using Part::Part;
  /// Generates all regions of `op` that the program writes, and those of linalg ops that it leaves out.
  bool regions(OpDraft &draft, mlir::Operation *op);
  /// Generates region `index` of `op` from `(region (block [argument ...] ...) ...)`, or from statements alone.
  bool region(const Form *form, mlir::Operation *op, unsigned index);
  /// The block of the innermost region that the program calls `^label`.
  mlir::Block *findLabel(const Form *label);
  /// The gpu.func or gpu.launch around the insertion point, or null.
  mlir::Operation *kernelAround() const;
  /// Whether the insertion point is behind the terminator of its block.
  bool isTerminated() const;
  /// Reports a statement after the terminator of its block; false after this error.
  bool statementAllowed(const Form *form);

private:
  /// Appends the types of the first block's arguments, as far as the op determines them.
  void blockArgumentTypes(mlir::Operation *op, unsigned index, llvm::SmallVectorImpl<mlir::Type> &types);
  bool blockArguments(const Form *vector, mlir::Block *block, llvm::ArrayRef<mlir::Type> inferred);
  bool checkArguments(mlir::Operation *op, mlir::Block *block, const Form *vector, llvm::ArrayRef<mlir::Type> wanted);
  bool blockBody(llvm::ArrayRef<const Form *> statements, mlir::Operation *op, mlir::Block *block, const Form *form);
  /// Appends the terminator that the program may leave out, if there is one without operands.
  void implicitTerminator(mlir::Operation *op, mlir::Block *block, const Form *form);
};
} // namespace lispier
#endif
