//===- Passes.td - the passes of the nn dialect ------------*- tablegen -*-===//
#ifndef LISPIER_NN_PASSES
#define LISPIER_NN_PASSES

include "mlir/Pass/PassBase.td"

def DecomposeNN : Pass<"lispier-decompose-nn"> {
  let summary = "Lower every nn op to loops and linalg ops on memrefs";
  let description = [{
    The default lowering of every op, and the reference that kernels are tested against: loops over rows and outputs
    become scf.parallel, sums scf.for in f32 in the order of the formula, elementwise ops linalg.generic. Runs after
    lispier-select-templates, for the ops without a kernel. Accepts any sizes, element types and strides.
    Example: test/dialects/NN/decompose.mlir
  }];
  let dependentDialects = ["::lispier::device::DeviceDialect", "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def SplitNormLinear : Pass<"lispier-split-norm-linear"> {
  let summary = "Turn nn.norm_linear into nn.layer_norm, or loops for an RMS norm, and nn.linear";
  let description = [{
    Those two have kernels for any number of tokens. With `one-row`, which says that there is a kernel for one token,
    the op stays for one token; if the types do not give the number of tokens, the program branches at run time.
    Example: test/dialects/NN/split-norm-linear.mlir
  }];
  let options = [Option<"oneRow", "one-row", "bool", "false", "Keep the op for one token">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

#endif
