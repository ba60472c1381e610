//===- Pipeline.cpp - every pass, in order --------------------------------===//
//
// All passes that compile a program, one line per pass, with the reason for its
// position.
//
//===----------------------------------------------------------------------===//
#include "lispier/Pipeline/Pipeline.h"
#include "VendorPasses.h"
#include "lispier/Buffers/Passes.h"
#include "lispier/Device/Passes.h"
#include "lispier/Differentiate/Passes.h"
#include "lispier/Gpu/Passes.h"
#include "lispier/Kernels/KernelSource.h"
#include "lispier/Kernels/Passes.h"
#include "lispier/Loops/Passes.h"
#include "lispier/Math/Passes.h"
#include "lispier/NN/Passes.h"
#include "lispier/Pipeline/Passes.h"
#include "lispier/Schedule/Passes.h"
#include "lispier/Target/Backend/Passes.h"
#include "lispier/Target/Cpu/Passes.h"
#include "lispier/Target/Host/Passes.h"
#include "lispier/Target/Nvidia/Passes.h"
#include "lispier/Target/Sim/Passes.h"
#include "lispier/TargetInfo/TargetNames.h"
#include "lispier/Tensor/Passes.h"
#include "lispier/Tiles/Passes.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ComplexToStandard/ComplexToStandard.h"
#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Conversion/MathToFuncs/MathToFuncs.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/SCFToGPU/SCFToGPUPass.h"
#include "mlir/Dialect/Affine/Transforms/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
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
/// The prefix of the codes of run-time errors.
std::string codesOf(const PipelineOptions &options) {
  return options.target.gpu            ? options.target.gpu->backend->name().str()
         : options.target.checkKernels ? kSimName.name
                                       : kCpuName.name;
}

/// The tensor phase, and the implementations of nn ops: after it, where it makes such ops; else before it, which then
/// simplifies the implementations, too.
void addTensorsAndKernels(OpPassManager &pm, const PipelineOptions &options) {
  bool needsKernels = options.kernels && options.from < Stage::Tiles && options.until >= Stage::Tiles;
  if (needsKernels && !options.matchesKernels)
    addKernelBodies(pm, options);
  if (options.from < Stage::Tensor && options.until >= Stage::Tensor)
    addTensorPhase(pm, options);
  if (needsKernels && options.matchesKernels)
    addKernelBodies(pm, options);
}

/// Checks of host code that need memrefs.
void addHostChecks(OpPassManager &pm, const PipelineOptions &options) {
  pm.addPass(createCheckHost({codesOf(options)}));
}
} // namespace

void addCpuPipeline(OpPassManager &pm, const PipelineOptions &options) {
  auto passes = [&](Stage stage) { return options.from < stage && options.until >= stage; };
  addTensorsAndKernels(pm, options);
  if (options.target.checkKernels && options.from < Stage::Target && options.until > Stage::Tensor)
    pm.addPass(createAttachTarget({options.target.name()})); // Passes from here on ask for its TargetInfo.
  if (passes(Stage::Tiles))
    addTilesPhase(pm, options);
  if (passes(Stage::Loops))
    addLoopsPhase(pm, options);
  if (passes(Stage::Target)) {
    addHostKernelsPhase(pm, options);
    addHostChecks(pm, options);
    addCpuPhase(pm, options);
  }
}

llvm::SmallVector<std::string> PipelineOptions::targetNames() const {
  KernelTarget kernels = kernelTarget();
  llvm::SmallVector<std::string> names{target.name(), codesOf(*this), kernels.name};
  names.append(kernels.abilities.begin(), kernels.abilities.end());
  return names;
}

