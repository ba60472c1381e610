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
#include "llvm/ADT/StringMap.h"
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
/// Where the kernels of a gpu.module are in the source, by name.
using KernelPlaces = llvm::StringMap<mlir::Location>;

/// Emits a remark for each kernel on what it takes of a multiprocessor.
void explainResources(llvm::ArrayRef<KernelResources> resources, const KernelPlaces &places);

class KernelBinaries {
public:
  KernelBinaries() = default;
  /// Waits for the jobs that have begun.
  ~KernelBinaries();

  /// Begins to make a binary. Several threads may call this at once. `symbol` names it in the host code; `place` is
  /// that of its gpu.module, `kernels` those of what is in it.
  void make(llvm::StringRef symbol, mlir::Location place, KernelPlaces kernels, BinaryJob job);

  bool empty() const { return made.empty(); }
  bool defines(llvm::StringRef symbol) const;

  /// Waits for all binaries. Returns a module that defines the symbols (device.code in DeviceOps.td), and emits remarks
  /// on the resources that are known; reports an error for each binary that could not be made, and returns null.
  std::unique_ptr<llvm::Module> take(llvm::LLVMContext &context);

private:
  struct Binary {
    mlir::Location place;
    KernelPlaces kernels;
    BinaryJob job;
    llvm::Expected<GpuBinary> binary = GpuBinary();
  };

  std::mutex adding;
  std::map<std::string, Binary> made; ///< By symbol, so that their order does not depend on threads.
  std::atomic<bool> dropped = false;
  llvm::DefaultThreadPool threads; ///< Last, so that it is destroyed first.
};
} // namespace lispier
#endif
