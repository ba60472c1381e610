//===- CpuTarget.cpp - LLVM dialect to machine code -----------------------===//
#include "lispier/Target/Cpu/CpuTarget.h"
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Runtime/Core/Runtime.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/IPO/Internalize.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace lispier {
namespace {
/// What device.tuned is in LLVM IR.
constexpr StringLiteral kTunedAttribute = "lispier-tuned";

void initializeTarget() {
  static const bool done = [] {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    InitializeNativeTargetAsmParser(); // For inline assembly.
    return true;
  }();
  (void)done;
}

CodeGenOptLevel codegenLevel(CodeEffort effort) {
  return effort == CodeEffort::Quick ? CodeGenOptLevel::None : CodeGenOptLevel::Default;
}

/// The operating system may deny this process the use of AMX even if the processor has it.
void leaveOutTiles(orc::JITTargetMachineBuilder &builder) {
  if (!lispier_rt_missing_cpu_feature("+amx-tile"))
    return;
  for (const auto &feature : sys::getHostCPUFeatures())
    if (feature.getKey().starts_with("amx-"))
      builder.getFeatures().AddFeature(feature.getKey(), false);
}
} // namespace

std::vector<std::string> featureNames(const TargetMachine &machine) {
  std::vector<std::string> names;
  std::string all = featuresOf(machine);
  for (StringRef feature : split(all, ','))
    if (feature.consume_front("+"))
      names.push_back(feature.str());
  return names;
}

bool isKnownProcessor(StringRef name) {
  if (name == "native")
    return true;
  initializeTarget();
  std::string error;
  Triple triple(sys::getProcessTriple());
  const Target *target = TargetRegistry::lookupTarget(triple, error);
  std::unique_ptr<MCSubtargetInfo> info(target->createMCSubtargetInfo(triple, "", ""));
  return info->isCPUStringValid(name);
}

Expected<std::unique_ptr<TargetMachine>> makeMachine(const CpuOptions &options) {
  initializeTarget();
  auto builder = orc::JITTargetMachineBuilder(Triple(sys::getProcessTriple()));
  if (options.processor == "native") {
    Expected<orc::JITTargetMachineBuilder> host = orc::JITTargetMachineBuilder::detectHost();
    if (!host)
      return host.takeError();
    builder = std::move(*host);
    leaveOutTiles(builder);
  } else {
    builder.setCPU(options.processor);
  }
  builder.setCodeGenOptLevel(codegenLevel(options.effort));
  builder.setRelocationModel(Reloc::PIC_);
  builder.setCodeModel(CodeModel::Small);
  // Where the optimizer proves that an operation is undefined, code ends with a trap: else it would run on into
  // whatever function comes next, and the message about the crash could not name this one.
  builder.getOptions().TrapUnreachable = true;
  builder.getOptions().NoTrapAfterNoreturn = true;
  return builder.createTargetMachine();
}

std::string featuresOf(const TargetMachine &machine) {
  const MCSubtargetInfo *info = machine.getMCSubtargetInfo();
  std::string features;
  for (const SubtargetFeatureKV &feature : info->getAllProcessorFeatures())
    if (info->getFeatureBits()[feature.Value])
      features += (features.empty() ? "+" : ",+") + std::string(feature.Key);
  return features;
}

namespace {
/// The lowering of memref.alloc and memref.dealloc calls generic functions; renames these to the runtime's allocator.
void useRuntimeAllocator(Module &module) {
  for (auto [generic, runtime] : {std::pair("_mlir_memref_to_llvm_alloc", "lispier_rt_alloc"),
                                  std::pair("_mlir_memref_to_llvm_free", "lispier_rt_free")})
    if (Function *function = module.getFunction(generic); function && function->isDeclaration()) {
      if (Function *declared = module.getFunction(runtime)) {
        function->replaceAllUsesWith(declared);
        function->eraseFromParent();
      } else {
        function->setName(runtime);
      }
    }
}
} // namespace

std::unique_ptr<Module> toLlvmIr(mlir::ModuleOp module, LLVMContext &context, TargetMachine &machine) {
  std::unique_ptr<Module> llvmModule = mlir::translateModuleToLLVMIR(module, context, "lispier");
  if (!llvmModule)
    return nullptr;
  llvmModule->setDataLayout(machine.createDataLayout());
  llvmModule->setTargetTriple(machine.getTargetTriple());
  useRuntimeAllocator(*llvmModule);
  for (auto function : module.getOps<mlir::LLVM::LLVMFuncOp>())
    if (!function.isExternal() && function->hasAttr(device::kTuned))
      llvmModule->getFunction(function.getName())->addFnAttr(kTunedAttribute);
  return llvmModule;
}

namespace {
/// By default LLVM limits itself to 256-bit vectors for some processors, because older ones ran slower with wider ones.
void preferWideVectors(Module &module, TargetMachine &machine) {
  if (machine.getMCSubtargetInfo()->checkFeatures("+avx512f"))
    for (Function &function : module)
      if (!function.isDeclaration())
        function.addFnAttr("prefer-vector-width", "512");
}

/// Begins each function at a cache line, so that the speed of its loops does not depend on the functions before it.
void alignFunctions(Module &module) {
  const Align kCacheLine(64);
  for (Function &function : module)
    if (!function.isDeclaration())
      function.setAlignment(kCacheLine);
}

/// Gives the runtime's allocator the attributes of malloc and free, so that the optimiser treats them alike.
void describeAllocator(Module &module) {
  LLVMContext &context = module.getContext();
  constexpr StringLiteral family = "lispier_rt_alloc";
  if (Function *alloc = module.getFunction("lispier_rt_alloc"); alloc && alloc->isDeclaration()) {
    alloc->addRetAttr(Attribute::NoAlias);
    alloc->addRetAttr(Attribute::getWithAlignment(context, Align(64)));
    alloc->addFnAttr(Attribute::getWithAllocSizeArgs(context, 0, std::nullopt));
    alloc->addFnAttr(Attribute::get(context, Attribute::AllocKind,
                                    static_cast<uint64_t>(AllocFnKind::Alloc | AllocFnKind::Uninitialized)));
    alloc->addFnAttr("alloc-family", family);
    alloc->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
    alloc->setDoesNotThrow();
  }
  if (Function *free = module.getFunction("lispier_rt_free"); free && free->isDeclaration()) {
    free->addParamAttr(0, Attribute::AllocatedPointer);
    free->addFnAttr(Attribute::get(context, Attribute::AllocKind, static_cast<uint64_t>(AllocFnKind::Free)));
    free->addFnAttr("alloc-family", family);
    free->setDoesNotThrow();
  }
}
/// Runtime functions that report an error and do not return: branches to them are cold, and code after them
/// unreachable.
void describeFailures(Module &module) {
  for (StringRef name : {"lispier_rt_assertion_failed", "lispier_rt_division_failed", "lispier_rt_allocation_failed",
                         "lispier_rt_copy_failed", "lispier_rt_dimension_failed", "lispier_rt_grid_failed",
                         "lispier_rt_index_failed", "lispier_rt_check_failed", "lispier_rt_end_interrupted"})
    if (Function *failure = module.getFunction(name); failure && failure->isDeclaration()) {
      failure->setDoesNotReturn();
      failure->addFnAttr(Attribute::Cold);
      failure->setDoesNotThrow();
    }
}

/// Whether one iteration has enough independent vectors to keep the processor busy: it carries a tile of sums, or
/// computes many vectors.
bool isTiled(const Loop &loop) {
  constexpr int64_t kSums = 4, kInstructions = 16;
  auto isVector = [](const Instruction &instruction) {
    return instruction.getType()->isVectorTy() || instruction.getType()->isX86_AMXTy();
  };
  int64_t count = 0;
  for (const BasicBlock *block : loop.blocks())
    count += llvm::count_if(*block, isVector);
  return count >= kInstructions || llvm::count_if(loop.getHeader()->phis(), isVector) >= kSums;
}

/// Tuned functions, and loops made from structured ops, use vectors and tiles that fit the registers. Unrolling their
/// loops further, or vectorising remainder loops, doubles code size and compile time without making them faster.
void keepTiledLoops(Module &module) {
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    DominatorTree dominators(function);
    LoopInfo loops(dominators);
    for (Loop *loop : loops.getLoopsInPreorder()) {
      if (!isTuned(function) && !isTiled(*loop))
        continue;
      addStringMetadataToLoop(loop, "llvm.loop.unroll.runtime.disable");
      addStringMetadataToLoop(loop, "llvm.loop.vectorize.enable", 0);
    }
  }
}
} // namespace

