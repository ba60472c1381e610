//===- CpuTarget.h - LLVM dialect to machine code ---------------*- C++ -*-===//
//
// Translates a module of the LLVM dialect to LLVM IR, optimises it for a processor,
// and emits assembly or an object file.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_TARGET_CPU_CPUTARGET_H
#define LISPIER_TARGET_CPU_CPUTARGET_H

#include "llvm/ADT/ArrayRef.h"
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
/// Trade-off between compile time and speed of the code: `Quick` is for code that runs once, such as macros.
enum class CodeEffort { Quick, Full };

struct CpuOptions {
  /// "native", or a processor name of LLVM such as "x86-64-v3".
  std::string processor = "native";
  CodeEffort effort = CodeEffort::Full;
};

/// Creates a target machine for position-independent code. "native" uses the features that the processor reports, not
/// those implied by its name: in virtual machines they differ.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>> makeMachine(const CpuOptions &options);

/// Returns all enabled target features: "+avx2,+fma".
std::string featuresOf(const llvm::TargetMachine &machine);

/// Returns the names of all enabled target features: "avx2", "fma".
std::vector<std::string> featureNames(const llvm::TargetMachine &machine);

/// Whether `--cpu=` accepts the processor `name`.
bool isKnownProcessor(llvm::StringRef name);

/// Translates a module of the LLVM dialect to LLVM IR. Null after an error, which has been reported as an MLIR
/// diagnostic.
std::unique_ptr<llvm::Module> toLlvmIr(mlir::ModuleOp module, llvm::LLVMContext &context, llvm::TargetMachine &machine);

/// Keeps the entries and what they use; everything else becomes internal or is removed.
void keepOnly(llvm::Module &module, llvm::ArrayRef<std::string> entries);
/// Whether the function is a definition with device.tuned.
bool isTuned(const llvm::Function &function);

/// Optimises the module in place.
void optimize(llvm::Module &module, llvm::TargetMachine &machine, CodeEffort effort);

enum class CodeFile { Assembly, Object };
llvm::Error writeCode(llvm::Module &module, llvm::TargetMachine &machine, CodeFile kind, llvm::raw_pwrite_stream &os);
} // namespace lispier
#endif
