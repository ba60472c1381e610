//===- Kernels.h - kernels and launches -------------------------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_KERNELS_H
#define LISPIER_LIB_IRGEN_KERNELS_H

#include "Part.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

namespace lispier {
/// Kernels, their launches, and the functions that they call.
class KernelGenerator : public Part {
public:
  using Part::Part;
  void collectKernel(const Form *form);
  void defineKernel(const Form *form);
  mlir::FailureOr<Values> emitLaunch(const Form *form);
  /// What the map of a launch says; `shared` is null when it says nothing of it.
  struct LaunchShape {
    llvm::SmallVector<mlir::Value, 3> grid, block, cluster; ///< cluster: empty when blocks are alone.
    mlir::Value shared;
  };
  mlir::FailureOr<Values> emitShared(const Form *form);
  mlir::FailureOr<Values> emitReduce(const Form *form, SpecialForm kind);
  /// Functions of the program that kernels call, copied to where kernels can see them.
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
