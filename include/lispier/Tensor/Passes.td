//===- Passes.td - the passes of the room Tensor -----------*- tablegen -*-===//
#ifndef LISPIER_TENSOR_PASSES
#define LISPIER_TENSOR_PASSES

include "mlir/Pass/PassBase.td"

def BufferizeTensors : Pass<"lispier-bufferize-tensors", "::mlir::ModuleOp"> {
  let summary = "Fuse tensor ops, then give tensors memory and free it after its last use";
  let description = [{
    Does nothing to a module without tensors. Memory that the program allocates itself stays its own: it is neither
    freed twice nor kept alive. A function that returns a tensor hands its memory to the caller.
    Example: test/Tensor/bufferize-tensors.mlir
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect", "::mlir::memref::MemRefDialect"];
}

#endif