namespace {
SelectTemplatesOptions selection(const PipelineOptions &options, bool share) {
  KernelTarget target = options.kernelTarget();
  SelectTemplatesOptions selection;
  selection.target = target.name;
  selection.features.append(target.abilities.begin(), target.abilities.end());
  selection.why.append(options.whyKernels.begin(), options.whyKernels.end());
  selection.explainGroups = options.explainGroups;
  selection.share = share;
  return selection;
}

/// nn ops -> calls of templates that launch kernels, or loops for the generic lowering of addLaunches.
void addGpuTemplates(OpPassManager &pm, const PipelineOptions &options, bool share) {
  pm.addPass(createSplitNormLinear({/*oneRow=*/true})); // The fused op saves a launch for one token.
  pm.addPass(createSelectTemplates(selection(options, share)));
  pm.addNestedPass<func::FuncOp>(
      createKeepOnDevice()); // Sequential ops without a template, before they are host loops.
  pm.addPass(createDecomposeNN());
}

/// As function passes, which run on several functions in parallel; module passes would not.
void addToFunctions(OpPassManager &pm, llvm::function_ref<void(OpPassManager &)> add) {
  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>();
  add(kernels.nest<func::FuncOp>());
  add(kernels.nest<gpu::GPUFuncOp>());
  add(pm.nest<func::FuncOp>());
}

void addCleanup(OpPassManager &functions) {
  functions.addPass(createCanonicalize());
  functions.addPass(createCSEPass());
}

/// linalg on memrefs, scf loops and gpu.launch -> outlined kernels, which a simulator can run.
void addLaunches(OpPassManager &pm) {
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(createForallToParallelLoopPass());
  functions.addPass(createLinalgToParallel());
  functions.addPass(createPromoteAccumulators());
  functions.addPass(createCoarsenReductions());
  // Most of the coarse loop's loads are common subexpressions; the loops are not nested yet.
  functions.addPass(createCSEPass());
  // No canonicalizer from here to the launch: it would merge the tile loops with the loops inside them.
  functions.addPass(createTileParallel());
  functions.addPass(createMapParallelToGrid());
  functions.addPass(createConvertParallelLoopToGpuPass());
  addToFunctions(pm, [](OpPassManager &function) {
    function.addPass(createLowerAffinePass());
    function.addPass(createPlaceKernelMemory());
  });
  addCleanup(functions);
  // A kernel computes constants and sizes itself rather than take them as parameters.
  functions.addPass(createGpuLaunchSinkIndexComputationsPass());
  pm.addPass(createGpuKernelOutliningPass());
  pm.addPass(createSymbolDCEPass()); // Device functions have been copied beside their kernels.
}

/// Tile programs -> kernels of threads. Tiles keep their ops until here, since no pass before knows layouts. Host code
/// is left alone: it may hold loops of one step that become launches. `merge`: equal programs, as soon as no pass
/// distinguishes them by their launches.
void addTileDistribution(OpPassManager &pm, bool merge) {
  auto cleanUp = [&] {
    OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>().nest<gpu::GPUFuncOp>();
    kernels.addPass(createCanonicalize());
    kernels.addPass(createCSEPass());
  };
  cleanUp();                                                 // So that the next pass sees what constants divide.
  pm.addPass(createSpecializeAlignment());                   // While a kernel's accesses are few ops.
  pm.addPass(createSpecializeWarps());                       // While launches have the program's own grid.
  pm.addNestedPass<gpu::GPUModuleOp>(createKeepRows());      // Now that accesses know how long they may be.
  pm.addNestedPass<gpu::GPUModuleOp>(createPipelineTiles()); // While a loop's tiles are whole.
  pm.addPass(createOverlapTilePrograms()); // After loops begin copies, and while launches name the program's memory.
  if (merge) {
    pm.addPass(createMergeGpuModules());
    pm.addPass(createMergeEqualKernels());
  }
  pm.addNestedPass<gpu::GPUModuleOp>(createSplitProducts()); // After tiles are staged, so that terms are in registers.
  pm.addNestedPass<gpu::GPUModuleOp>(createLayOutTiles());
  pm.addPass(createDistributeTiles());
  pm.addPass(createShareMemory()); // Before the next, which would drop the tags of branches that all threads take.
  cleanUp();
}

/// Lowers a gpu.module to ops that the vendors' conversions support.
void addKernelPasses(OpPassManager &kernels) {
  kernels.addPass(createInlineDeviceFunctions());
  kernels.addPass(createSymbolDCEPass());
  kernels.addPass(createLinalgToSequentialLoops());
  kernels.addPass(createPlaceKernelMemory());
  kernels.addPass(createExpandAtomics());
  kernels.addPass(createLowerGroupOps());
  // Before the expansions below: their accuracy depends on the exact operations.
  kernels.addPass(createAllowContraction());
  kernels.addPass(createExpandMath({{"powf", "fpowi"}, /*standalone=*/true})); // Except constant exponents...
  kernels.addPass(createExpandPowers()); // ...which become products. Others would become exp(y log x), which is wrong
                                         // for negative x.
  kernels.addPass(createExpandArithmetic());
  kernels.addPass(createExpandMath({{}, /*standalone=*/true, /*instructions=*/true}));
  kernels.addPass(createMathToIntrinsics());
  kernels.addPass(createPackNarrowVectors()); // While a thread's part of a tile is one vector.
  kernels.addPass(createLowerKernelVectors());
  kernels.addPass(createUnrollVectorAccesses());
  kernels.addPass(createAlignVectors());
  kernels.addPass(createLowerAffinePass());
  kernels.addPass(createCanonicalize());
  kernels.addPass(createCSEPass());
  kernels.addPass(createExpandShapes()); // The next pass would crash on these.
  kernels.addPass(createExpandKernelViews());
  kernels.addPass(createLowerAffinePass());
  kernels.addPass(createAddressesBeforeBranches()); // Once each memref is a pointer with an offset and strides.
  kernels.addPass(createSCFToControlFlowPass());
}
} // namespace

