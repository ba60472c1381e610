//===- Codegen.cpp - a lowered gpu.module to assembly or an object --------===//
#include "lispier/Target/Backend/Codegen.h"
#include "lispier/Runtime/Core/Trace.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;

namespace lispier {
LogicalResult checkSelfContained(gpu::GPUModuleOp kernels, ArrayRef<StringRef> provided) {
  LogicalResult result = success();
  for (auto function : kernels.getOps<LLVM::LLVMFuncOp>()) {
    StringRef name = function.getName();
    if (!function.isExternal() || name.starts_with("llvm.") || llvm::is_contained(provided, name))
      continue;
    std::optional<SymbolTable::UseRange> uses = SymbolTable::getSymbolUses(function.getOperation(), kernels);
    if (!uses)
      continue;
    for (SymbolTable::SymbolUse use : *uses)
      result = use.getUser()->emitError("kernel calls ")
               << name << ", which only the vendor's device library has; write it in terms of other operations";
  }
  return result;
}

namespace {
std::unique_ptr<llvm::TargetMachine> makeMachine(gpu::GPUModuleOp kernels, const DeviceMachine &machine) {
  llvm::Triple triple(machine.triple);
  std::string why;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, why);
  if (!target) {
    kernels.emitError("this build of LLVM makes no code for ") << machine.triple << ": " << why;
    return nullptr;
  }
  // An assembler that optimises, as ptxas does, merges equal values itself, for which LLVM would number them twice
  // more.
  auto level = machine.assembly ? llvm::CodeGenOptLevel::Default : llvm::CodeGenOptLevel::Aggressive;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, machine.chip, machine.features, llvm::TargetOptions(), llvm::Reloc::PIC_, std::nullopt, level));
}

/// What -O3 of LLVM 22 runs, less what changes nothing in kernels: four of its eight runs of instcombine, which take a
/// seventh of the time, and passes for calls, coroutines and vectors of loops (of 621 kernels of the examples and
/// benchmarks, 595 are the same PTX byte by byte and 26 as long); and those that eliminate redundant loads and dead
/// stores (gvn's loads, dse, loop-load-elim) or find fills and copies (loop-idiom), since early-cse and licm have
/// eliminated nearly all that there are (15 more kernels differ, of which 14 are as long and one is two instructions
/// shorter). `opt -print-pipeline-passes -passes='default<O3>'` prints LLVM's list, with the defaults of all options.
constexpr llvm::StringLiteral kPassesBeforeAssembler =
    "nvvm-reflect,function(nvvm-intr-range,lower-expect,simplifycfg,sroa,early-cse),ipsccp,globalopt,"
    "function(mem2reg,instcombine<no-verify-fixpoint>,simplifycfg<switch-range-to-icmp>),"
    "always-inline,require<globals-aa>,cgscc(inline,function-attrs,argpromotion,"
    "function(sroa,early-cse<memssa>,speculative-execution<only-if-divergent-target>,jump-threading,"
    "correlated-propagation,simplifycfg<switch-range-to-icmp>,instcombine<no-verify-fixpoint>,aggressive-instcombine,"
    "tailcallelim,simplifycfg<switch-range-to-icmp>,reassociate,constraint-elimination,"
    "loop-mssa(loop-instsimplify,loop-simplifycfg,licm<no-allowspeculation>,loop-rotate,licm,"
    "simple-loop-unswitch<nontrivial>),simplifycfg<switch-range-to-icmp>,instcombine<no-verify-fixpoint>,"
    "loop(indvars,loop-deletion,loop-unroll-full),sroa,vector-combine,mldst-motion,gvn<no-memdep>,sccp,bdce,"
    "jump-threading,correlated-propagation,adce,memcpyopt,loop-mssa(licm),"
    "simplifycfg<switch-range-to-icmp;switch-to-arithmetic;hoist-common-insts;sink-common-insts>)),"
    "deadargelim,globalopt,globaldce,rpo-function-attrs,recompute-globalsaa,"
    "function(float2int,lower-constant-intrinsics,loop(loop-rotate,loop-deletion),infer-alignment,"
    "simplifycfg<forward-switch-cond;switch-range-to-icmp;switch-to-arithmetic;switch-to-lookup;no-keep-loops;"
    "hoist-common-insts;sink-common-insts>,vector-combine,loop-unroll<O3>,sroa<preserve-cfg>,infer-alignment,"
    "instcombine<no-verify-fixpoint>,loop-mssa(licm),alignment-from-assumptions,loop-sink,div-rem-pairs,tailcallelim,"
    "simplifycfg<switch-range-to-icmp;switch-to-arithmetic;hoist-loads-stores-with-cond-faulting;"
    "speculate-unpredictables>),globaldce,constmerge";

