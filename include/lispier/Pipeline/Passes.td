//===- Passes.td - the passes of the component Pipeline ----*- tablegen -*-===//
#ifndef LISPIER_PIPELINE_PASSES
#define LISPIER_PIPELINE_PASSES

include "mlir/Pass/PassBase.td"

def NestModule : Pass<"lispier-nest-module", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Move what a gpu.module contains into a builtin.module in it";
  let description = [{
    For upstream's passes on a builtin.module, which so run on each gpu.module by itself, in parallel.
    Example: test/Pipeline/nest-module.mlir
  }];
}

def UnnestModules : Pass<"lispier-unnest-modules"> {
  let summary = "Replace the builtin.modules in a module by what they contain";
  let description = [{
    A symbol takes the place of its declaration in the module around it.
    Example: test/Pipeline/nest-module.mlir
  }];
}

#endif
