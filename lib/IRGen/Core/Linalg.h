//===- Linalg.h - linalg ops, with regions and maps inferred ----*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_CORE_LINALG_H
#define LISPIER_LIB_IRGEN_CORE_LINALG_H

#include "Part.h"

namespace mlir::linalg {
class LinalgOp;
}

namespace lispier {
/// Completes linalg ops of which the program leaves out maps, iterator types, outputs or regions.
class LinalgOps : public Part {
public:
  using Part::Part;
  // Each function that returns bool has reported an error if it returns false.

  /// Sets the sizes of the operand groups, indexing maps and iterator types that the program leaves out, and checks
  /// those that it gives: MLIR's verifier of the op accesses them unchecked.
  bool linalg(OpDraft &draft);
  /// Returns the number of inputs and outputs of a named op such as linalg.add; nullopt for any other op.
  std::optional<unsigned> linalgOperandCount(const OpDraft &draft);
  /// Checks that the op has exactly one output, which MLIR's builders of named ops assume.
  bool linalgOutputs(OpDraft &draft);
  /// Builds the region of the new op `op` if the program leaves it out.
  bool linalgRegion(OpDraft &draft, mlir::Operation *op);
  /// Returns `op`, or the linalg.generic that replaces it if it is a named op with another region than its name stands
  /// for: passes infer the semantics from the name.
  mlir::Operation *demoteNamed(mlir::Operation *op);

private:
  /// Builds the region of a named op from its definition; `why` captures MLIR's message if it fails.
  bool buildNamedRegion(mlir::linalg::LinalgOp op, mlir::Region &region, Captured &why);
};
} // namespace lispier
#endif
