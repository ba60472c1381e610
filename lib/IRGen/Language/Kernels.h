//===- Kernels.h - kernels and launches -------------------------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_LANGUAGE_KERNELS_H
#define LISPIER_LIB_IRGEN_LANGUAGE_KERNELS_H

#include "Generator.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

namespace lispier {
/// Generates kernels, launches, and device copies of the functions that kernels call.
class KernelGenerator : public LanguagePart {
public:
  using LanguagePart::LanguagePart;
  /// Records the signature of (defkernel name [(: parameter type) ...] body ...).
  void collectKernel(const Form *form);
  /// Generates that kernel.
  void defineKernel(const Form *form);
  /// (launch kernel {:grid [x y z] ...} argument ...), or (launch {:grid [x y z] ...} body ...).
  mlir::FailureOr<Values> emitLaunch(const Form *form);
  /// The sizes that a launch's map gives under these names, three of each, 1 where it gives none. `shared`: dynamic
  /// shared memory in bytes, null if not given.
  struct LaunchShape {
    llvm::SmallVector<mlir::Value, 3> grid, block, cluster; ///< cluster: empty without clusters.
    mlir::Value shared;
  };
  /// (shared type [sizes])
  mlir::FailureOr<Values> emitShared(const Form *form);
  /// (warp-reduce :add value), (block-reduce :add value)
  mlir::FailureOr<Values> emitReduce(const Form *form, SpecialForm kind);
  /// Copies the functions and constant globals that kernels use into the gpu.module, where kernels can reference their
  /// symbols. Of functions that only threads can run, erases the host's versions, or makes them private where launch
  /// bodies call them. Reports calls that cannot be: of recursive functions, of the host's by kernels, of threads' by
  /// the host.
  void copyDeviceFunctions();
  /// The gpu.module of all kernels. The first call creates it at the end of the program's module, and leaves the
  /// insertion point behind it.
  mlir::gpu::GPUModuleOp kernelModule(const Form *form);
  /// A reference to a kernel of that module.
  mlir::SymbolRefAttr symbolOf(llvm::StringRef kernel);
  bool contains(llvm::StringRef name) const { return kernels.contains(name); }
  /// Reads the sizes in a launch's `map`, whose keys must be among `keys`. False after an error.
  bool launchShape(const Form *form, const Form *map, llvm::ArrayRef<llvm::StringRef> keys, LaunchShape &shape);
  /// Generates the arguments that follow kernel and map in a launch, with the types of the kernel's parameters. False
  /// after an error.
  bool launchArguments(const Form *form, const FunctionInfo &kernel, llvm::SmallVectorImpl<mlir::Value> &out);
  /// Reports recursion among the functions that kernels call. Returns whether there is none.
  bool checkRecursion(const llvm::SetVector<mlir::func::FuncOp> &called);

private:
  bool checkSizes(const Form *form, const FunctionInfo &kernel, mlir::ValueRange arguments);
  mlir::FailureOr<Values> emitLaunchBody(const Form *form, const Form *map);
  bool launchSizes(const Form *form, const Form *sizes, llvm::MutableArrayRef<mlir::Value> out);
  void dropHostVersions(const llvm::SetVector<mlir::func::FuncOp> &called,
                        const llvm::SetVector<mlir::func::FuncOp> &outlined);

  llvm::StringMap<FunctionInfo> kernels;
  llvm::DenseSet<mlir::Operation *> reportedRecursion; ///< Calls.
};
} // namespace lispier
#endif