void addGpuPhase(OpPassManager &pm) {
  addTileDistribution(pm, /*merge=*/true);
  pm.addPass(createPassTensorMaps()); // While kernels take memrefs.
  addLaunches(pm);
  pm.addPass(createMergeGpuModules()); // So that kernels share device functions.
  pm.addPass(createInferBlockSize());
  pm.addPass(createMergeEqualKernels()); // After the last pass that distinguishes kernels by their launches.
  pm.addPass(createFlattenKernelArguments());
  addToFunctions(pm, addCleanup);
}

void addKernelsPhase(OpPassManager &pm, const PipelineOptions &options) {
  pm.addPass(createCheckDeviceOps()); // Before any pass removes or lowers the ops that it reports.
  pm.addPass(createSplitKernels({/*opsPerPart=*/options.format ? 0u : SplitKernelsOptions().opsPerPart}));
  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>(); // Runs on all parts in parallel.
  if (!options.kernelsAreLowered)
    addKernelPasses(kernels);
  kernels.addPass(createDescribeKernels()); // While kernels have workgroup attributions and the launches' types.
}

void addDevicePhase(OpPassManager &pm, const PipelineOptions &options) {
  const GpuTarget &gpu = *options.target.gpu;
  const VendorPasses *vendor = &vendorPassesOf(*gpu.backend);
  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>();
  vendor->before(kernels);
  if (!options.kernelsAreLowered)
    vendor->lower(kernels, *gpu.chip);
  vendor->after(kernels);
}

void addSerialization(OpPassManager &pm, const PipelineOptions &options) {
  SerializeKernelsOptions serialize;
  serialize.format = options.format.value_or("");
  serialize.ptxas = options.tools.ptxas;
  serialize.fatbinary = options.tools.fatbinary;
  serialize.lld = options.tools.lld;
  serialize.explain = options.explainGroups;
  pm.addNestedPass<gpu::GPUModuleOp>(createSerializeKernels(serialize, options.binaries));
}

