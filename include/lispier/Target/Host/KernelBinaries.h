//===- KernelBinaries.h - binaries that threads make ------------*- C++ -*-===//
//
// Code generation of kernels takes most of the time of compilation, and the host code
// needs the names of the binaries only. So threads make the binaries while the host
// code is lowered, and they are linked to it at the end.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_TARGET_HOST_KERNELBINARIES_H
#define LISPIER_TARGET_HOST_KERNELBINARIES_H

#include "lispier/Target/Backend/Backend.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/ThreadPool.h"
#include <atomic>
#include <map>
#include <memory>
#include <mutex>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace lispier {
class KernelBinaries {
public:
  KernelBinaries() = default;
  /// Waits for the jobs that have begun.
  ~KernelBinaries();

  /// Begins to make a binary. Several threads may call this at once. `symbol` names it in the host code; `place` is
  /// that of its gpu.module.
  void make(llvm::StringRef symbol, mlir::Location place, BinaryJob job);

  bool empty() const { return made.empty(); }
  bool defines(llvm::StringRef symbol) const;

  /// Waits for all binaries. Returns a module that defines the symbols (device.code in DeviceOps.td); reports an error
  /// for each binary that could not be made, and returns null.
  std::unique_ptr<llvm::Module> take(llvm::LLVMContext &context);

private:
  struct Binary {
    mlir::Location place;
    BinaryJob job;
    llvm::Expected<GpuBytes> bytes = GpuBytes();
  };

  std::mutex adding;
  std::map<std::string, Binary> made; ///< By symbol, so that their order does not depend on threads.
  std::atomic<bool> dropped = false;
  llvm::DefaultThreadPool threads; ///< Last, so that it is destroyed first.
};
} // namespace lispier
#endif
