//===- Passes.td - the pass of the component Differentiate --*- tablegen -*-===//
#ifndef LISPIER_DIFFERENTIATE_PASSES
#define LISPIER_DIFFERENTIATE_PASSES

include "lispier/Buffers/CountWork.td"
include "mlir/Pass/PassBase.td"

def Differentiate : Pass<"lispier-differentiate", "::mlir::ModuleOp"> {
  let summary = "Replace calls whose gradients are asked for by their bodies and the gradients' code";
  let description = [{
    Each `grad.call` becomes the body of its function, with the calls in it, and then the adjoint of each op that the
    gradient depends on, from the last to the first. lib/Differentiate/README.md has the rules; an op without one is an
    error that says how the value depends on it. `grad.stop` becomes its operand. A module without these ops stays as
    it is.
    Example: test/Differentiate/differentiate.mlir
  }];
  let options = [Option<"explain", "explain", "bool", "false",
                        "Remark on what each gradient keeps of the forward pass">,
                 CountWork<"ops that were differentiated">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect", "::lispier::nn::NNDialect"];
}
#endif
