//===- Linalg.h - linalg ops, with regions and maps inferred ----*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_LINALG_H
#define LISPIER_LIB_IRGEN_LINALG_H

#include "Part.h"

namespace mlir::linalg {
class LinalgOp;
}

namespace lispier {
/// Completes linalg ops of which the program leaves out maps, iterator types, outputs or regions.
class LinalgOps : public Part {
public:
  using Part::Part;
  bool linalg(OpDraft &draft);
  std::optional<unsigned> linalgOperandCount(const OpDraft &draft);
  bool linalgOutputs(OpDraft &draft);
  bool linalgRegion(OpDraft &draft, mlir::Operation *op);
  mlir::Operation *demoteNamed(mlir::Operation *op);

private:
  bool buildNamedRegion(mlir::linalg::LinalgOp op, mlir::Region &region, Captured &why);
};
} // namespace lispier
#endif
