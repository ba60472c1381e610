//===- Passes.td - the passes of the simulator -------------*- tablegen -*-===//
include "mlir/Pass/PassBase.td"

def GpuToHost : Pass<"lispier-gpu-to-host", "::mlir::ModuleOp"> {
  let summary = "Turn outlined kernels into host functions that the runtime runs as fibers";
  let description = [{
    Each function of a gpu.module becomes a func.func with the thread's record (Runtime/Sim/Sim.h) as its first
    argument; ids are read from it, and barriers, shuffles and reductions become runtime calls that synchronize the
    threads. gpu.launch_func becomes lispier_sim_launch with the operands packed in a struct.
    Ops of one vendor (nvvm, rocdl, nvgpu, amdgpu) are rejected, except matrix instructions and asynchronous copies.
    Example: test/Target/Sim/gpu-to-host.mlir
  }];
  let options = [
    Option<"checked", "checked", "bool", "false", 
           "Shadow shared memory and run blocks in order, for lispier-check-kernels">,
    Option<"warpSize", "warp-size", "unsigned", "32", "Lanes of a warp, 32 or 64">];
  let dependentDialects = ["::lispier::device::DeviceDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect", "::mlir::scf::SCFDialect"];
}

def CheckKernels : Pass<"lispier-check-kernels", "::mlir::ModuleOp"> {
  let summary = "Insert a check before each memory access and division of a kernel on the host";
  let description = [{
    After lispier-gpu-to-host, on the functions it made. Every load and store is checked against the shape of its
    memref, its alignment, and, in shared memory, against the block's shadow; every integer division for a zero divisor
    and for an overflow; every view against its source; shifts against their width; copies become loops first. Linalg
    ops and vector transfers must have been lowered to loads and stores.
    Example: test/Target/Sim/check-kernels.mlir
  }];
  let dependentDialects = ["::lispier::device::DeviceDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect", "::mlir::scf::SCFDialect"];
}

def TrackMemory : Pass<"lispier-track-memory", "::mlir::ModuleOp"> {
  let summary = "Report the host's allocations, frees and accesses to the simulator";
  let description = [{
    After lispier-host-gpu-memory. The simulator keeps freed memory for a while (lib/Target/Sim/README.md), so that it
    detects accesses after free and double frees; an access of the host outside a memref in allocated memory is an
    error.
    Example: test/Target/Sim/track-memory.mlir
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect", "::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect", "::mlir::scf::SCFDialect"];
}
