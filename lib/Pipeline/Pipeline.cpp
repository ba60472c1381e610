//===- Pipeline.cpp - every pass, in order --------------------------------===//
//
// Read this to know what happens to a program. One line a pass, and why it
// stands there.
//
//===----------------------------------------------------------------------===//
#include "lispier/Pipeline/Pipeline.h"
#include "VendorPasses.h"
#include "lispier/Device/Passes.h"
#include "lispier/Gpu/Passes.h"
#include "lispier/Kernels/Passes.h"
#include "lispier/Loops/Passes.h"
#include "lispier/Math/Passes.h"
#include "lispier/NN/Passes.h"
#include "lispier/Target/Amd/Passes.h"
#include "lispier/Target/Backend/Passes.h"
#include "lispier/Target/Cpu/Passes.h"
#include "lispier/Target/Host/Passes.h"
#include "lispier/Target/Nvidia/Passes.h"
#include "lispier/Target/Sim/Passes.h"
#include "lispier/Target/Sim/SimTarget.h"
#include "lispier/TargetInfo/TargetNames.h"
#include "lispier/Tensor/Passes.h"
#include "lispier/Tiles/Passes.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Affine/Transforms/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Dialect/Vector/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace lispier {
namespace {
constexpr llvm::StringRef kStageNames[] = {"forms",   "core",        "module", "tensor", "tiles", "loops",
                                           "kernels", "device-llvm", "target", "llvm",   "asm",   "obj"};
} // namespace

llvm::ArrayRef<llvm::StringRef> stageNames() { return kStageNames; }
llvm::StringRef stageName(Stage stage) { return kStageNames[static_cast<size_t>(stage)]; }
std::optional<Stage> parseStage(llvm::StringRef name) {
  for (size_t i = 0; i < std::size(kStageNames); ++i)
    if (kStageNames[i] == name)
      return static_cast<Stage>(i);
  return std::nullopt;
}

std::string ProgramTarget::name() const {
  if (gpu)
    return (gpu->backend->name() + ":" + gpu->chip->name).str();
  if (simulated)
    return "sim:" + simulated->chip->name;
  return !checkKernels ? "cpu" : warpSize == 32 ? "sim" : "sim:" + std::to_string(warpSize);
}

namespace {
/// What the codes of run-time errors begin with.
std::string codesOf(const PipelineOptions &options) {
  return options.target.gpu            ? options.target.gpu->backend->name().str()
         : options.target.checkKernels ? kSimName.name
                                       : kCpuName.name;
}

/// What the program cannot do is said, with its place, before it does it.
void addHostChecks(OpPassManager &pm, const PipelineOptions &options) {
  pm.addPass(createCheckHost({codesOf(options)}));
}
} // namespace

