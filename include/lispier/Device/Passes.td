//===- Passes.td - the passes of the device dialect --------*- tablegen -*-===//
#ifndef LISPIER_DEVICE_PASSES
#define LISPIER_DEVICE_PASSES

include "mlir/Pass/PassBase.td"

def AttachTarget : Pass<"lispier-attach-target", "::mlir::ModuleOp"> {
  let summary = "Say what the program is lowered for";
  let description = [{
    The passes that follow ask the target's TargetInfo. A program that names another target already is an error: what has
    been lowered for one does not fit another. Example: test/dialects/Device/attach-target.mlir
  }];
  let options = [Option<"target", "target", "std::string", "\"\"",
                        "Such as sim, sim:64, cuda:sm_90a, rocm:gfx942; cuda is that vendor's first chip">];
  let dependentDialects = ["::lispier::device::DeviceDialect"];
}

#endif