bool isTuned(const Function &function) { return !function.isDeclaration() && function.hasFnAttribute(kTunedAttribute); }

void keepOnly(Module &module, ArrayRef<std::string> entries) {
  StringSet<> names(llvm::from_range, entries);
  ModuleAnalysisManager modules;
  PassBuilder().registerModuleAnalyses(modules);
  ModulePassManager passes;
  passes.addPass(InternalizePass([&names](const GlobalValue &value) { return names.contains(value.getName()); }));
  passes.addPass(GlobalDCEPass());
  passes.run(module, modules);
}

void optimize(Module &module, TargetMachine &machine, CodeEffort effort) {
  preferWideVectors(module, machine);
  alignFunctions(module);
  describeAllocator(module);
  describeFailures(module);
  keepTiledLoops(module);
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager sccs;
  ModuleAnalysisManager modules;
  PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  ModulePassManager passes;
  if (effort == CodeEffort::Full) // With O3, the first token of GPT-2 takes a sixth longer, and the code is no faster.
    passes.addPass(builder.buildPerModuleDefaultPipeline(OptimizationLevel::O2));
  passes.run(module, modules);
}

/// LLVM's code generator without optimization crashes where values of AMX's tiles live in several blocks, as sums of a
/// loop do.
static bool hasTiles(const Module &module) {
  return llvm::any_of(module.functions(), [](const Function &function) {
    return function.isIntrinsic() && function.getName().starts_with("llvm.x86.tile");
  });
}

Error writeCode(Module &module, TargetMachine &machine, CodeFile kind, raw_pwrite_stream &os) {
  if (machine.getOptLevel() == CodeGenOptLevel::None && hasTiles(module))
    machine.setOptLevel(CodeGenOptLevel::Less);
  legacy::PassManager passes;
  CodeGenFileType type = kind == CodeFile::Assembly ? CodeGenFileType::AssemblyFile : CodeGenFileType::ObjectFile;
  if (machine.addPassesToEmitFile(passes, os, nullptr, type))
    return createStringError("this processor's code generator cannot write such a file");
  passes.run(module);
  return Error::success();
}
} // namespace lispier