void addCpuPipeline(OpPassManager &pm, const PipelineOptions &options) {
  auto passes = [&](Stage stage) { return options.from < stage && options.until >= stage; };
  if (passes(Stage::Tensor))
    addTensorPhase(pm, options);
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

KernelTarget PipelineOptions::kernelTarget() const {
  if (!target.gpu && !target.checkKernels)
    return {"cpu", withCpuAbilities(cpuFeatures)};
  std::vector<std::string> names;
  if (target.gpu)
    names = target.gpu->backend->capabilities(*target.gpu->chip);
  llvm::append_range(names, (target.gpu ? target.gpu->chip->info : simInfo(target.warpSize)).abilityNames());
  return {"gpu", std::move(names)};
}

namespace {
SelectTemplatesOptions selection(const PipelineOptions &options, bool share) {
  KernelTarget target = options.kernelTarget();
  SelectTemplatesOptions selection;
  selection.target = target.name;
  selection.features.append(target.abilities.begin(), target.abilities.end());
  selection.why.append(options.whyKernels.begin(), options.whyKernels.end());
  selection.share = share;
  return selection;
}

/// nn ops -> calls of templates that launch kernels, or loops for the generic road.
void addGpuTemplates(OpPassManager &pm, const PipelineOptions &options, bool share) {
  pm.addPass(createSplitNormLinear({/*oneRow=*/true})); // One launch less for one token.
  pm.addPass(createSelectTemplates(selection(options, share)));
  pm.addNestedPass<func::FuncOp>(createKeepOnDevice()); // Of what no template took: before it is just host loops.
  pm.addPass(createDecomposeNN());
}

/// Several functions at a time; passes on the whole module would take one after the other.
void addCleanup(OpPassManager &pm) {
  auto add = [](OpPassManager &function) {
    function.addPass(createCanonicalizerPass());
    function.addPass(createCSEPass());
  };
  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>();
  add(kernels.nest<func::FuncOp>());
  add(kernels.nest<gpu::GPUFuncOp>());
  add(pm.nest<func::FuncOp>());
}

/// linalg on memrefs, scf loops and gpu.launch -> outlined kernels, which a simulator can run.
void addLaunches(OpPassManager &pm) {
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(createForallToParallelLoopPass());
  functions.addPass(createLinalgToParallel());
  functions.addPass(createPromoteAccumulators());
  functions.addPass(createCoarsenReductions());
  // Of the coarse loop's loads most are the same; the loops are not nested yet.
  functions.addPass(createCSEPass());
  // From here to the launch no canonicalizer: it would merge the tile loops with the loops inside them.
  functions.addPass(createTileParallel());
  functions.addPass(createMapParallelToGrid());
  pm.addPass(createConvertParallelLoopToGpuPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createPlaceKernelMemory());
  addCleanup(pm);
  // Constants and sizes that a kernel can compute itself are no parameters.
  pm.addPass(createGpuLaunchSinkIndexComputationsPass());
  pm.addPass(createGpuKernelOutliningPass());
  pm.addPass(createSymbolDCEPass()); // What only kernels call is with them now.
}

/// Tile programs -> kernels of threads. Tiles keep their ops until here, since no pass before knows layouts. Host code
/// is left alone: it may hold loops of one step that become launches.
void addTileDistribution(OpPassManager &pm) {
  auto cleanUp = [&] {
    OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>().nest<gpu::GPUFuncOp>();
    kernels.addPass(createCanonicalizerPass());
    kernels.addPass(createCSEPass());
  };
  cleanUp();                                                 // So that the next pass sees what constants divide.
  pm.addPass(createSpecializeAlignment());                   // While a kernel's accesses are few ops.
  pm.addNestedPass<gpu::GPUModuleOp>(createPipelineTiles()); // While a loop's tiles are whole.
  pm.addNestedPass<gpu::GPUModuleOp>(createLayOutTiles());
  pm.addPass(createDistributeTiles());
  pm.addPass(createShareMemory()); // Before the next, which would drop the tags of branches that all threads take.
  cleanUp();
}

/// On a gpu.module: only what the vendors' conversions know is left.
void addKernelPasses(OpPassManager &kernels) {
  kernels.addPass(createInlineDeviceFunctions());
  kernels.addPass(createSymbolDCEPass());
  kernels.addPass(createConvertLinalgToLoopsPass()); // inside one thread
  kernels.addPass(createPlaceKernelMemory());
  kernels.addPass(createExpandAtomics());
  kernels.addPass(createLowerGroupOps());
  // Contraction is for the user's arithmetic; the expansions below are written for their exact operations.
  kernels.addPass(createAllowContraction());
  kernels.addPass(createExpandMath({{"powf", "fpowi"}, /*standalone=*/true})); // all but what the next has products for
  kernels.addPass(math::createMathExpandOpsPass({{"powf", "fpowi"}})); // it takes exp(y log x), which has no negative x
  kernels.addPass(createExpandArithmetic());
  kernels.addPass(createExpandMath({{}, /*standalone=*/true}));
  kernels.addPass(createMathToIntrinsics());
  kernels.addPass(createConvertVectorToSCFPass(VectorTransferToSCFOptions().enableFullUnroll()));
  kernels.addPass(createLowerKernelVectors());
  kernels.addPass(createUnrollVectorAccesses());
  kernels.addPass(createAlignVectors());
  kernels.addPass(createLowerAffinePass());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  kernels.addPass(createExpandShapes()); // what the next pass would die of
  kernels.addPass(memref::createExpandStridedMetadataPass());
  kernels.addPass(createLowerAffinePass());
  kernels.addPass(createSCFToControlFlowPass());
}

void addNvidiaPasses(OpPassManager &kernels, const GpuChip &chip) {
  kernels.addPass(createTileOpsToNvvm());
  kernels.addPass(createTensorMapArguments());
  kernels.addPass(createConvertNVGPUToNVVMPass());
  kernels.addPass(createShuffleByMask()); // The conversion names the warp's first lanes for every group.
  kernels.addPass(createSharedVectors()); // The next knows spaces by number only.
  kernels.addPass(createConvertVectorToLLVMPass());
  ConvertGpuOpsToNVVMOpsOptions options;
  options.useBarePtrCallConv = true;
  options.hasRedux = false;
  kernels.addPass(createConvertGpuOpsToNVVMOps(options));
  kernels.addPass(createReconcileUnrealizedCastsPass());
  kernels.addPass(createCheckChip());             // While ops have names.
  kernels.addPass(createConvertNVVMToLLVMPass()); // What LLVM has no intrinsic for becomes inline PTX.
  kernels.addPass(createReconcileUnrealizedCastsPass());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  // PTX has .loc lines of its own; DWARF sections beside them would make ptxas turn optimisation off.
  kernels.addPass(createAddLineScopes({/*sections=*/false}));
}

void addAmdPasses(OpPassManager &kernels, const GpuChip &chip) {
  kernels.addPass(createTileOpsToAmdgpu());
  kernels.addPass(createReduceByDpp({chip.name, chip.info.warpWidth})); // It makes ops that the conversions below know.
  kernels.addPass(createReadLaunchSizes());  // The conversion would call the device library for them.
  kernels.addPass(createShuffleUpByIndex()); // It takes a negative lane for a valid one.
  ConvertAMDGPUToROCDLPassOptions vendorOps;
  vendorOps.chipset = chip.name;
  kernels.addPass(createConvertAMDGPUToROCDLPass(vendorOps));
  kernels.addPass(createSharedVectors()); // The next knows spaces by number only.
  kernels.addPass(createConvertVectorToLLVMPass());
  ConvertGpuOpsToROCDLOpsOptions options;
  options.chipset = chip.name;
  options.useBarePtrCallConv = true;
  options.runtime = gpu::amd::Runtime::HIP;
  kernels.addPass(createConvertGpuOpsToROCDLOps(options));
  kernels.addPass(createReconcileUnrealizedCastsPass());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  kernels.addPass(createAddLineScopes({/*sections=*/true}));
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
       },
       [](OpPassManager &kernels) { kernels.addPass(createTileOpsToNvvm()); },
       {"nvvm-attach-target", "convert-gpu-to-nvvm", "convert-nvgpu-to-nvvm", "", ""}},
      {kRocmName.name,
       nothing,
       addAmdPasses,
       nothing,
       [](OpPassManager &kernels) { kernels.addPass(createTileOpsToAmdgpu()); },
       {"rocdl-attach-target", "convert-gpu-to-rocdl", "convert-amdgpu-to-rocdl", "lispier-read-launch-sizes",
        "chipset=$ runtime=HIP"}},
  };
  return kVendors;
}

