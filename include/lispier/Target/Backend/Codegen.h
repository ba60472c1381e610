//===- Codegen.h - a lowered gpu.module to assembly or an object *- C++ -*-===//
#ifndef LISPIER_TARGET_BACKEND_CODEGEN_H
#define LISPIER_TARGET_BACKEND_CODEGEN_H

#include "lispier/Target/Backend/Backend.h"

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
} // namespace llvm

namespace lispier {
struct DeviceMachine {
  llvm::StringRef triple, chip, features;
  bool assembly = false; ///< Emit assembly text, which the vendor's assembler optimises again; else an object file.
};

/// Reports each call of an undefined function, such as one of a vendor's device library, and fails if there is any.
/// `provided`: functions that the device provides.
mlir::LogicalResult checkSelfContained(mlir::gpu::GPUModuleOp kernels, llvm::ArrayRef<llvm::StringRef> provided);

/// A gpu.module in LLVM IR.
struct DeviceModule {
  DeviceModule();
  DeviceModule(DeviceModule &&) noexcept;
  ~DeviceModule();

  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  std::unique_ptr<llvm::TargetMachine> machine;
  bool assembly = false; ///< See DeviceMachine.
};

/// Translates to LLVM IR and calls `prepare` on it. Reports errors at the module and fails. The caller must have
/// initialized the LLVM target.
mlir::FailureOr<DeviceModule> translate(mlir::gpu::GPUModuleOp kernels, const DeviceMachine &machine,
                                        llvm::function_ref<void(llvm::Module &)> prepare = nullptr);

/// Optimises (as -O3), calls `finish` on what became of the kernels, and generates code.
llvm::Expected<GpuBytes> generateCode(DeviceModule kernels, llvm::function_ref<void(llvm::Module &)> finish = nullptr);

/// Writes `inputs` to temporary files, runs `program` with arguments built from their paths and the output's path, and
/// returns the contents of the output, or an error with what the program printed; `printed`, if given, receives that of
/// a program that succeeds. `calledAs` is what a program that is several finds as its name, instead of its path.
llvm::Expected<GpuBytes>
runTool(llvm::StringRef program, llvm::ArrayRef<llvm::ArrayRef<char>> inputs,
        llvm::function_ref<std::vector<std::string>(llvm::ArrayRef<std::string> in, const std::string &out)> arguments,
        std::string *printed = nullptr, llvm::StringRef calledAs = "");

/// "no spills", or what is spilled with its unit.
std::string spillText(uint64_t count, llvm::StringRef unit);

enum class Search { PathFirst, FoldersFirst };
/// Returns the path of program `name`: `given` if not empty, else the first in PATH or `folders`; empty if not found.
std::string findTool(llvm::StringRef given, llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> folders,
                     Search search);
} // namespace lispier
#endif
