//===- VendorPasses.cpp - passes that differ between vendors --------------===//
//
// A part of the list of all passes (Pipeline.cpp): those of the device phase.
//
//===----------------------------------------------------------------------===//
#include "VendorPasses.h"
#include "lispier/Kernels/Passes.h"
#include "lispier/Pipeline/Passes.h"
#include "lispier/Target/Amd/Passes.h"
#include "lispier/Target/Backend/Passes.h"
#include "lispier/Target/Host/Gpu.h"
#include "lispier/Target/Nvidia/Passes.h"
#include "lispier/TargetInfo/TargetNames.h"
#include "mlir/Conversion/AMDGPUToROCDL/AMDGPUToROCDL.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/GPUToROCDL/GPUToROCDLPass.h"
#include "mlir/Conversion/NVGPUToNVVM/NVGPUToNVVM.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace lispier {
namespace {
/// Scopes of functions in the LLVM dialect, without which LLVM emits no line numbers.
void addLineScopes(OpPassManager &kernels, LLVM::DIEmissionKind kind) {
  kernels.addPass(createFlattenLocations()); // To those that scopes support.
  kernels.addPass(createNestModule());       // Scopes are for a builtin.module.
  kernels.addNestedPass<ModuleOp>(LLVM::createDIScopeForLLVMFuncOpPass({kind}));
  kernels.addPass(createUnnestModules());
}

void addNvidiaPasses(OpPassManager &kernels, const GpuChip &chip) {
  kernels.addPass(createTileOpsToNvvm());
  kernels.addPass(createFlushExponentials());
  kernels.addPass(createTensorMapArguments());
  kernels.addPass(createConvertNVGPUToNVVMPass());
  kernels.addPass(
      createShuffleByMask()); // The conversion would use the mask of the warp's first lanes for every group.
  kernels.addPass(createVectorsToLlvm()); // What is left, the next pass converts.
  ConvertGpuOpsToNVVMOpsOptions options;
  options.useBarePtrCallConv = true;
  options.hasRedux = false;
  kernels.addPass(createConvertGpuOpsToNVVMOps(options));
  kernels.addPass(createReconcileUnrealizedCastsPass());
  kernels.addPass(createCheckChip());             // Before ops become inline PTX.
  kernels.addPass(createConvertNVVMToLLVMPass()); // Ops without an LLVM intrinsic become inline PTX.
  kernels.addPass(createReconcileUnrealizedCastsPass());
  kernels.addPass(createCanonicalize());    // Without CSE: LLVM merges equal values first of all.
  kernels.addPass(createLowerPrefetches()); // Once it is known which addresses come from parameters.
  // PTX has .loc directives; DWARF sections would make ptxas disable optimisation.
  addLineScopes(kernels, LLVM::DIEmissionKind::DebugDirectivesOnly);
}

void addAmdPasses(OpPassManager &kernels, const GpuChip &chip) {
  kernels.addPass(createTileOpsToAmdgpu());
  kernels.addPass(createReduceByDpp({chip.name, chip.info.warpWidth})); // Makes ops that the conversions below lower.
  kernels.addPass(createReadLaunchSizes());                             // The conversion would call the device library.
  kernels.addPass(createShuffleUpByIndex()); // The conversion would treat a negative lane as valid.
  ConvertAMDGPUToROCDLPassOptions vendorOps;
  vendorOps.chipset = chip.name;
  kernels.addPass(createConvertAMDGPUToROCDLPass(vendorOps));
  kernels.addPass(createSharedVectors()); // The next pass supports numeric memory spaces only.
  kernels.addPass(createConvertVectorToLLVMPass());
  ConvertGpuOpsToROCDLOpsOptions options;
  options.chipset = chip.name;
  options.useBarePtrCallConv = true;
  options.runtime = gpu::amd::Runtime::HIP;
  kernels.addPass(createConvertGpuOpsToROCDLOps(options));
  kernels.addPass(createReconcileUnrealizedCastsPass());
  kernels.addPass(createCanonicalize());
  kernels.addPass(createCSEPass());
  addLineScopes(kernels, LLVM::DIEmissionKind::LineTablesOnly);
}

void nothing(OpPassManager &) {}
} // namespace

ArrayRef<VendorPasses> vendorPasses() {
  static constexpr VendorPasses kVendors[] = {
      {kCudaName.name,
       [](OpPassManager &kernels) { kernels.addPass(createMarkWaitingKernels()); },
       addNvidiaPasses,
       [](OpPassManager &kernels) {
         kernels.addPass(createCompareToBits());
         kernels.addPass(createPreferRegisters());
         kernels.addPass(createPassByValue());
       },
       [](OpPassManager &kernels) { kernels.addPass(createTileOpsToNvvm({/*warpgroups=*/false})); },
       {"nvvm-attach-target", "convert-gpu-to-nvvm", "convert-nvgpu-to-nvvm", "", ""}},
      {kRocmName.name,
       nothing,
       addAmdPasses,
       nothing,
       [](OpPassManager &kernels) { kernels.addPass(createTileOpsToAmdgpu({/*keepStores=*/false})); },
       {"rocdl-attach-target", "convert-gpu-to-rocdl", "convert-amdgpu-to-rocdl", "lispier-read-launch-sizes",
        "chipset=$ runtime=HIP"}},
  };
  return kVendors;
}

const VendorPasses &vendorPassesOf(const GpuBackend &backend) {
  auto *vendor = llvm::find_if(vendorPasses(), [&](const VendorPasses &row) { return row.backend == backend.name(); });
  assert(vendor != vendorPasses().end() && "each backend has a row");
  return *vendor;
}
} // namespace lispier