namespace {
/// Kernels of the LLVM dialect and the host code around them -> one module of the LLVM dialect.
void addHostPhase(OpPassManager &pm, const PipelineOptions &options) {
  addSerialization(pm, options);
  pm.addPass(createDropAsyncTokens()); // For input of --from=loops and later stages, which may have tokens.
  pm.addPass(createMarkDependentLaunches());
  pm.addPass(createEmbedKernels());
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass()); // Ops that no pass turned into a kernel.
  pm.addPass(memref::createExpandReallocPass());                    // CallDevice must see its allocations.
  pm.addPass(createLowerReplays());  // Before WaitForDevice, which then sees that a wait before the body covers it.
  pm.addPass(createDownloadLoads()); // Before WaitForDevice: loads of a copy need no wait.
  pm.addPass(createWaitForDevice());
  addHostChecks(pm, options); // After WaitForDevice: checks need no wait. Before CallDevice: copies still have shapes.
  pm.addPass(createCallDevice());
  addCpuPhase(pm, options);
}
} // namespace

void addGpuPipeline(OpPassManager &pm, const PipelineOptions &options) {
  auto passes = [&](Stage stage) { return options.from < stage && options.until >= stage; };
  addTensorsAndKernels(pm, options);
  if (options.from < Stage::Target && options.until > Stage::Tensor)
    pm.addPass(createAttachTarget({options.target.name()})); // Passes from here on ask for its TargetInfo.
  if (passes(Stage::Tiles))
    addTilesPhase(pm, options);
  if (passes(Stage::Loops))
    addGpuPhase(pm);
  if (passes(Stage::Kernels))
    addKernelsPhase(pm, options);
  if (passes(Stage::DeviceLlvm))
    addDevicePhase(pm, options);
  if (options.format)
    addSerialization(pm, options);
  else if (passes(Stage::Target))
    addHostPhase(pm, options);
}

/// Remarks on kernels, with times for the speed that is given or that of the chip, also of a simulated one.
static void addExplanation(OpPassManager &pm, const PipelineOptions &options) {
  const std::optional<GpuTarget> &gpu = options.target.gpu ? options.target.gpu : options.target.simulated;
  DeviceSpeed speed = gpu && !options.deviceSpeed.isKnown() ? gpu->chip->info.speed : options.deviceSpeed;
  if (options.timeGroups) // While matched kernels have their cost.
    pm.addNestedPass<func::FuncOp>(
        createTimeGroups({speed.gigabytes, speed.teraflops, speed.productFlops, speed.exponentials}));
  ExplainGroupsOptions explain;
  explain.sizes = llvm::to_vector(options.isolatedSizes);
  explain.gigabytes = speed.gigabytes;
  explain.teraflops = speed.teraflops;
  explain.productFlops = speed.productFlops;
  explain.exponentials = speed.exponentials;
  pm.addNestedPass<func::FuncOp>(createExplainGroups(explain));
}

/// A program that times one kernel, and compares it with the loops of the host that its ops are one by one.
static void addIsolation(OpPassManager &pm, const PipelineOptions &options) {
  pm.addPass(createIsolateGroup({options.isolatedGroup, llvm::to_vector(options.isolatedSizes)}));
  OpPassManager &reference = pm.nest<ModuleOp>(); // Bufferization is for modules.
  reference.addPass(createBufferizeTensors());
  reference.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  pm.addPass(createUnnestModules());
}

/// Without a library no group is matched.
static MatchKernelsOptions matching(const PipelineOptions &options) {
  MatchKernelsOptions matching;
  matching.multiprocessors = options.gpuInfo() ? options.gpuInfo()->multiprocessors : 0;
  matching.match = options.kernels != nullptr;
  matching.why.append(options.whyKernels.begin(), options.whyKernels.end());
  if (options.kernels && options.isPrinted) {
    matching.groups = options.kernels->groupKinds();
    matching.wideProduct = options.kernels->wideProduct();
    matching.wideFinishedProduct = options.kernels->wideFinishedProduct();
    matching.wideAttention = options.kernels->wideAttention();
  }
  return matching;
}

