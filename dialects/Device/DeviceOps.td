//===- DeviceOps.td - the device dialect ------------------*- tablegen -*-===//
//
// What host code and kernels agree on about a device, said in the IR, so that a
// pass finds it there and not in another pass. Attributes only, as yet.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_DEVICE_OPS
#define LISPIER_DEVICE_OPS

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def Device_Dialect : Dialect {
  let name = "device";
  let cppNamespace = "::lispier::device";
  let summary = "What host code and kernels agree on about a device";
  let description = [{
    Discardable attributes, checked by the dialect:

    - `device.target = "cuda:sm_90a"` on a gpu.module: what its kernels are compiled for. On a builtin.module: what the
      whole program is lowered for. The names are those of `--target=`.
    - `device.kernel = #device.kernel<...>` on a kernel: how it is called, whatever its own types have become.
    - `device.waits` on a kernel: it waits itself for the work before it in the queue.
    - `device.dependent_launch` on a gpu.launch_func: the kernel may begin before that work is done (programmatic
      dependent launch). Only for kernels with `device.waits`.
    - `device.code = #device.code<...>` on a gpu.module: the bytes that its kernels have become.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
}

class Device_Attr<string name, string word> : AttrDef<Device_Dialect, name> {
  let mnemonic = word;
  let assemblyFormat = "`<` struct(params) `>`";
}

def Device_Kernel : Device_Attr<"Kernel", "kernel"> {
  let summary = "How a kernel is called";
  let description = [{
    The types of its parameters in order (`!llvm.ptr` for memory; an index is an i64), the threads of a block along x, y
    and z (absent where the launch may choose), the bytes of its static shared memory, and whether a launch gives it more.
  }];
  let parameters = (ins "::mlir::ArrayAttr":$parameters, OptionalParameter<"::mlir::DenseI32ArrayAttr">:$block,
                        DefaultValuedParameter<"int64_t", "0">:$sharedBytes,
                        DefaultValuedParameter<"bool", "false">:$dynamicShared);
}

def Device_Code : Device_Attr<"Code", "code"> {
  let summary = "What a driver loads";
  let description = [{ `format` is ptx, cubin, fatbin or hsaco. }];
  let parameters = (ins StringRefParameter<"by its name">:$format, "::mlir::StringAttr":$bytes);
}

#endif
