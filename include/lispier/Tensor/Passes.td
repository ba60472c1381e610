//===- Passes.td - the passes of the component Tensor -------*- tablegen -*-===//
#ifndef LISPIER_TENSOR_PASSES
#define LISPIER_TENSOR_PASSES

include "mlir/Pass/PassBase.td"

def BufferizeTensors : Pass<"lispier-bufferize-tensors", "::mlir::ModuleOp"> {
  let summary = "Fuse elementwise tensor ops, bufferize, and free each buffer after its last use";
  let description = [{
    Leaves modules without tensors unchanged. Memory that the program allocates itself is neither freed by this pass
    nor kept alive. A function that returns a tensor transfers ownership of its buffer to the caller.
    Example: test/Tensor/bufferize-tensors.mlir
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect", "::mlir::memref::MemRefDialect"];
}

#endif