void addTensorPhase(OpPassManager &pm, const PipelineOptions &options) {
  pm.addPass(createNarrowIndices());     // Before canonicalization, which forgets them.
  pm.addPass(createInlineTensorCalls()); // Before groups form, which are in one function each.
  pm.addPass(
      createCheckPlacements({options.explainPlacements, /*early=*/true})); // While ops are as written, in one function.
  pm.addPass(createKeepEndlessLoops());                                    // Before anything dead is erased.
  OpPassManager &functions = pm.nest<func::FuncOp>();
  if (!options.target.gpu && !options.target.checkKernels)
    functions.addPass(createDropDownloads({/*asTensors=*/true})); // Before ops are compared and grouped.
  functions.addPass(createCanonicalize());                   // IRGen emits unoptimized code, with a constant per use.
  functions.addPass(createCSEPass());                        // Merges these constants.
  functions.addPass(createConvertElementwiseToLinalgPass()); // arith and math ops on tensors.
  pm.addPass(createSpecializeCalls());                       // While nothing depends on which sizes are known.
  if (options.fuse)
    pm.addNestedPass<func::FuncOp>(createFormStructures());    // While formulas are as written; gradients know the ops.
  pm.addPass(createDifferentiate({options.explainGradients})); // While each op is one form, so that rules are few.
  pm.addPass(
      createCheckPlacements({options.explainPlacements})); // Where gradients are sums over the ranks, these are added.
  pm.addPass(createSpecializeCalls());                     // What gradients call, and their loops.
  OpPassManager &joint = pm.nest<func::FuncOp>();
  if (options.fuse)
    joint.addPass(createFormStructures()); // Of what functions with rules of their own, and stops, have hidden.
  bool hasTiles = options.target.gpu || options.target.checkKernels;
  if (options.fuse)
    joint.addPass(createFormScans({/*inOrder=*/hasTiles})); // Once gradients are computed, which are of loops.
  if (options.fuse && hasTiles)
    joint.addPass(createDivideSpreadWindows()); // While windows are as written.
  if (options.fuse && hasTiles)
    joint.addPass(createSplitScans());   // Before elementwise ops are merged.
  joint.addPass(createSimplifyShapes()); // Before ops are compared by their loops.
  if (options.fuse)
    joint.addPass(createFuseElementwise()); // So that groups have few ops.
  joint.addPass(createCanonicalize());      // Operands that are equal now...
  joint.addPass(createCSEPass());           // ...and ops that are.
  joint.addPass(createFormGroups({/*alone=*/!options.fuse, /*tilePrograms=*/hasTiles,
                                  /*columnSums=*/hasTiles && options.fuse && options.matchesKernels,
                                  /*rings=*/hasTiles && options.gpuInfo() && options.gpuInfo()->has(Ability::Wgmma)}));
  if (!options.isolatedGroup.empty())
    return addIsolation(pm, options);
  pm.addPass(createPassDestinations()); // Once groups need sizes of nothing that a call returns.
  pm.addPass(createKeepReadValues());   // Once all ops are where they stay.
  if (!hasTiles)
    pm.addNestedPass<func::FuncOp>(createDropDownloads()); // The last that have kept reads apart from memory.
  pm.addPass(createPassTensorsToKernels());                // Until here kernels have tensors as other functions have.
  pm.addPass(createBufferizeTensors());                    // From here on there are memrefs only, outside of groups.
  pm.addPass(createKeepEndlessLoops({/*lower=*/true}));    // Once buffers are deallocated.
  pm.addPass(createJoinCollectives());                     // Before memory is reused.
  if (options.explainGroups)
    pm.addNestedPass<func::FuncOp>(createExplainGroups({.noteCosts = true}));
  if (options.matchesKernels)
    pm.addPass(createMatchKernels(matching(options), options.kernels)); // Before memory is reused.
  if (!options.precision.empty())
    pm.addNestedPass<func::FuncOp>(createSetPrecision({options.precision})); // Of what has no hand-written kernel.
  if (options.matchesKernels && hasTiles) {                                  // The same products.
    pm.addNestedPass<func::FuncOp>(createSplitSums({options.gpuInfo()->multiprocessors}));
    pm.addNestedPass<func::FuncOp>(createPackFactors({options.gpuInfo()->has(Ability::Wgmma)}));
  }
  pm.addPass(createPlanMemory({options.explainMemory})); // While what a group needs for itself is not yet memory.
  pm.addNestedPass<func::FuncOp>(createCanonicalize());  // Offsets of 0, and sizes that became constants.
  if (options.explainGroups)
    addExplanation(pm, options); // While groups are whole, for all targets alike.
}

