//===- MergeEqualKernels.cpp - one kernel for several equal ones ----------===//
//
// Before: a kernel for each launch of the source. After: of kernels in one gpu.module
// that differ in names and locations only, the first, which all their launches use.
// Functions that are compiled for several types or options have most kernels in
// common, and later passes and code generation take most of the compile time.
//
//===----------------------------------------------------------------------===//

#include "lispier/Gpu/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OperationSupport.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_MERGEEQUALKERNELS
#include "lispier/Gpu/Passes.h.inc"

namespace {
DictionaryAttr attributesButName(gpu::GPUFuncOp kernel) {
  NamedAttrList attributes(kernel->getAttrDictionary());
  attributes.erase(SymbolTable::getSymbolAttrName());
  return attributes.getDictionary(kernel.getContext());
}

/// Equal for equal kernels. Which values an op takes is left to the comparison.
llvm::hash_code hashOf(gpu::GPUFuncOp kernel) {
  llvm::hash_code hash = hash_value(attributesButName(kernel));
  kernel.getBody().walk([&](Operation *op) {
    hash = llvm::hash_combine(hash, OperationEquivalence::computeHash(op, OperationEquivalence::ignoreHashValue,
                                                                      OperationEquivalence::ignoreHashValue,
                                                                      OperationEquivalence::IgnoreLocations));
  });
  return hash;
}

bool areEqual(gpu::GPUFuncOp one, gpu::GPUFuncOp other) {
  return attributesButName(one) == attributesButName(other) &&
         OperationEquivalence::isRegionEquivalentTo(&one.getBody(), &other.getBody(),
                                                    OperationEquivalence::IgnoreLocations);
}

SymbolRefAttr nameOf(gpu::GPUFuncOp kernel) {
  auto module = kernel->getParentOfType<gpu::GPUModuleOp>();
  return SymbolRefAttr::get(module.getNameAttr(), {FlatSymbolRefAttr::get(kernel.getNameAttr())});
}

struct MergeEqualKernels : impl::MergeEqualKernelsBase<MergeEqualKernels> {
  void runOnOperation() override {
    llvm::DenseMap<SymbolRefAttr, SmallVector<gpu::LaunchFuncOp>> launches;
    getOperation().walk([&](gpu::LaunchFuncOp launch) { launches[launch.getKernelAttr()].push_back(launch); });
    for (auto kernels : getOperation().getOps<gpu::GPUModuleOp>())
      merge(kernels, launches);
  }

  static void merge(gpu::GPUModuleOp kernels,
                    const llvm::DenseMap<SymbolRefAttr, SmallVector<gpu::LaunchFuncOp>> &launches) {
    llvm::DenseMap<size_t, SmallVector<gpu::GPUFuncOp, 1>> kept; // By hash.
    for (auto kernel : llvm::make_early_inc_range(kernels.getOps<gpu::GPUFuncOp>())) {
      auto uses = launches.find(nameOf(kernel));
      if (!kernel.isKernel() || uses == launches.end())
        continue; // A kernel without launches is there for another program, which knows its name.
      SmallVectorImpl<gpu::GPUFuncOp> &candidates = kept[hashOf(kernel)];
      auto *equal = llvm::find_if(candidates, [&](gpu::GPUFuncOp candidate) { return areEqual(candidate, kernel); });
      if (equal == candidates.end()) {
        candidates.push_back(kernel);
        continue;
      }
      for (gpu::LaunchFuncOp launch : uses->second)
        launch.setKernelAttr(nameOf(*equal));
      kernel.erase();
    }
  }
};
} // namespace
} // namespace lispier
