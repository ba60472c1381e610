//===- Pipeline.cpp - every pass, in order --------------------------------===//
//
// Read this to know what happens to a program. One line a pass, and why it
// stands there.
//
//===----------------------------------------------------------------------===//
#include "lispier/Pipeline/Pipeline.h"
#include "lispier/Gpu/GpuPhase.h"
#include "lispier/Gpu/Passes.h"
#include "lispier/Kernels/Passes.h"
#include "lispier/Loops/Passes.h"
#include "lispier/Math/Passes.h"
#include "lispier/NN/Passes.h"
#include "lispier/Target/Cpu/Passes.h"
#include "lispier/Target/Host/Passes.h"
#include "lispier/Target/Sim/Passes.h"
#include "lispier/Target/Sim/Sim.h"
#include "lispier/Tensor/Passes.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Affine/Transforms/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
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
constexpr llvm::StringRef kStageNames[] = {"forms",  "core", "module", "tensor", "loops",
                                           "target", "llvm", "asm",    "obj"};
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
  return !checkKernels ? "cpu" : warpSize == 32 ? "sim" : "sim:" + std::to_string(warpSize);
}

namespace {
/// What the program cannot do is said, with its place, before it does it.
void addHostChecks(OpPassManager &pm, const PipelineOptions &options) {
  std::string target = options.target.gpu            ? options.target.gpu->backend->name().str()
                       : options.target.checkKernels ? "sim"
                                                     : "cpu";
  pm.addPass(createCheckHost({target}));
}
} // namespace

void addCpuPipeline(OpPassManager &pm, const PipelineOptions &options) {
  auto passes = [&](Stage stage) { return options.from < stage && options.until >= stage; };
  if (passes(Stage::Tensor))
    addTensorPhase(pm, options);
  if (passes(Stage::Loops))
    addLoopsPhase(pm, options);
  if (passes(Stage::Target)) {
    addHostChecks(pm, options);
    addCpuPhase(pm, options);
  }
}

std::vector<std::string> ProgramTarget::capabilities() const {
  std::vector<std::string> names;
  if (gpu)
    names = gpu->backend->capabilities(*gpu->chip);
  names.push_back("warp" + std::to_string(gpu ? gpu->chip->info.warpWidth : warpSize));
  return names;
}

namespace {
/// nn ops -> calls of templates that launch kernels, or loops for the generic road.
void addGpuTemplates(OpPassManager &pm, llvm::ArrayRef<std::string> capabilities, bool share) {
  pm.addPass(createSplitNormLinear({/*oneRow=*/true})); // One launch less for one token.
  SelectTemplatesOptions templates;
  templates.target = "gpu";
  for (const std::string &name : capabilities)
    templates.features.push_back(name);
  templates.share = share;
  pm.addPass(createSelectTemplates(templates));
  pm.addNestedPass<func::FuncOp>(createKeepOnDevice()); // Of what no template took: before it is just host loops.
  pm.addPass(createDecomposeNN());
}
} // namespace

void addGpuPipeline(OpPassManager &pm, const PipelineOptions &options) {
  if (options.from < Stage::Tensor && options.until >= Stage::Tensor)
    addTensorPhase(pm, options);
  if (options.from < Stage::Loops && options.until >= Stage::Loops) {
    const GpuTarget &gpu = *options.target.gpu;
    pm.addPass(createDropAsyncTokens()); // One queue: no later pass has to know them.
    addGpuTemplates(pm, options.target.capabilities(), /*share=*/true);
    addGpuPhase(pm, gpu.chip->info);
  }
  if (options.from < Stage::Target && options.until >= Stage::Target) {
    pm.addPass(createDropAsyncTokens()); // Of a module that enters here.
    EmbedKernelsOptions kernels;
    kernels.targets.push_back(options.target.name());
    pm.addPass(createEmbedKernels(kernels));
    pm.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass()); // What became no kernel, such as in host loops.
    pm.addPass(memref::createExpandReallocPass());                    // Its allocations are the next pass's to see.
    pm.addPass(createWaitForDevice());
    addHostChecks(pm,
                  options); // After it: the host does not wait for a check. Copies have their shapes until the next.
    pm.addPass(createCallDevice());
    addCpuPhase(pm, options);
  }
}