namespace {
/// Host code on buffers -> scalar and vector loops, the parallel ones outlined.
void addHostLoops(OpPassManager &pm, const PipelineOptions &options) {
  pm.addPass(createLongVectorsToLinalg());                  // Of the source: no pass makes such vectors.
  pm.addNestedPass<func::FuncOp>(createDecomposeSoftmax()); // No pass below has a lowering for it.
  unsigned vectorBytes = llvm::is_contained(options.cpuFeatures, "avx512f") ? 64 : 32;
  if (!options.quick) {
    PackContractionsOptions products;
    products.vectorBytes = vectorBytes;
    products.pairs = llvm::is_contained(options.cpuFeatures, "avx512bf16");
    VectorizeLinalgOptions vectors{vectorBytes, products.pairs};
    products.tiles = llvm::is_contained(options.cpuFeatures, "amx-bf16");
    pm.addNestedPass<func::FuncOp>(createReadTileSources());          // While loads are copies.
    pm.addNestedPass<func::FuncOp>(createPackContractions(products)); // Its copies are linalg, too.
    pm.addNestedPass<func::FuncOp>(createFuseRows());                 // While a row's ops are whole.
    pm.addNestedPass<func::FuncOp>(createVectorizeLinalg(vectors));   // Why no transform schedule: lib/Loops/README.md.
  }
  pm.addNestedPass<func::FuncOp>(createLowerScans({vectorBytes})); // No other pass lowers these.

  // Parallel loops stay scf.parallel until they are outlined.
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToParallelLoopsPass());
  pm.addNestedPass<func::FuncOp>(mlir::createForallToParallelLoopPass());
  pm.addPass(createLowerAffinePass()); // affine.parallel becomes scf.parallel.

  pm.addNestedPass<func::FuncOp>(createCanonicalize()); // Simplifies loop bounds that the conversions made.
  pm.addNestedPass<func::FuncOp>(createCSEPass());
  if (!options.quick) {
    pm.addNestedPass<func::FuncOp>(createHoistInvariants()); // Size computations, out of inner loops.
    OutlineParallelOptions threads;
    threads.vectorBytes = vectorBytes;
    pm.addPass(
        createOutlineParallel(threads));     // No later pass handles scf.parallel: the remaining ones run sequentially.
    pm.addPass(createMergeEqualFunctions()); // Before the bodies grow.
  }
}
} // namespace

void addKernelBodies(OpPassManager &pm, const PipelineOptions &options) {
  pm.addPass(createAddKernels({llvm::to_vector(options.whyKernels)}, options.kernels));
}

