//===- Passes.td - the passes of the device dialect --------*- tablegen -*-===//
#ifndef LISPIER_DEVICE_PASSES
#define LISPIER_DEVICE_PASSES

include "mlir/Pass/PassBase.td"

def AttachTarget : Pass<"lispier-attach-target", "::mlir::ModuleOp"> {
  let summary = "Set the module's attribute `device.target`";
  let description = [{
    Later passes query the TargetInfo of this target. A module with another `device.target` is an error, since it has
    been lowered for that target already.
    Example: test/dialects/Device/attach-target.mlir
  }];
  let options = [Option<"target", "target", "std::string", "\"\"",
                        "Such as sim, sim:64, cuda:sm_90a, rocm:gfx942; cuda alone selects that vendor's first chip">];
  let dependentDialects = ["::lispier::device::DeviceDialect"];
}

def DropDownloads : Pass<"lispier-drop-downloads"> {
  let summary = "Replace device.download of a tensor by its operand";
  let description = [{
    For the target cpu, before bufferization would allocate memory for the result. On the target sim the op becomes a
    copy (lispier-host-gpu-memory).
    With `as-tensors` those stay that the program reads as buffers, such as to print them: without them the buffer of a
    tensor that is read of memory would be, for canonicalization, that memory at any time.
    Example: test/dialects/Device/drop-downloads.mlir
  }];
  let options = [Option<"asTensors", "as-tensors", "bool", "false", "Only where the result is used as a tensor">];
}

#endif