/// Leaves out straight-line strength reduction of long functions. It looks at pairs of their address computations, and
/// for most asks whether a value may be poison, which took a twentieth of the time of compiling GPT-2. Products,
/// attention and decode were as fast without it; of kernels of rows, a short one took 1.11 times as long (rms-norm as a
/// formula, 300 instructions), and some of up to 1,000 instructions took a quarter more registers.
class ShortFunctionsOnly final : public llvm::OptPassGate {
public:
  explicit ShortFunctionsOnly(const llvm::Module &module) {
    for (const llvm::Function &function : module)
      if (function.getInstructionCount() > kShort)
        others.insert("function (" + function.getName().str() + ")"); // How a pass names it.
  }
  bool isEnabled() const override { return true; }
  bool shouldRunPass(StringRef pass, StringRef function) const override {
    return pass != "slsr" || !others.contains(function);
  }

private:
  static constexpr unsigned kShort = 1200;
  llvm::StringSet<> others;
};

llvm::Error optimize(llvm::Module &module, llvm::TargetMachine &machine, bool assembly) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine); // Without the SLP vectorizer, which spilled registers of tiles.
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::ModulePassManager passes;
  if (!assembly)
    passes = builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3);
  else if (llvm::Error error = builder.parsePassPipeline(passes, kPassesBeforeAssembler))
    return error;
  passes.run(module, modules);
  return llvm::Error::success();
}
} // namespace

/// Aligns shared memory for the widest access. Dynamic shared memory is an array without elements: drivers place it
/// after the static shared memory if it is external, but upstream's lowering makes it internal, at an arbitrary offset.
static void placeSharedMemory(llvm::Module &module) {
  constexpr unsigned kSharedSpace = 3; // NVIDIA's and AMD's.
  for (llvm::GlobalVariable &global : module.globals()) {
    if (global.getAddressSpace() != kSharedSpace)
      continue;
    if (global.getAlign().valueOrOne() < llvm::Align(16))
      global.setAlignment(llvm::Align(16));
    if (auto *array = llvm::dyn_cast<llvm::ArrayType>(global.getValueType()); array && array->getNumElements() == 0) {
      global.setInitializer(nullptr);
      global.setLinkage(llvm::GlobalValue::ExternalLinkage);
    }
  }
}

/// Assembly with side effects may wait for other threads, or be an instruction of a whole warp, as nvvm's ops are that
/// become assembly without saying so: then all threads of the warp come to one copy of it, which no pass may duplicate.
static void markConvergent(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction); call && call->isInlineAsm())
        if (llvm::cast<llvm::InlineAsm>(call->getCalledOperand())->hasSideEffects())
          call->setConvergent();
}

DeviceModule::DeviceModule() = default;
DeviceModule::DeviceModule(DeviceModule &&) noexcept = default;
DeviceModule::~DeviceModule() = default;

FailureOr<DeviceModule> translate(gpu::GPUModuleOp kernels, const DeviceMachine &wanted,
                                  llvm::function_ref<void(llvm::Module &)> prepare) {
  DeviceModule result;
  result.assembly = wanted.assembly;
  result.machine = makeMachine(kernels, wanted);
  if (!result.machine)
    return failure();
  result.context = std::make_unique<llvm::LLVMContext>();
  result.context->setDiscardValueNames(true); // Assembly shows those of functions and globals, which stay.
  result.module = translateModuleToLLVMIR(kernels, *result.context, kernels.getName());
  if (!result.module)
    return failure();
  result.module->setTargetTriple(result.machine->getTargetTriple());
  result.module->setDataLayout(result.machine->createDataLayout());
  placeSharedMemory(*result.module);
  markConvergent(*result.module);
  if (prepare)
    prepare(*result.module);
  return result;
}

llvm::Expected<GpuBytes> generateCode(DeviceModule kernels, llvm::function_ref<void(llvm::Module &)> finish) {
  auto &[context, module, machine, assembly] = kernels;
  {
    runtime::TraceSpan span("compile", "optimise kernels");
    if (llvm::Error error = optimize(*module, *machine, assembly))
      return error;
    if (finish)
      finish(*module);
  }
  runtime::TraceSpan span("compile", "generate code of kernels");

  GpuBytes bytes;
  llvm::raw_svector_ostream os(bytes);
  ShortFunctionsOnly gate(*module);
  if (assembly)
    context->setOptPassGate(gate);
  llvm::legacy::PassManager passes;
  auto kind = assembly ? llvm::CodeGenFileType::AssemblyFile : llvm::CodeGenFileType::ObjectFile;
  if (machine->addPassesToEmitFile(passes, os, nullptr, kind, /*DisableVerify=*/true))
    return llvm::createStringError("LLVM's target for " + machine->getTargetTriple().str() +
                                   " cannot write this kind of file");
  passes.run(*module);
  return bytes;
}
} // namespace lispier