void addTensorPhase(OpPassManager &pm, const PipelineOptions &options) {
  pm.addNestedPass<func::FuncOp>(createCanonicalizerPass()); // Generated code is plain: constants at each use.
  pm.addNestedPass<func::FuncOp>(createCSEPass());           // The constants, once.
  pm.addPass(createBufferizeTensors());                      // From here on memory, not values.
}

namespace {
/// gpu.launch and gpu.launch_func -> functions that the runtime runs thread by thread.
void addHostKernels(OpPassManager &pm, const PipelineOptions &options) {
  pm.addNestedPass<func::FuncOp>(createCanonicalizerPass()); // What a template's copy knows, before it is a parameter.
  pm.addPass(createGpuKernelOutliningPass());                // Kernels as functions of their own...
  pm.addPass(createSymbolDCEPass());                         // ...with what only they call.
  pm.addNestedPass<gpu::GPUModuleOp>(createConvertLinalgToLoopsPass()); // Sequential: the thread is the parallelism.
  pm.addNestedPass<gpu::GPUModuleOp>(createLowerAffinePass());          // Its loads and stores are checked too.
  if (options.target.checkKernels)
    pm.addNestedPass<gpu::GPUModuleOp>(
        createExpandMath({{}, /*standalone=*/true})); // The digits of a GPU, not of a C library.
  pm.addPass(createGpuToHost({options.target.checkKernels, options.target.warpSize}));
  if (options.target.checkKernels)
    pm.addPass(createCheckKernels()); // While accesses still know their memref's shape.
}
} // namespace

void addLoopsPhase(OpPassManager &pm, const PipelineOptions &options) {
  pm.addPass(createDropAsyncTokens()); // Here ops happen one after the other.
  if (options.target.checkKernels) {
    addGpuTemplates(pm, options.target.capabilities(),
                    /*share=*/false); // What any GPU would run is to be checked; a mistake is said with its op.
    addLaunches(pm, simInfo(options.target.warpSize));
  } else {
    pm.addPass(createSplitNormLinear()); // Two ops that have kernels.
    SelectTemplatesOptions templates;
    templates.features.assign(options.cpuFeatures.begin(), options.cpuFeatures.end());
    pm.addPass(createSelectTemplates(templates)); // The kernels of lib/Kernels and the user's own...
    pm.addPass(createDecomposeNN());              // ...and what no template took.
  }
  addHostKernels(pm, options);
  pm.addPass(createHostGpuMemory()); // Before linalg goes: gpu.memset becomes linalg.fill.
  if (options.target.checkKernels) {
    pm.addPass(memref::createExpandReallocPass()); // Its allocations are the next pass's to see.
    pm.addPass(createTrackMemory());               // Before loops are outlined, and host code gets more accesses.
  }

  if (!options.quick) {
    VectorizeContractionsOptions tiles;
    tiles.vectorBytes = llvm::is_contained(options.cpuFeatures, "avx512f") ? 64 : 32;
    pm.addNestedPass<func::FuncOp>(createVectorizeContractions(tiles)); // As loops, a product would walk columns. Why
                                                                        // no transform schedule: lib/Loops/README.md.
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

namespace {
/// Vector ops of rank above one, and the ops that convert-vector-to-llvm leaves behind in silence.
void addVectorLowering(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(vector::createLowerVectorMultiReductionPass());
  VectorTransferToSCFOptions unroll;
  unroll.unroll = true; // Rows of a transfer stay in registers; the loop form goes through memory.
  pm.addNestedPass<func::FuncOp>(createConvertVectorToSCFPass(unroll));
  pm.addNestedPass<func::FuncOp>(createConvertVectorToSCFPass({})); // What could not be unrolled.
}
} // namespace

void addCpuPhase(OpPassManager &pm, const PipelineOptions &options) {
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
  pm.addPass(createCheckTranslatable());            // A message with a place, for what is left.
}
} // namespace lispier