void addTilesPhase(OpPassManager &pm, const PipelineOptions &options) {
  pm.addNestedPass<gpu::GPUModuleOp>(createGuardLanes()); // Of the program's tile programs; the next pass makes more.
  ScheduleGroupsOptions schedules{options.explainGroups, {}};
  if (options.target.gpu || options.target.simulated)
    addTileDistribution(schedules.trial.emplace_back(ModuleOp::getOperationName()), /*merge=*/false);
  // While groups are whole; for targets that have tile programs.
  pm.addPass(createScheduleGroups(std::move(schedules)));
  if (!options.target.gpu && !options.target.checkKernels && !options.quick)
    pm.addNestedPass<func::FuncOp>(
        createAttendInBlocks({options.explainGroups})); // While groups are whole; on CPUs these have no schedule.
  pm.addNestedPass<func::FuncOp>(createInlineGroups()); // Groups without a schedule of their own.
  pm.addPass(createDropAsyncTokens()); // There is one queue, so that later passes need not support tokens.
  pm.addPass(createChooseTileConstants({options.targetNames()})); // Before the programs not chosen cost time.
  if (options.target.gpu || options.target.checkKernels) {
    // The simulator runs the kernels of a GPU. It shares no clones among nn ops, so that errors name the right op.
    addGpuTemplates(pm, options, /*share=*/options.target.gpu.has_value());
    return;
  }
  pm.addPass(createSplitNormLinear());                                   // Into two ops that have templates.
  pm.addPass(createSelectTemplates(selection(options, /*share=*/true))); // Of lib/Kernels and of the program.
  pm.addPass(createDecomposeNN());                                       // Ops without a template.
}

void addLoopsPhase(OpPassManager &pm, const PipelineOptions &options) {
  if (options.target.simulated) {
    addTileDistribution(pm, /*merge=*/false); // An error names the launch of each.
    vendorPassesOf(*options.target.simulated->backend).lowerTiles(pm.nest<gpu::GPUModuleOp>());
  }
  if (options.target.checkKernels)
    addLaunches(pm);
  pm.addNestedPass<func::FuncOp>(createCanonicalize()); // Folds a clone's constants before outlining makes
                                                        // them parameters.
  pm.addPass(createGpuKernelOutliningPass());
  pm.addPass(createSymbolDCEPass()); // Device functions have been copied beside their kernels.
  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>();
  kernels.addNestedPass<gpu::GPUFuncOp>(createCanonicalize()); // A tile that several ops use is made once.
  kernels.addNestedPass<gpu::GPUFuncOp>(createCSEPass());
  kernels.addPass(
      createTilesToLinalg({/*readInPlace=*/!options.target.checkKernels})); // Of a block that is one thread.
  if (!options.target.checkKernels)
    pm.addPass(createTileLaunchesToLoops()); // While launches have their grid, and before parallel loops are outlined.
  pm.addPass(createHostGpuMemory());         // Before linalg is lowered: gpu.memset becomes linalg.fill.
  if (!options.target.checkKernels)          // The simulator checks accesses before lowerings add some of their own.
    addHostLoops(pm, options);
}

void addHostKernelsPhase(OpPassManager &pm, const PipelineOptions &options) {
  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>();
  kernels.addPass(createConvertLinalgToLoopsPass()); // Sequential loops of one thread.
  kernels.addPass(createLowerAffinePass());          // Affine loads and stores are checked too.
  kernels.addPass(createUnrollVectorAccesses());     // The simulator checks vector accesses row by row.
  if (options.target.checkKernels) {
    kernels.addPass(createExpandMath({{}, /*standalone=*/true})); // As on a GPU, which has no C library.
  } else {
    kernels.addPass(createForallToParallelLoopPass());
    auto add = [&](OpPassManager &function) { // As in addHostLoops.
      function.addPass(createCanonicalize());
      function.addPass(createCSEPass());
      if (!options.quick)
        function.addPass(createHoistInvariants());
    };
    add(kernels.nest<gpu::GPUFuncOp>());
    add(kernels.nest<func::FuncOp>());
  }
  pm.addPass(createGpuToHost({options.target.checkKernels, options.target.warpSize}));
  if (!options.target.checkKernels)
    return;
  pm.addPass(createCheckKernels());                             // While accesses have memrefs with shapes.
  pm.addNestedPass<func::FuncOp>(createUnrollVectorAccesses()); // In host code, for TrackMemory.
  pm.addPass(memref::createExpandReallocPass());                // TrackMemory must see its allocations.
  pm.addPass(createTrackMemory());                              // Before outlining, which adds accesses to host code.
  addHostLoops(pm, options);
}

