//===- Passes.td - the passes of the nn dialect ------------*- tablegen -*-===//
#ifndef LISPIER_NN_PASSES
#define LISPIER_NN_PASSES

include "mlir/Pass/PassBase.td"

def DecomposeNN : Pass<"lispier-decompose-nn"> {
  let summary = "Write out every nn op as loops on memrefs";
  let description = [{
    The default lowering of every op, and the reference that kernel templates are tested against: rows and outputs
    become scf.parallel, sums scf.for in f32 in the order of the formula, elementwise ops linalg.generic. Runs after
    lispier-select-templates, which leaves the ops that no template takes. Any sizes, element types and strides.
    Example: test/dialects/NN/decompose.mlir
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

#endif
