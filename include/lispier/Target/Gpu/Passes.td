//===- Passes.td - the passes of the GPU targets -----------*- tablegen -*-===//
#ifndef LISPIER_TARGET_GPU_PASSES
#define LISPIER_TARGET_GPU_PASSES

include "mlir/Pass/PassBase.td"

def EmitGpu : Pass<"lispier-emit-gpu", "::mlir::ModuleOp"> {
  let summary = "Compile the module's gpu.module and write the binary to a file";
  let description = [{
    The module stays as it is. Example: test/Target/Nvidia/ptx.mlir
  }];
  let options = [
    Option<"target", "target", "std::string", "\"cuda\"", "Which GPU: cuda, cuda:sm_90a, rocm:gfx942">,
    Option<"format", "format", "std::string", "\"\"", "ptx, cubin, fatbin or hsaco; the target's first when empty">,
    Option<"output", "output", "std::string", "\"-\"", "The file to write; - is standard output">,
    Option<"ptxas", "ptxas", "std::string", "\"\"", "Path of ptxas; looked for when empty">,
    Option<"lld", "lld", "std::string", "\"\"", "Path of ld.lld; looked for when empty">];
}

#endif
