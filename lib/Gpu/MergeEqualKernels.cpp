//===- MergeEqualKernels.cpp - one kernel for several equal ones ----------===//
//
// Before: a kernel for each launch of the source. After: of kernels in one gpu.module
// that differ in names and locations only, the first, which all their launches use.
// Functions that are compiled for several types or options have most kernels in
// common, and later passes and code generation take most of the compile time.
//
//===----------------------------------------------------------------------===//

#include "lispier/Device/DistinctFunctions.h"
#include "lispier/Device/Launches.h"
#include "lispier/Gpu/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_MERGEEQUALKERNELS
#include "lispier/Gpu/Passes.h.inc"

namespace {
SymbolRefAttr nameOf(gpu::GPUFuncOp kernel) {
  auto module = kernel->getParentOfType<gpu::GPUModuleOp>();
  return SymbolRefAttr::get(module.getNameAttr(), {FlatSymbolRefAttr::get(kernel.getNameAttr())});
}

struct MergeEqualKernels : impl::MergeEqualKernelsBase<MergeEqualKernels> {
  void runOnOperation() override {
    llvm::DenseMap<SymbolRefAttr, SmallVector<gpu::LaunchFuncOp>> launches;
    device::forEachLaunch(getOperation(),
                          [&](gpu::LaunchFuncOp launch) { launches[launch.getKernelAttr()].push_back(launch); });
    for (auto kernels : getOperation().getOps<gpu::GPUModuleOp>())
      merge(kernels, launches);
  }

  static void merge(gpu::GPUModuleOp kernels,
                    const llvm::DenseMap<SymbolRefAttr, SmallVector<gpu::LaunchFuncOp>> &launches) {
    DistinctFunctions kept;
    for (auto kernel : llvm::make_early_inc_range(kernels.getOps<gpu::GPUFuncOp>())) {
      auto uses = launches.find(nameOf(kernel));
      if (!kernel.isKernel() || uses == launches.end())
        continue; // A kernel without launches is there for another program, which knows its name.
      auto equal = cast_or_null<gpu::GPUFuncOp>(kept.equalOf(kernel).getOperation());
      if (!equal)
        continue;
      for (gpu::LaunchFuncOp launch : uses->second)
        launch.setKernelAttr(nameOf(equal));
      kernel.erase();
    }
  }
};
} // namespace
} // namespace lispier
