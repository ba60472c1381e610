//===- GpuPhase.cpp - from loops to kernels, in order ---------------------===//
#include "lispier/Gpu/GpuPhase.h"
#include "lispier/Gpu/Passes.h"
#include "lispier/Loops/Passes.h"
#include "lispier/Math/Passes.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/SCFToGPU/SCFToGPUPass.h"
#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace lispier {
namespace {
/// Several functions at a time; passes on the whole module would take one after the other.
void addCleanup(OpPassManager &module) {
  auto add = [](OpPassManager &function) {
    function.addPass(createCanonicalizerPass());
    function.addPass(createCSEPass());
  };
  OpPassManager &kernels = module.nest<gpu::GPUModuleOp>();
  add(kernels.nest<func::FuncOp>());
  add(kernels.nest<gpu::GPUFuncOp>());
  add(module.nest<func::FuncOp>());
}
} // namespace

void addLaunches(OpPassManager &module, const TargetInfo &info) {
  OpPassManager &functions = module.nest<func::FuncOp>();
  functions.addPass(createForallToParallelLoopPass());
  functions.addPass(createLinalgToParallel());
  functions.addPass(createPromoteAccumulators());
  functions.addPass(createCoarsenReductions());
  // Of the coarse loop's loads most are the same; the loops are not nested yet.
  functions.addPass(createCSEPass());
  // From here to the launch no canonicalizer: it would merge the tile loops with the loops inside them.
  functions.addPass(createTileParallel({info.defaultBlockThreads}));
  functions.addPass(createMapParallelToGrid());
  module.addPass(createConvertParallelLoopToGpuPass());
  module.addPass(createLowerAffinePass());
  module.addPass(createPlaceKernelMemory());
  addCleanup(module);
  // Constants and sizes that a kernel can compute itself are no parameters.
  module.addPass(createGpuLaunchSinkIndexComputationsPass());
  module.addPass(createGpuKernelOutliningPass());
  module.addPass(createSymbolDCEPass()); // What only kernels call is with them now.
}

void addGpuPhase(OpPassManager &module, const TargetInfo &info) {
  addLaunches(module, info);
  module.addPass(createMergeGpuModules());
  module.addPass(createInferBlockSize());
  module.addPass(createFlattenKernelArguments());
  addCleanup(module);
}

void addKernelPhase(OpPassManager &kernels, const TargetInfo &info) {
  kernels.addPass(createInlineDeviceFunctions());
  kernels.addPass(createSymbolDCEPass());
  kernels.addPass(createConvertLinalgToLoopsPass()); // inside one thread
  kernels.addPass(createPlaceKernelMemory());
  kernels.addPass(createExpandAtomics());
  kernels.addPass(createLowerGroupOps({info.warpWidth, info.shuffleMasks}));
  // Contraction is for the user's arithmetic; the expansions below are written for their exact operations.
  kernels.addPass(createAllowContraction());
  kernels.addPass(createExpandMath({{"powf", "fpowi"}, /*standalone=*/true})); // all but what the next has products for
  kernels.addPass(math::createMathExpandOpsPass({{"powf", "fpowi"}})); // it takes exp(y log x), which has no negative x
  kernels.addPass(createExpandArithmetic());
  kernels.addPass(createExpandMath({{}, /*standalone=*/true}));
  kernels.addPass(createMathToIntrinsics());
  kernels.addPass(createConvertVectorToSCFPass(VectorTransferToSCFOptions().enableFullUnroll()));
  kernels.addPass(createLowerKernelVectors());
  kernels.addPass(createAlignVectors({info.vectorBytes}));
  kernels.addPass(createLowerAffinePass());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  kernels.addPass(createExpandShapes()); // what the next pass would die of
  kernels.addPass(memref::createExpandStridedMetadataPass());
  kernels.addPass(createLowerAffinePass());
  kernels.addPass(createSCFToControlFlowPass());
}
} // namespace lispier