namespace {
/// Lowers vector ops of rank above one, and ops that convert-vector-to-llvm silently skips.
void addVectorLowering(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createLowerContractions());
  pm.addNestedPass<func::FuncOp>(createLowerHostVectors());
  pm.addNestedPass<func::FuncOp>(createUnrollVectorAccesses()); // From the source, or made by the last pass.
}
} // namespace

void addCpuPhase(OpPassManager &pm, const PipelineOptions &options) {
  pm.addPass(createCallComm(
      {/*onDevice=*/options.target.gpu.has_value()})); // After CallDevice, which sees what is in device memory.
  CheckProcessorOpsOptions processor;
  processor.features.assign(options.cpuFeatures.begin(), options.cpuFeatures.end());
  pm.addPass(createCheckProcessorOps(processor)); // Before ops become intrinsics.
  pm.addPass(createCallKernelTimes());            // After WaitForDevice, which would wait for pointers' memory.
  if (options.interruptible)
    pm.addPass(createCheckInterrupts());            // While loops are loops.
  pm.addPass(createReportAssertions());             // While structured control flow permits a branch in a loop.
  pm.addPass(createConvertComplexToStandardPass()); // Before the math passes: creates square roots and logarithms.
  ExpandMathOptions math;
  math.scaling = llvm::is_contained(options.cpuFeatures, "avx512f");
  pm.addPass(createExpandMath(math)); // Before vectors are split: libm has scalar functions only.
  bool roundsVectors = llvm::is_contained(options.cpuFeatures, "avx512bf16");
  pm.addPass(createRoundToBFloat16({/*vectors=*/!roundsVectors})); // After ExpandMath, which creates such roundings.
  addVectorLowering(pm);
  pm.addPass(createExpandAtomics());                            // Atomic updates that upstream does not lower.
  OpPassManager &functions = pm.nest<func::FuncOp>();           // In parallel.
  functions.addPass(memref::createExpandOpsPass());             // memref.reshape, atomic_rmw of floats.
  functions.addPass(memref::createExpandReallocPass());         // memref.realloc: allocate, copy, free.
  functions.addPass(createExpandShapes());                      // The next pass would crash on these.
  functions.addPass(memref::createExpandStridedMetadataPass()); // Subviews and reshapes become affine arithmetic...
  functions.addPass(createLowerAffinePass());                   // ...which becomes arith.
  // ceildivsi, floordivsi and their like; minimumf and maximumf as a comparison and a test for NaN, which do not order
  // -0 and 0. LLVM's lowering does; a maximum of what is in the L1 or L2 cache would take a quarter to a half longer.
  functions.addPass(arith::createArithExpandOpsPass());
  functions.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertHostVectors());
  pm.addPass(createConvertMathToFuncs());    // Integer powers become a function with a loop per type.
  pm.addPass(createMathNearZero());          // The next pass would lose accuracy near zero.
  pm.addPass(createConvertMathToLLVMPass()); // To instructions and intrinsics.
  pm.addPass(createConvertMathToLibmPass()); // The rest: calls of libm.
  FinalizeMemRefToLLVMConversionPassOptions memory;
  memory.useGenericFunctions = true; // Functions whose names the runtime's allocator defines.
  pm.addPass(createFinalizeMemRefToLLVMConversionPass(memory));
  pm.addPass(createDropOperandAttributes()); // The conversion of calls would keep a list of another length.
  pm.addPass(createChooseCWrappers());       // Sets attributes that the conversion of functions reads.
  pm.addPass(createConvertToLLVMPass()); // arith, cf, complex, func, index, ub, and other dialects with the interface.
  pm.addPass(createReconcileUnrealizedCastsPass());     // Pairs of casts that the conversions have left.
  pm.addPass(createCheckDivisions({codesOf(options)})); // Sees divisions from all lowerings.
  pm.addPass(createCheckTranslatable());                // Reports remaining ops with their locations.
}
} // namespace lispier
