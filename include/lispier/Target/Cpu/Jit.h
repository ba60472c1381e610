//===- Jit.h - machine code in this process --------------------*- C++ -*-===//
#ifndef LISPIER_TARGET_CPU_JIT_H
#define LISPIER_TARGET_CPU_JIT_H

#include "lispier/Target/Cpu/CpuTarget.h"
#include <mutex>
#include <vector>

namespace llvm::orc {
class LLLazyJIT;
} // namespace llvm::orc

namespace lispier {
/// Compiled modules and the libraries they use; code lives as long as this does.
class Jit {
public:
  static llvm::Expected<std::unique_ptr<Jit>> create(const CpuOptions &options);
  ~Jit();

  llvm::TargetMachine &machine() { return *targetMachine; }

  /// Opens a shared library; its symbols are found after the process's own.
  llvm::Error addLibrary(llvm::StringRef path);
  /// Functions and globals that the module declares and uses, and neither the process nor a
  /// library defines.
  std::vector<std::string> unresolved(const llvm::Module &module) const;

  /// Takes a module, which must be for machine(), and runs its constructors. What belongs to no kernel is optimised and
  /// compiled as a whole when a function of it is asked for; each kernel when it is first called, since a program
  /// holds many variants of them and a run needs few.
  llvm::Error add(std::unique_ptr<llvm::Module> module, std::unique_ptr<llvm::LLVMContext> context);
  /// The address of a defined function.
  llvm::Expected<void *> find(llvm::StringRef name);

private:
  Jit();
  std::unique_ptr<llvm::TargetMachine> targetMachine;
  std::unique_ptr<llvm::orc::LLLazyJIT> jit;
  CodeEffort effort = CodeEffort::Full;
  std::mutex compiling; ///< Kernels may be called first by several threads, and there is one machine.
  std::vector<void *> libraries;
};
} // namespace lispier
#endif
