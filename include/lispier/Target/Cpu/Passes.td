//===- Passes.td - the passes of the CPU target ------------*- tablegen -*-===//
#ifndef LISPIER_TARGET_CPU_PASSES
#define LISPIER_TARGET_CPU_PASSES

include "mlir/Pass/PassBase.td"

def ChooseCWrappers : Pass<"lispier-choose-c-wrappers", "::mlir::ModuleOp"> {
  let summary = "Request C wrappers for external functions that take or return memrefs, and for no others";
  let description = [{
    A C function that is declared with memref parameters receives pointers to descriptors, under
    the name `_mlir_ciface_f`. A function with scalar or pointer parameters is called as it is, and
    nothing outside calls the functions of the program by their wrappers.
    Example: test/Target/Cpu/choose-c-wrappers.mlir
  }];
}

def SayAssertions : Pass<"lispier-say-assertions", "::mlir::ModuleOp"> {
  let summary = "Let cf.assert say what does not hold, and where";
  let description = [{
    A branch to a call of the runtime, which prints the message with its place and ends the program. Upstream's conversion
    aborts instead, and what was printed before, the message included, is lost unless a terminal shows it.
    Example: test/Target/Cpu/assertions.lisp
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::scf::SCFDialect"];
}

def CheckHost : Pass<"lispier-check-host", "::mlir::ModuleOp"> {
  let summary = "Say which allocations and copies of host code cannot be done, and where";
  let description = [{
    Memory of sizes below zero or of more bytes than an address reaches, and a copy between memory of different shapes end
    the program with a message that has the place and the sizes. An integer division by a constant zero, or of the least
    number by -1, is an error of the compiler. Functions that have been checked by the simulator, kernels, are left alone.
    Example: test/Target/Cpu/check-host.lisp
  }];
  let options = [Option<"target", "target", "std::string", "\"cpu\"", "What the errors' codes begin with">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def CheckDivisions : Pass<"lispier-check-divisions", "::mlir::ModuleOp"> {
  let summary = "Say which integer divisions of the LLVM dialect cannot be done, and where";
  let description = [{
    A division by zero, or of the least number by -1, ends the program with a message that has the place and the function.
    Functions that have been checked by the simulator, kernels, are left alone.
    Example: test/Target/Cpu/check-divisions.mlir
  }];
  let options = [Option<"target", "target", "std::string", "\"cpu\"", "What the error's code begins with">];
}

def MathNearZero : Pass<"lispier-math-near-zero", "::mlir::ModuleOp"> {
  let summary = "Call libm for math.expm1 and math.log1p";
  let description = [{
    The conversion to LLVM's intrinsics would write them with exp and log, which is wrong by as much as the result for
    arguments near zero. Shorter floats than f64 have been expanded before. Example: test/Target/Cpu/math-near-zero.lisp
  }];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::vector::VectorDialect"];
}

def RoundToBFloat16 : Pass<"lispier-round-to-bf16"> {
  let summary = "Round f32 to bf16 by integer ops";
  let description = [{
    To nearest, ties to even, subnormals included; a NaN stays one. LLVM would call a library for each number where the
    processor has no instruction, and the instruction of AVX512-BF16 takes subnormals for 0. Scalars always; vectors, whose
    kernels count on the instruction, where there is none. Example: test/Target/Cpu/round-to-bf16.mlir
  }];
  let options = [Option<"vectors", "vectors", "bool", "false", "Vectors, too: the processor has no instruction for them">];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def CheckProcessorOps : Pass<"lispier-check-processor-ops", "::mlir::ModuleOp"> {
  let summary = "Fail at ops of host code whose instructions the processor does not have";
  let description = [{
    Ops of amx and x86vector need features of the processor; ops of GPUs and of other processors are never host code.
    Example: test/Target/Cpu/check-processor-ops.mlir
  }];
  let options = [ListOption<"features", "features", "std::string", "What the processor has, by LLVM's names">];
}

def CheckTranslatable : Pass<"lispier-check-translatable", "::mlir::ModuleOp"> {
  let summary = "Fail at the first op of each function that LLVM IR cannot express";
  let description = [{
    The conversions leave what they do not know without a word; without this check the
    translation would fail without a place. Example: test/Target/Cpu/errors.mlir
  }];
}

#endif
