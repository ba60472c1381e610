//===- Passes.td - the passes of the GPU targets -----------*- tablegen -*-===//
#ifndef LISPIER_TARGET_GPU_PASSES
#define LISPIER_TARGET_GPU_PASSES

include "mlir/Pass/PassBase.td"

def DropAsyncTokens : Pass<"lispier-drop-async-tokens", "::mlir::ModuleOp"> {
  let summary = "Drop the tokens of gpu ops, whose order is the order of the device's work";
  let description = [{
    Every target has one queue, so that an op that depends on another's token comes after it anyway. `gpu.wait` for the
    host stays. A token that a loop, a branch or a function carries becomes an `i1` that nobody reads.
    Example: test/Target/Host/drop-async-tokens.mlir
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

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

def EmbedKernels : Pass<"lispier-embed-kernels", "::mlir::ModuleOp"> {
  let summary = "Compile the gpu.module and embed the binary in the host module";
  let description = [{
    Each target's binary becomes a constant that `main` hands to the runtime (lispier_rt_device_image) before
    anything else; the first that fits the machine is taken. PTX for NVIDIA, HSACO for AMD. Many kernels become
    several binaries, compiled at the same time, of which a program loads those that it launches kernels of. Without kernels or without `main` nothing changes.
    Example: test/Target/Host/embed-kernels.mlir
  }];
  let options = [
    ListOption<"targets", "targets", "std::string", "Which GPUs: cuda:sm_90a,rocm:gfx942">,
    Option<"opsPerBinary", "ops-per-binary", "unsigned", "1000", "Another binary for each so many ops">];
}

def WarnOfHostLinalg : Pass<"lispier-warn-of-host-linalg", "::mlir::ModuleOp"> {
  let summary = "Warn of linalg ops in host code";
  let description = [{
    After the passes of a compilation form, which is followed to the letter: what they made no kernel of runs as loops
    of the host. One warning for each kind of op. Example: test/Target/Host/warn-of-host-linalg.mlir
  }];
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
    gpu.launch_func, alloc, dealloc, memcpy, memset and host_register become calls of lispier_rt_device_*. Memory that
    kernels use and the host touches nowhere is the device's alone; what both touch is shared, whether memref.alloc
    or gpu.alloc asks for it. Globals that kernels use are copied to shared memory once. The gpu.module goes.
    Example: test/Target/Host/call-device.mlir
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::memref::MemRefDialect"];
}

#endif
