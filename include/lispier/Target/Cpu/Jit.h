//===- Jit.h - machine code in this process --------------------*- C++ -*-===//
#ifndef LISPIER_TARGET_CPU_JIT_H
#define LISPIER_TARGET_CPU_JIT_H

#include "lispier/Target/Cpu/CodeMap.h"
#include "lispier/Target/Cpu/CpuTarget.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"
#include <mutex>
#include <vector>

namespace llvm::orc {
class LLLazyJIT;
} // namespace llvm::orc

namespace lispier {
/// Object files from earlier, each under a name that says all of what it was compiled from.
class ObjectStore {
public:
  virtual ~ObjectStore() = default;
  /// Null: it has none.
  virtual std::unique_ptr<llvm::MemoryBuffer> find(llvm::StringRef name) = 0;
  virtual void store(llvm::StringRef name, llvm::StringRef object) = 0;
};

/// Compiled modules and the libraries they use; code lives as long as this does.
class Jit {
public:
  /// `objects`: asked before anything is optimised and compiled; may be null, else it outlives this.
  static llvm::Expected<std::unique_ptr<Jit>> create(const CpuOptions &options, ObjectStore *objects = nullptr);
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
  /// The functions that were compiled so far.
  const CodeMap &codeMap() const { return code; }

private:
  class Compiler;
  Jit();
  bool findObject(llvm::Module &module);

  std::unique_ptr<llvm::TargetMachine> targetMachine;
  CodeMap code; ///< Before the JIT, which adds to it.
  std::unique_ptr<llvm::orc::LLLazyJIT> jit;
  CodeEffort effort = CodeEffort::Full;
  ObjectStore *objects = nullptr;
  bool runs = false;                                          ///< Somebody has an address.
  llvm::StringMap<std::unique_ptr<llvm::MemoryBuffer>> found; ///< Objects on their way to the linker.
  std::mutex compiling; ///< Kernels may be called first by several threads, and there is one machine.
  std::vector<void *> libraries;
};
} // namespace lispier
#endif