namespace {
const VendorPasses &vendorPassesOf(const GpuBackend &backend) {
  auto *vendor = llvm::find_if(vendorPasses(), [&](const VendorPasses &row) { return row.backend == backend.name(); });
  assert(vendor != vendorPasses().end() && "each backend has a row");
  return *vendor;
}
} // namespace

void addGpuPhase(OpPassManager &pm) {
  addTileDistribution(pm);
  addLaunches(pm);
  pm.addPass(createMergeGpuModules()); // Launches of one kernel share its code.
  pm.addPass(createInferBlockSize());
  pm.addPass(createFlattenKernelArguments());
  addCleanup(pm);
}

void addKernelsPhase(OpPassManager &pm, const PipelineOptions &options) {
  pm.addPass(createCheckDeviceOps()); // Before anything drops an op or gives it another name.
  pm.addPass(createSplitKernels({/*opsPerPart=*/options.format ? 0u : SplitKernelsOptions().opsPerPart}));
  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>(); // All parts at the same time.
  if (!options.kernelsAreLowered)
    addKernelPasses(kernels);
  kernels.addPass(createDescribeKernels()); // While shared memory is the kernel's, and types are what the launch has.
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
  pm.addNestedPass<gpu::GPUModuleOp>(createSerializeKernels(serialize));
}

namespace {
/// Kernels of the LLVM dialect and the host code around them -> one module of the LLVM dialect.
void addHostPhase(OpPassManager &pm, const PipelineOptions &options) {
  addSerialization(pm, options);
  pm.addPass(createDropAsyncTokens()); // Of a module that enters after the loops.
  pm.addPass(createMarkDependentLaunches());
  pm.addPass(createEmbedKernels());
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass()); // What became no kernel, such as in host loops.
  pm.addPass(memref::createExpandReallocPass());                    // Its allocations are the next pass's to see.
  pm.addPass(createLowerReplays());                                 // A wait outside of a step counts inside.
  pm.addPass(createWaitForDevice());
  addHostChecks(pm, options); // After it: the host does not wait for a check. Copies have their shapes until the next.
  pm.addPass(createCallDevice());
  addCpuPhase(pm, options);
}
} // namespace

