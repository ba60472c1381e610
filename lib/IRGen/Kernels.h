//===- Kernels.h - kernels and launches -------------------------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_KERNELS_H
#define LISPIER_LIB_IRGEN_KERNELS_H

#include "Part.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

namespace lispier {
/// Generates kernels, launches, and device copies of the functions that kernels call.
class KernelGenerator : public Part {
public:
  using Part::Part;
  void collectKernel(const Form *form);
  void defineKernel(const Form *form);
  mlir::FailureOr<Values> emitLaunch(const Form *form);
  /// The sizes in a launch's map. `shared`: dynamic shared memory in bytes, null if not given.
  struct LaunchShape {
    llvm::SmallVector<mlir::Value, 3> grid, block, cluster; ///< cluster: empty without clusters.
    mlir::Value shared;
  };
  mlir::FailureOr<Values> emitShared(const Form *form);
  mlir::FailureOr<Values> emitReduce(const Form *form, SpecialForm kind);
  /// Copies the functions that kernels call into the gpu.module, where kernels can reference their symbols.
  void copyDeviceFunctions();

private:
  mlir::FailureOr<Values> emitLaunchBody(const Form *form, const Form *map);
  bool launchShape(const Form *form, const Form *map, llvm::ArrayRef<llvm::StringRef> keys, LaunchShape &shape);
  bool launchSizes(const Form *form, const Form *sizes, llvm::MutableArrayRef<mlir::Value> out);
  bool launchArguments(const Form *form, const FunctionInfo &kernel, llvm::SmallVectorImpl<mlir::Value> &out);
  void checkRecursion(const llvm::SetVector<mlir::func::FuncOp> &called);
  void dropHostVersions(const llvm::SetVector<mlir::func::FuncOp> &called,
                        const llvm::SetVector<mlir::func::FuncOp> &outlined);

  llvm::StringMap<FunctionInfo> kernels;
};
} // namespace lispier
#endif
