//===- Passes.td - passes for the program around kernels ---*- tablegen -*-===//
#ifndef LISPIER_TARGET_GPU_PASSES
#define LISPIER_TARGET_GPU_PASSES

include "mlir/Pass/PassBase.td"

// In the order in which the pipeline runs them.

def CheckDeviceOps : Pass<"lispier-check-device-ops", "::mlir::ModuleOp"> {
  let summary = "Fail at each op, in kernels or around them, that no pass can lower for the program's target";
  let description = [{
    Ops of other vendors, clusters and tensor-map copies on chips without them, printing on targets where it needs the
    vendor's library, arithmetic on floats wider than f64, values of scalable vector types and of i0.
    Example: test/Target/Host/check-device-ops.mlir
  }];
  let dependentDialects = ["::lispier::device::DeviceDialect"];
}

def SplitKernels : Pass<"lispier-split-kernels", "::mlir::ModuleOp"> {
  let summary = "Split the gpu.module into parts that are compiled in parallel and loaded on demand";
  let description = [{
    A part is a gpu.module with some of the kernels and all that they reference, and with the program's `device.target`;
    launches name the part. Kernels that use the same writable global stay together. The split depends on the
    module alone, not on the machine.
    Example: test/Target/Host/split-kernels.mlir
  }];
  let options = [
    Option<"opsPerPart", "ops-per-part", "unsigned", "1000", "Start another part after this many ops; 0 for one part">,
    Option<"mostParts", "most-parts", "unsigned", "32", "Maximum number of parts; compiling one costs at least 10 ms">];
  let dependentDialects = ["::lispier::device::DeviceDialect"];
}

def DescribeKernels : Pass<"lispier-describe-kernels", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Store each kernel's calling convention in the attribute `device.kernel`";
  let description = [{
    Parameter types, block size and bytes of shared memory, which are lost when the kernel is lowered to the LLVM
    dialect. Exceeding a limit of the target is an error.
    Example: test/Target/Host/describe-kernels.mlir
  }];
  let dependentDialects = ["::lispier::device::DeviceDialect", "::mlir::LLVM::LLVMDialect"];
}

def SerializeKernels : Pass<"lispier-serialize-kernels", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Compile kernels in the LLVM dialect to a binary that a driver loads";
  let description = [{
    The binary becomes the module's attribute `device.code`; the kernels become declarations.
    Example: test/Target/Host/serialize-kernels.mlir
  }];
  let options = [
    Option<"format", "format", "std::string", "\"\"", "ptx, cubin, fatbin or hsaco; if empty, the target's default">,
    Option<"ptxas", "ptxas", "std::string", "\"\"", "Path of ptxas; searched for if empty">,
    Option<"fatbinary", "fatbinary", "std::string", "\"\"", "Path of fatbinary; searched for if empty">,
    Option<"lld", "lld", "std::string", "\"\"", "Path of ld.lld; searched for if empty">,
    Option<"explain", "explain", "bool", "false",
           "Emit a remark on each kernel's registers, spills and static shared memory: in HSACO as its metadata says, "
           "in cubin and fatbin as ptxas does, in PTX none">];
}

def WriteKernels : Pass<"lispier-write-kernels", "::mlir::ModuleOp"> {
  let summary = "Write the binary of the module's kernels to a file";
  let description = [{ Leaves the module unchanged.
    Example: test/Target/Nvidia/ptx.mlir }];
  let options = [Option<"output", "output", "std::string", "\"-\"", "The file to write; - is standard output">];
}

def MarkDependentLaunches : Pass<"lispier-mark-dependent-launches", "::mlir::ModuleOp"> {
  let summary = "Request programmatic dependent launch for kernels with the attribute `device.waits`";
  let description = [{
    Such a kernel waits for its predecessors itself, so it may start before they have completed. Its launches get the
    attribute `device.dependent_launch`.
    Example: test/Target/Host/dependent-launches.mlir
  }];
  let dependentDialects = ["::lispier::device::DeviceDialect"];
}

def EmbedKernels : Pass<"lispier-embed-kernels", "::mlir::ModuleOp"> {
  let summary = "Embed the kernels' bytes in the host module";
  let description = [{
    The binary of each gpu.module becomes a constant that `main` first passes to the runtime (lispier_rt_device_image).
    A module without kernels or without `main` is unchanged.
    Example: test/Target/Host/embed-kernels.mlir
  }];
  let dependentDialects = ["::lispier::device::DeviceDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect"];
}

def WarnAboutHostLinalg : Pass<"lispier-warn-about-host-linalg", "::mlir::ModuleOp"> {
  let summary = "Warn about linalg ops in host code";
  let description = [{
    Runs after the passes of a compilation form: linalg ops that these have not turned into kernels run as loops on the
    host. One warning per op name.
    Example: test/Target/Host/warn-about-host-linalg.mlir
  }];
}

def LowerReplays : Pass<"lispier-lower-replays", "::mlir::ModuleOp"> {
  let summary = "Replace each device.replay by its body between two runtime calls";
  let description = [{
    The calls are lispier_rt_device_step_begin and lispier_rt_device_step_end. A body of several blocks requires a
    parent region that permits several blocks.
    Example: test/Target/Host/lower-replays.mlir
  }];
  let dependentDialects = ["::lispier::device::DeviceDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::cf::ControlFlowDialect", "::mlir::func::FuncDialect"];
}

def DownloadLoads : Pass<"lispier-download-loads", "::mlir::ModuleOp"> {
  let summary = "Copy the numbers that host code loads from device memory";
  let description = [{
    Memory that kernels use, and of which host code only loads numbers, stays device memory: each load is of a
    device.download of its element, or of the whole memref before a loop that launches nothing. Memory that host code
    stores to, or that may come from elsewhere, is left alone.
    Example: test/Target/Host/download-loads.mlir
  }];
  let dependentDialects = ["::lispier::device::DeviceDialect", "::mlir::memref::MemRefDialect"];
}

def WaitForDevice : Pass<"lispier-wait-for-device", "::mlir::ModuleOp"> {
  let summary = "Make the host wait for the device before it accesses memory that queued work may use";
  let description = [{
    Inserts a call of lispier_rt_device_wait before loads, stores and calls of external functions whose memory a kernel
    may use. The wait is hoisted out of loops that launch nothing, and omitted if nothing was launched since the
    last wait.
    Example: test/Target/Host/wait-for-device.mlir
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::func::FuncDialect"];
}

def CallDevice : Pass<"lispier-call-device", "::mlir::ModuleOp"> {
  let summary = "Turn launches and device memory in host code into calls of the runtime";
  let description = [{
    device.upload, device.download and the gpu dialect's launch_func, alloc, dealloc, memcpy, memset and host_register
    become calls of lispier_rt_device_*. An allocation, by memref.alloc or gpu.alloc, that kernels use and the host
    never accesses is device memory; one that both access is memory that both can reach (managed or pinned). Globals
    that kernels use are copied there once. The gpu.module is erased.
    Launches of equal operands in branches, such as those of a kernel's variants, store their arguments once.
    Example: test/Target/Host/call-device.mlir
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::memref::MemRefDialect"];
}

#endif
