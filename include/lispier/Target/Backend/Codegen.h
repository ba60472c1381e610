//===- Codegen.h - a lowered gpu.module to assembly or an object *- C++ -*-===//
#ifndef LISPIER_TARGET_BACKEND_CODEGEN_H
#define LISPIER_TARGET_BACKEND_CODEGEN_H

#include "lispier/Target/Backend/Backend.h"

namespace llvm {
class Module;
} // namespace llvm

namespace lispier {
struct DeviceMachine {
  llvm::StringRef triple, chip, features;
  bool assembly = false; ///< Text, else an object file.
};

/// Fails when kernels call functions that nobody defines, such as those of a vendor's device library, at each call.
/// `provided` are names that the device itself has.
mlir::LogicalResult checkSelfContained(mlir::gpu::GPUModuleOp kernels, llvm::ArrayRef<llvm::StringRef> provided);

/// Translates to LLVM IR, lets `prepare` finish it, optimises (-O3) and writes code for the machine, whose LLVM target
/// the caller has initialized.
mlir::FailureOr<GpuBytes> generateCode(mlir::gpu::GPUModuleOp kernels, const DeviceMachine &machine,
                                       llvm::function_ref<void(llvm::Module &)> prepare = nullptr);

/// Runs `program` on temporary files: `inputs` are written first, then the arguments are made from their paths and the
/// output's, and the output is read. Errors carry what the program printed.
mlir::FailureOr<GpuBytes>
runTool(mlir::gpu::GPUModuleOp kernels, llvm::StringRef program, llvm::ArrayRef<llvm::ArrayRef<char>> inputs,
        llvm::function_ref<std::vector<std::string>(llvm::ArrayRef<std::string> in, const std::string &out)> arguments);

enum class Search { PathFirst, FoldersFirst };
/// The path of `name`: `given` if it is not empty, else one from PATH or `folders`. Empty when there is none.
std::string findTool(llvm::StringRef given, llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> folders,
                     Search search);
} // namespace lispier
#endif
