//===- CpuTarget.h - the last mile to machine code -------------*- C++ -*-===//
//
// A module of the LLVM dialect becomes LLVM IR, is optimised for a processor and
// written as assembly or an object file. Errors are in the user's words.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_TARGET_CPU_CPUTARGET_H
#define LISPIER_TARGET_CPU_CPUTARGET_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace llvm {
class Function;
class LLVMContext;
class Module;
class raw_pwrite_stream;
class TargetMachine;
} // namespace llvm
namespace mlir {
class ModuleOp;
} // namespace mlir

namespace lispier {
/// How much time the code generator may take: `Quick` is for code that runs once, such as macros.
enum class CodeEffort { Quick, Full };

struct CpuOptions {
  /// "native", or a processor that LLVM knows, "x86-64-v3" and its like.
  std::string processor = "native";
  CodeEffort effort = CodeEffort::Full;
};

/// Code for that processor, position-independent. The features of "native" are those the
/// processor reports, never those of its name: virtual machines report one without the other.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>> makeMachine(const CpuOptions &options);

/// What its code may use: "+avx2,+fma", all that are on.
std::string featuresOf(const llvm::TargetMachine &machine);

/// Processors that `--cpu=` accepts.
bool isKnownProcessor(llvm::StringRef name);

/// Translates a module of the LLVM dialect. Null after an error, which MLIR has reported.
std::unique_ptr<llvm::Module> toLlvmIr(mlir::ModuleOp module, llvm::LLVMContext &context, llvm::TargetMachine &machine);

/// Keeps only a function and what it needs; the rest becomes internal or goes.
void keepOnly(llvm::Module &module, llvm::StringRef entry);
/// Made from a kernel template, and defined here.
bool isKernel(const llvm::Function &function);

/// Optimises in place.
void optimize(llvm::Module &module, llvm::TargetMachine &machine, CodeEffort effort);

enum class CodeFile { Assembly, Object };
llvm::Error writeCode(llvm::Module &module, llvm::TargetMachine &machine, CodeFile kind, llvm::raw_pwrite_stream &os);
} // namespace lispier
#endif
