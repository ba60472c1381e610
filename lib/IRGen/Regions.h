//===- Regions.h - regions, blocks, terminators -----------------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_REGIONS_H
#define LISPIER_LIB_IRGEN_REGIONS_H

#include "Part.h"

namespace lispier {
/// Generates regions: blocks, labels, block arguments and terminators.
class RegionGenerator : public Part {
public:
  using Part::Part;
  bool regions(OpDraft &draft, mlir::Operation *op);
  bool region(const Form *form, mlir::Operation *op, unsigned index);
  mlir::Block *findLabel(const Form *label);

private:
  void blockArgumentTypes(mlir::Operation *op, unsigned index, llvm::SmallVectorImpl<mlir::Type> &types);
  bool blockArguments(const Form *vector, mlir::Block *block, llvm::ArrayRef<mlir::Type> inferred);
  bool checkArguments(mlir::Operation *op, mlir::Block *block, const Form *vector, llvm::ArrayRef<mlir::Type> wanted);
  bool blockBody(llvm::ArrayRef<const Form *> statements, mlir::Operation *op, mlir::Block *block, const Form *form);
  void implicitTerminator(mlir::Operation *op, mlir::Block *block, const Form *form);
};
} // namespace lispier
#endif
