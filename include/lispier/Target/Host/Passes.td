//===- Passes.td - the passes of the GPU targets -----------*- tablegen -*-===//
#ifndef LISPIER_TARGET_GPU_PASSES
#define LISPIER_TARGET_GPU_PASSES

include "mlir/Pass/PassBase.td"

// In the order in which the pipeline runs them.

def CheckDeviceOps : Pass<"lispier-check-device-ops", "::mlir::ModuleOp"> {
  let summary = "Fail at each op, in kernels or around them, that no pass can lower for the program's target";
  let description = [{
    Ops of other vendors, clusters and copies of tiles where the chip has none, printing where that takes a vendor's
    library, arithmetic of floats wider than f64, values of scalable vectors and of integers without bits.
    Example: test/Target/Host/check-device-ops.mlir
  }];
  let dependentDialects = ["::lispier::device::DeviceDialect"];
}

def SplitKernels : Pass<"lispier-split-kernels", "::mlir::ModuleOp"> {
  let summary = "Make one gpu.module of a target for each part of its kernels";
  let description = [{
    Parts are compiled at the same time, and a program loads those whose kernels it launches. A part has what its kernels
    need; kernels that share memory which they can write stay together. Which go together depends on the module alone.
    Each part carries the program's `device.target`; launches name the part.
    Example: test/Target/Host/split-kernels.mlir
  }];
  let options = [
    Option<"opsPerPart", "ops-per-part", "unsigned", "1000", "Another part for each so many ops; 0 for one part">,
    Option<"mostParts", "most-parts", "unsigned", "32", "But never more: each costs 10 ms to compile">];
  let dependentDialects = ["::lispier::device::DeviceDialect"];
}

def DescribeKernels : Pass<"lispier-describe-kernels", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Say in `device.kernel` how each kernel is called";
  let description = [{
    Parameters, block and shared memory, which the LLVM dialect's types no longer say. More than the target allows is an
    error. Example: test/Target/Host/describe-kernels.mlir
  }];
  let dependentDialects = ["::lispier::device::DeviceDialect", "::mlir::LLVM::LLVMDialect"];
}

def SerializeKernels : Pass<"lispier-serialize-kernels", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Turn kernels of the LLVM dialect into the bytes that a driver loads";
  let description = [{
    They become `device.code`, and the kernels declarations. Example: test/Target/Host/serialize-kernels.mlir
  }];
  let options = [
    Option<"format", "format", "std::string", "\"\"", "ptx, cubin, fatbin or hsaco; the target's first when empty">,
    Option<"ptxas", "ptxas", "std::string", "\"\"", "Path of ptxas; looked for when empty">,
    Option<"fatbinary", "fatbinary", "std::string", "\"\"", "Path of fatbinary; looked for when empty">,
    Option<"lld", "lld", "std::string", "\"\"", "Path of ld.lld; looked for when empty">];
}

def WriteKernels : Pass<"lispier-write-kernels", "::mlir::ModuleOp"> {
  let summary = "Write the bytes of the module's kernels to a file";
  let description = [{ The module stays as it is. Example: test/Target/Nvidia/ptx.mlir }];
  let options = [Option<"output", "output", "std::string", "\"-\"", "The file to write; - is standard output">];
}

def MarkDependentLaunches : Pass<"lispier-mark-dependent-launches", "::mlir::ModuleOp"> {
  let summary = "Let kernels that wait themselves begin before the work before them is done";
  let description = [{ Example: test/Target/Host/dependent-launches.mlir }];
  let dependentDialects = ["::lispier::device::DeviceDialect"];
}

def EmbedKernels : Pass<"lispier-embed-kernels", "::mlir::ModuleOp"> {
  let summary = "Embed the kernels' bytes in the host module";
  let description = [{
    The bytes of each gpu.module become a constant that `main` hands to the runtime (lispier_rt_device_image) before
    anything else. Without kernels or without `main` there is nothing to hand over.
    Example: test/Target/Host/embed-kernels.mlir
  }];
  let dependentDialects = ["::lispier::device::DeviceDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect"];
}

def WarnOfHostLinalg : Pass<"lispier-warn-of-host-linalg", "::mlir::ModuleOp"> {
  let summary = "Warn of linalg ops in host code";
  let description = [{
    After the passes of a compilation form, which is followed to the letter: what they made no kernel of runs as loops
    of the host. One warning for each kind of op. Example: test/Target/Host/warn-of-host-linalg.mlir
  }];
}

def LowerReplays : Pass<"lispier-lower-replays", "::mlir::ModuleOp"> {
  let summary = "Replace each device.replay by its body between calls of the runtime";
  let description = [{
    lispier_rt_device_step_begin and _end. Where the body has several blocks, the op stands in a region that may have
    them too. Example: test/Target/Host/lower-replays.mlir
  }];
  let dependentDialects = ["::lispier::device::DeviceDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::cf::ControlFlowDialect", "::mlir::func::FuncDialect"];
}

def WaitForDevice : Pass<"lispier-wait-for-device", "::mlir::ModuleOp"> {
  let summary = "Let the host wait for the device before it touches memory that the queue may use";
  let description = [{
    A call of lispier_rt_device_wait before loads, stores, and calls of code not known here, where their memory may
    be a kernel's. The wait stands before the outermost loop that launches nothing, and is left out where nothing
    was launched since the last one. Example: test/Target/Host/wait-for-device.mlir
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::func::FuncDialect"];
}

def CallDevice : Pass<"lispier-call-device", "::mlir::ModuleOp"> {
  let summary = "Turn launches and device memory in host code into calls of the runtime";
  let description = [{
    device.upload, gpu.launch_func, alloc, dealloc, memcpy, memset and host_register become calls of lispier_rt_device_*. Memory that
    kernels use and the host touches nowhere is the device's alone; what both touch is shared, whether memref.alloc
    or gpu.alloc asks for it. Globals that kernels use are copied to shared memory once. The gpu.module goes.
    Example: test/Target/Host/call-device.mlir
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::memref::MemRefDialect"];
}

#endif