void addGpuPipeline(OpPassManager &pm, const PipelineOptions &options) {
  auto passes = [&](Stage stage) { return options.from < stage && options.until >= stage; };
  if (passes(Stage::Tensor))
    addTensorPhase(pm, options);
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

void addTensorPhase(OpPassManager &pm, const PipelineOptions &options) {
  pm.addNestedPass<func::FuncOp>(createCanonicalizerPass()); // Generated code is plain: constants at each use.
  pm.addNestedPass<func::FuncOp>(createCSEPass());           // The constants, once.
  pm.addPass(createBufferizeTensors());                      // From here on memory, not values.
}

namespace {
/// Host code on buffers -> scalar and vector loops, the parallel ones outlined.
void addHostLoops(OpPassManager &pm, const PipelineOptions &options) {
  if (!options.quick) {
    pm.addNestedPass<func::FuncOp>(createFuseRows()); // While a row's ops are whole.
    VectorizeLinalgOptions vectors;
    vectors.vectorBytes = llvm::is_contained(options.cpuFeatures, "avx512f") ? 64 : 32;
    pm.addNestedPass<func::FuncOp>(createVectorizeLinalg(vectors)); // Why no transform schedule: lib/Loops/README.md.
  }

  // Every loop that may run in parallel says so until the outlining has seen it.
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToParallelLoopsPass());
  pm.addNestedPass<func::FuncOp>(mlir::createForallToParallelLoopPass());
  pm.addPass(createLowerAffinePass()); // affine.parallel becomes scf.parallel.

  pm.addNestedPass<func::FuncOp>(createCanonicalizerPass()); // Loop bounds made by the conversions.
  pm.addNestedPass<func::FuncOp>(createCSEPass());
  if (!options.quick) {
    pm.addNestedPass<func::FuncOp>(createLoopInvariantCodeMotionPass()); // Loads of sizes out of inner loops.
    pm.addPass(createOutlineParallel()); // The last to see scf.parallel: what it leaves runs in sequence.
  }
}
} // namespace

void addTilesPhase(OpPassManager &pm, const PipelineOptions &options) {
  pm.addPass(createDropAsyncTokens()); // One queue: no later pass has to know them.
  if (options.target.gpu || options.target.checkKernels) {
    // The simulator checks what any GPU would run, and reports a mistake with its op: a copy for each.
    addGpuTemplates(pm, options, /*share=*/options.target.gpu.has_value());
    return;
  }
  pm.addPass(createSplitNormLinear());                                   // Two ops that have kernels.
  pm.addPass(createSelectTemplates(selection(options, /*share=*/true))); // The library's and the user's own...
  pm.addPass(createDecomposeNN());                                       // ...and what no template took.
}

void addLoopsPhase(OpPassManager &pm, const PipelineOptions &options) {
  if (options.target.simulated) {
    addTileDistribution(pm);
    vendorPassesOf(*options.target.simulated->backend).lowerTiles(pm.nest<gpu::GPUModuleOp>());
  }
  if (options.target.checkKernels)
    addLaunches(pm);
  pm.addNestedPass<func::FuncOp>(createCanonicalizerPass()); // What a template's copy knows, before it is a parameter.
  pm.addPass(createGpuKernelOutliningPass());                // Kernels as functions of their own...
  pm.addPass(createSymbolDCEPass());                         // ...with what only they call.
  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>();
  kernels.addNestedPass<gpu::GPUFuncOp>(createCanonicalizerPass()); // A tile that several ops use is made once.
  kernels.addNestedPass<gpu::GPUFuncOp>(createCSEPass());
  kernels.addPass(createTilesToLinalg()); // Of a block that is one thread.
  if (!options.target.checkKernels)
    pm.addPass(createTileLaunchesToLoops()); // While blocks are in the launch, and parallel loops not outlined.
  pm.addPass(createHostGpuMemory());         // Before linalg goes: gpu.memset becomes linalg.fill.
  if (!options.target.checkKernels)          // The simulator looks at accesses before lowerings add some of their own.
    addHostLoops(pm, options);
}

