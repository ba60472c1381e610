//===- Jit.h - machine code in this process --------------------*- C++ -*-===//
#ifndef LISPIER_TARGET_CPU_JIT_H
#define LISPIER_TARGET_CPU_JIT_H

#include "lispier/Target/Cpu/CodeMap.h"
#include "lispier/Target/Cpu/CodeParts.h"
#include "llvm/Support/MemoryBuffer.h"
#include <mutex>
#include <vector>

namespace llvm::orc {
class IndirectStubsManager;
class JITDylib;
class LazyCallThroughManager;
class LLJIT;
} // namespace llvm::orc

namespace lispier {
/// Cache of object files. A key covers all inputs of the compilation.
class ObjectStore {
public:
  virtual ~ObjectStore() = default;
  /// Returns the cached object; null if there is none.
  virtual std::unique_ptr<llvm::MemoryBuffer> find(llvm::StringRef name) = 0;
  virtual void store(llvm::StringRef name, llvm::StringRef object) = 0;
};

/// The functions and variables that a module uses but does not define.
std::vector<std::string> externalNames(const llvm::Module &module);

/// Compiles and owns modules, and opens the libraries that they use. The destructor unloads the code; libraries stay
/// open until the process ends.
class Jit {
public:
  /// `objects`: cache to consult before compiling; may be null, else must outlive this object.
  static llvm::Expected<std::unique_ptr<Jit>> create(const CpuOptions &options, ObjectStore *objects = nullptr);
  ~Jit();

  llvm::TargetMachine &machine() { return *targetMachine; }

  /// Opens a shared library. Its symbols are resolved after those of the process.
  llvm::Error addLibrary(llvm::StringRef path);
  /// Returns those of the names that neither the process nor a library defines.
  std::vector<std::string> unresolved(llvm::ArrayRef<std::string> names) const;

  /// Compiles a module, which must be for machine(), without the cache.
  llvm::Error add(llvm::Module &module);
  /// Adds a program: its first unit is compiled when its entry is looked up, each other one on the first call of one of
  /// its functions, unless the cache has its object. If the first cannot be compiled, `find` returns the error; if
  /// another cannot, the process prints why and ends with status 1. `units` must outlive this object. At most one
  /// program.
  llvm::Error add(llvm::ArrayRef<CodeUnit> units);
  /// Returns the address of a defined function; if a program has been added, of one of the program.
  llvm::Expected<void *> find(llvm::StringRef name);
  /// The functions compiled so far.
  const CodeMap &codeMap() const { return code; }

private:
  class LazyUnit;
  Jit();
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> objectOf(const CodeUnit &unit);

  std::unique_ptr<llvm::TargetMachine> targetMachine;
  CodeMap code; ///< Declared before the JIT, which adds to it.
  std::unique_ptr<llvm::orc::LLJIT> jit;
  std::unique_ptr<llvm::orc::LazyCallThroughManager> callThrough;
  std::unique_ptr<llvm::orc::IndirectStubsManager> stubs;
  llvm::orc::JITDylib *program = nullptr; ///< The units; their stubs are in the main one.
  CodeEffort effort = CodeEffort::Full;
  ObjectStore *objects = nullptr;
  bool runs = false;    ///< An address has been handed out.
  std::mutex compiling; ///< Guards the one target machine: several threads may call kernels for the first time.
  std::vector<void *> libraries;
};
} // namespace lispier
#endif
