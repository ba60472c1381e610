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
/// Cache of object files. A key covers all inputs of the compilation.
class ObjectStore {
public:
  virtual ~ObjectStore() = default;
  /// Returns the cached object; null if there is none.
  virtual std::unique_ptr<llvm::MemoryBuffer> find(llvm::StringRef key) = 0;
  virtual void store(llvm::StringRef key, llvm::StringRef object) = 0;
};

/// Compiles and owns modules and the libraries that they use. Code is unloaded by the destructor.
class Jit {
public:
  /// `objects`: cache to consult before compiling; may be null, else must outlive this object.
  static llvm::Expected<std::unique_ptr<Jit>> create(const CpuOptions &options, ObjectStore *objects = nullptr);
  ~Jit();

  llvm::TargetMachine &machine() { return *targetMachine; }

  /// Opens a shared library. Its symbols are resolved after those of the process.
  llvm::Error addLibrary(llvm::StringRef path);
  /// Returns the functions and globals that the module uses but that neither it, the process nor a library defines.
  std::vector<std::string> unresolved(const llvm::Module &module) const;

  /// Adds a module, which must be for machine(), and runs its constructors. Each kernel is optimised and compiled on
  /// its first call, since programs contain many variants of which a run uses few; all other code is compiled as a
  /// whole on the first lookup of one of its functions.
  llvm::Error add(std::unique_ptr<llvm::Module> module, std::unique_ptr<llvm::LLVMContext> context);
  /// Returns the address of a defined function.
  llvm::Expected<void *> find(llvm::StringRef name);
  /// The functions compiled so far.
  const CodeMap &codeMap() const { return code; }

private:
  class Compiler;
  Jit();
  bool findObject(llvm::Module &module);

  std::unique_ptr<llvm::TargetMachine> targetMachine;
  CodeMap code; ///< Declared before the JIT, which adds to it.
  std::unique_ptr<llvm::orc::LLLazyJIT> jit;
  CodeEffort effort = CodeEffort::Full;
  ObjectStore *objects = nullptr;
  bool runs = false;                                          ///< An address has been handed out.
  llvm::StringMap<std::unique_ptr<llvm::MemoryBuffer>> found; ///< Cached objects that are about to be linked.
  std::mutex compiling; ///< Guards the one target machine: several threads may call kernels for the first time.
  std::vector<void *> libraries;
};
} // namespace lispier
#endif