void addHostKernelsPhase(OpPassManager &pm, const PipelineOptions &options) {
  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>();
  kernels.addPass(createConvertLinalgToLoopsPass()); // Sequential: the thread is the parallelism.
  kernels.addPass(createLowerAffinePass());          // Its loads and stores are checked too.
  kernels.addPass(createUnrollVectorAccesses());     // The simulator checks them as the rows that they are.
  if (options.target.checkKernels) {
    kernels.addPass(createExpandMath({{}, /*standalone=*/true})); // The digits of a GPU, not of a C library.
  } else {
    kernels.addPass(createForallToParallelLoopPass());
    auto add = [&](OpPassManager &function) { // As host code had before its loops were outlined.
      function.addPass(createCanonicalizerPass());
      function.addPass(createCSEPass());
      if (!options.quick)
        function.addPass(createLoopInvariantCodeMotionPass());
    };
    add(kernels.nest<gpu::GPUFuncOp>());
    add(kernels.nest<func::FuncOp>());
  }
  pm.addPass(createGpuToHost({options.target.checkKernels, options.target.warpSize}));
  if (!options.target.checkKernels)
    return;
  pm.addPass(createCheckKernels());                             // While accesses still know their memref's shape.
  pm.addNestedPass<func::FuncOp>(createUnrollVectorAccesses()); // As the kernels', for the pass after the next.
  pm.addPass(memref::createExpandReallocPass());                // Its allocations are the next pass's to see.
  pm.addPass(createTrackMemory()); // Before loops are outlined, and host code gets more accesses.
  addHostLoops(pm, options);
}

namespace {
/// Vector ops of rank above one, and the ops that convert-vector-to-llvm leaves behind in silence.
void addVectorLowering(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(vector::createLowerVectorMultiReductionPass());
  VectorTransferToSCFOptions unroll;
  unroll.unroll = true; // Rows of a transfer stay in registers; the loop form goes through memory.
  pm.addNestedPass<func::FuncOp>(createConvertVectorToSCFPass(unroll));
  pm.addNestedPass<func::FuncOp>(createConvertVectorToSCFPass({})); // What could not be unrolled.
  pm.addNestedPass<func::FuncOp>(createUnrollVectorAccesses());     // Written by the program, or left by the last two.
}
} // namespace

void addCpuPhase(OpPassManager &pm, const PipelineOptions &options) {
  CheckProcessorOpsOptions processor;
  processor.features.assign(options.cpuFeatures.begin(), options.cpuFeatures.end());
  pm.addPass(createCheckProcessorOps(processor));   // While ops have names.
  pm.addPass(createSayAssertions());                // While a branch may stand in a loop.
  pm.addPass(createConvertComplexToStandardPass()); // Before math: it makes square roots and logarithms.
  pm.addPass(createExpandMath());                   // While vectors are whole: libm has scalars only.
  bool roundsVectors = llvm::is_contained(options.cpuFeatures, "avx512bf16");
  pm.addPass(createRoundToBFloat16({/*vectors=*/!roundsVectors})); // What the functions above round, too.
  addVectorLowering(pm);
  pm.addPass(createExpandAtomics());                             // Products and updates of floats: exchanges of bits.
  pm.addNestedPass<func::FuncOp>(memref::createExpandOpsPass()); // memref.reshape, atomic_rmw of floats.
  pm.addPass(memref::createExpandReallocPass());                 // memref.realloc: allocate, copy, free.
  pm.addPass(createExpandShapes());                              // What the next pass would die of.
  pm.addPass(memref::createExpandStridedMetadataPass());         // Subviews and reshapes become affine arithmetic...
  pm.addPass(createLowerAffinePass());                           // ...which becomes arith.
  pm.addPass(arith::createArithExpandOpsPass());                 // ceildivsi, floordivsi and their like.
  pm.addPass(createSCFToControlFlowPass());
  ConvertVectorToLLVMPassOptions vectors;
  vectors.x86Vector = true;
  vectors.amx = true;
  pm.addPass(createConvertVectorToLLVMPass(vectors)); // With the stepwise lowerings; convert-to-llvm has none of them.
  pm.addPass(createConvertMathToFuncs());             // Integer powers: loops, once per type.
  pm.addPass(createMathNearZero());                   // Before the next: it would lose their digits.
  pm.addPass(createConvertMathToLLVMPass());          // What is an instruction or an intrinsic...
  pm.addPass(createConvertMathToLibmPass());          // ...and what is a libm call.
  FinalizeMemRefToLLVMConversionPassOptions memory;
  memory.useGenericFunctions = true; // Names that become the runtime's allocator.
  pm.addPass(createFinalizeMemRefToLLVMConversionPass(memory));
  pm.addPass(createChooseCWrappers());   // Right before functions are converted: it says how.
  pm.addPass(createConvertToLLVMPass()); // arith, cf, complex, func, index, ub, and every other that knows how.
  pm.addPass(createReconcileUnrealizedCastsPass()); // Pairs of casts that the conversions left between each other.
  pm.addPass(createCheckDivisions({codesOf(options)}));
  pm.addPass(createCheckTranslatable()); // A message with a place, for what is left.
}
} // namespace lispier
