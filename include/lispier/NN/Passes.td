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

def SplitNormLinear : Pass<"lispier-split-norm-linear"> {
  let summary = "Turn nn.norm_linear into nn.layer_norm and nn.linear";
  let description = [{
    Those two have kernels for any number of tokens. Where `one-row` says that there is a kernel for one, the op stays
    for it; which of the two it is decides the program when it runs, if the types do not.
    Example: test/dialects/NN/split-norm-linear.mlir
  }];
  let options = [Option<"oneRow", "one-row", "bool", "false", "Leave the op where there is one token">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

#endif
