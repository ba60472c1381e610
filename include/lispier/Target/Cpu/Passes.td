//===- Passes.td - the passes of the CPU target ------------*- tablegen -*-===//
#ifndef LISPIER_TARGET_CPU_PASSES
#define LISPIER_TARGET_CPU_PASSES

include "mlir/Pass/PassBase.td"

def CallComm : Pass<"lispier-call-comm", "::mlir::ModuleOp"> {
  let summary = "Make calls of the runtime of the ops of the comm dialect";
  let description = [{
    In host code, of any target; `main` begins with a call that names the mesh. A module without a mesh stays as it is.
    Example: test/Target/Cpu/call-comm.mlir
  }];
  let options = [Option<"onDevice", "on-device", "bool", "false", "The memory of collectives is that of a GPU">];
  let dependentDialects = ["::lispier::comm::CommDialect", "::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::memref::MemRefDialect"];
}

def CallKernelTimes : Pass<"lispier-call-kernel-times", "::mlir::ModuleOp"> {
  let summary = "Make calls of the runtime of group.begin and group.end";
  let description = [{
    In host code, of any target.
    Example: test/Target/Cpu/call-kernel-times.mlir
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect"];
}

def CheckInterrupts : Pass<"lispier-check-interrupts", "::mlir::ModuleOp"> {
  let summary = "Let long loops of host code end when the host interrupts the call";
  let description = [{
    Loops of unknown length, and the outermost ones that have loops or calls in them.
    Example: test/Target/Cpu/check-interrupts.mlir
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::scf::SCFDialect"];
}

def ChooseCWrappers : Pass<"lispier-choose-c-wrappers", "::mlir::ModuleOp"> {
  let summary = "Request C wrappers for external functions that take or return memrefs, and for no others";
  let description = [{
    A C function `f` that is declared with memref parameters receives pointers to descriptors, under
    the name `_mlir_ciface_f`. A function with scalar or pointer parameters is called directly, and
    C code never calls the program's own functions through wrappers.
    Example: test/Target/Cpu/choose-c-wrappers.mlir
  }];
}

def ConvertHostVectors : Pass<"lispier-convert-host-vectors", "::mlir::ModuleOp"> {
  let summary = "Convert vectors to the LLVM dialect, several functions at a time";
  let description = [{
    convert-vector-to-llvm, on functions in parallel where it may be: of a module that prints vectors, whose functions
    share declarations of the runtime, and of one that has vectors outside of functions it runs on the whole.
    Example: test/Target/Cpu/convert-host-vectors.mlir
  }];
  let options = [ListOption<"functions", "functions", "::mlir::OpPassManager", "Passes for functions in parallel">,
                 ListOption<"whole", "whole", "::mlir::OpPassManager", "Passes for a module as a whole">];
}

def DropOperandAttributes : Pass<"lispier-drop-operand-attributes", "::mlir::ModuleOp"> {
  let summary = "Drop the attributes of a call's operands and results";
  let description = [{
    The conversion to llvm.call makes several operands of a memref, but keeps the list of attributes as long as it was;
    the printer reads beyond its end.
    Example: test/Target/Cpu/drop-operand-attributes.mlir
  }];
}

def ReportAssertions : Pass<"lispier-report-assertions", "::mlir::ModuleOp"> {
  let summary = "Make a failed cf.assert or device.require_index print its message and location";
  let description = [{
    The op becomes a branch to a runtime call that prints the message with its source location and ends the program.
    Upstream's lowering calls abort, which loses buffered output, the message included, unless stdout is a terminal.
    Example: test/Target/Cpu/assertions.lisp
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::scf::SCFDialect"];
}

def CheckHost : Pass<"lispier-check-host", "::mlir::ModuleOp"> {
  let summary = "Check allocations and copies of host code, and divisions by constants";
  let description = [{
    An allocation of a negative size or of more bytes than the address space has, and a copy between memrefs of
    different shapes end the program with a message that names the source location and the sizes. An integer division by
    a constant zero, or of the least number by -1, is a compile-time error. Kernels, which the simulator has checked
    already, are unchanged.
    Example: test/Target/Cpu/check-host.lisp
  }];
  let options = [Option<"target", "target", "std::string", "\"cpu\"", "Prefix of the error codes">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def CheckDivisions : Pass<"lispier-check-divisions", "::mlir::ModuleOp"> {
  let summary = "Check integer divisions in the LLVM dialect";
  let description = [{
    A division by zero, or of the least number by -1, ends the program with a message that names the source location and
    the function. Kernels, which the simulator has checked already, are unchanged.
    Example: test/Target/Cpu/check-divisions.mlir
  }];
  let options = [Option<"target", "target", "std::string", "\"cpu\"", "Prefix of the error code">];
}

def MathNearZero : Pass<"lispier-math-near-zero", "::mlir::ModuleOp"> {
  let summary = "Call libm for math.expm1 and math.log1p";
  let description = [{
    convert-math-to-llvm would compute exp(x) - 1 and log(1 + x), whose relative error reaches 1 for arguments near
    zero. Types narrower than f64 have been expanded before.
    Example: test/Target/Cpu/math-near-zero.lisp
  }];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::vector::VectorDialect"];
}

def RoundToBFloat16 : Pass<"lispier-round-to-bf16"> {
  let summary = "Round f32 to bf16 by integer ops";
  let description = [{
    To nearest, ties to even, subnormals included; a NaN stays a NaN. Without an instruction LLVM would call a library
    function for each number, and the instruction of AVX512-BF16 treats subnormals as 0. Scalars are always expanded;
    vectors, for whose kernels the instruction matters, only if the processor lacks it.
    Example: test/Target/Cpu/round-to-bf16.mlir
  }];
  let options = [Option<"vectors", "vectors", "bool", "false", "Expand vectors too: the processor has no instruction">];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def CheckProcessorOps : Pass<"lispier-check-processor-ops", "::mlir::ModuleOp"> {
  let summary = "Fail at ops of host code whose instructions the processor does not have";
  let description = [{
    Ops of the amx and x86vector dialects need processor features; ops of GPUs' and other processors' dialects are
    errors in host code.
    Example: test/Target/Cpu/check-processor-ops.mlir
  }];
  let options = [ListOption<"features", "features", "std::string", "The processor's features, by LLVM's names">];
}

def CheckTranslatable : Pass<"lispier-check-translatable", "::mlir::ModuleOp"> {
  let summary = "Fail at the first op of each function that LLVM IR cannot express";
  let description = [{
    The conversions silently skip ops that they do not support; without this check the translation would fail without a
    source location.
    Example: test/Target/Cpu/errors.mlir
  }];
}

#endif
