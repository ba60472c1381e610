//===- Jit.cpp - machine code in this process -----------------------------===//
#include "lispier/Target/Cpu/Jit.h"
#include "lispier/Runtime/Core/Runtime.h"
#include "lispier/Runtime/Core/Trace.h"
#include "lispier/Target/Cpu/Entry.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/IRCompileLayer.h"
#include "llvm/ExecutionEngine/Orc/IRPartitionLayer.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/ExecutionEngine/Orc/MapperJITLinkMemoryManager.h"
#include "llvm/ExecutionEngine/Orc/MemoryMapper.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/ExecutionEngine/Orc/ThreadSafeModule.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Target/TargetMachine.h"
#include <dlfcn.h>
#include <unistd.h>

using namespace llvm;

namespace lispier {
Jit::Jit() = default;
Jit::~Jit() = default;

namespace {
using Group = orc::IRPartitionLayer::GlobalValueSet;

/// Whether a function is large enough that lazy compilation saves time, and that the optimiser would not inline it.
constexpr unsigned kLongFunction = 250;

bool containsVector(Type *type) { return type->isVectorTy() || llvm::any_of(type->subtypes(), containsVector); }

/// Whether a function is compiled separately on its first call: a run often uses the code for one element type only, or
/// needs a kernel's loop body for many rows late. The callback that compiles it keeps only 128 bits of each vector
/// register, so that functions that take vectors are not among them.
bool isOnDemand(const Function &function) {
  if (function.isDeclaration() ||
      llvm::any_of(function.args(), [](const Argument &argument) { return containsVector(argument.getType()); }))
    return false;
  return isKernel(function) || function.getInstructionCount() > kLongFunction;
}

/// The unit of compilation: an on-demand function alone, or all other functions together.
std::optional<Group> groupOf(Group requested) {
  const GlobalValue &asked = **requested.begin();
  if (auto *function = dyn_cast<Function>(&asked); function && isOnDemand(*function))
    return requested;
  for (const GlobalValue &value : asked.getParent()->global_values())
    if (auto *function = dyn_cast<Function>(&value); !value.isDeclaration() && !(function && isOnDemand(*function)))
      requested.insert(&value);
  return requested;
}

/// Address space reserved for a program's code. Objects that are linked one by one must be within 2 GB of each other,
/// but a GPU driver may map more than that in between.
constexpr size_t kCodeSpace = 256 << 20;

/// The name of a symbol in the source: the JIT renames local symbols that it compiles separately, and Entry.cpp renames
/// `main`.
std::string sourceName(StringRef symbol) {
  if (symbol.consume_front("__orc_lcl."))
    symbol = symbol.rsplit('.').first;
  return symbol == kEntryName || symbol == kHiddenMainName ? "main" : symbol.str();
}

/// Records the addresses of linked functions in the CodeMap.
class NoteFunctions : public orc::LinkGraphLinkingLayer::Plugin {
public:
  explicit NoteFunctions(CodeMap &code) : code(code) {}

  void modifyPassConfig(orc::MaterializationResponsibility &, jitlink::LinkGraph &,
                        jitlink::PassConfiguration &config) override {
    config.PostAllocationPasses.push_back([&code = code](jitlink::LinkGraph &graph) {
      std::vector<CodeMap::Function> functions;
      for (const jitlink::Symbol *symbol : graph.defined_symbols())
        if (symbol->isCallable() && symbol->hasName())
          functions.push_back({symbol->getAddress().getValue(), symbol->getAddress().getValue() + symbol->getSize(),
                               sourceName(*symbol->getName())});
      code.add(std::move(functions));
      return Error::success();
    });
  }
  Error notifyFailed(orc::MaterializationResponsibility &) override { return Error::success(); }
  Error notifyRemovingResources(orc::JITDylib &, orc::ResourceKey) override { return Error::success(); }
  void notifyTransferringResources(orc::JITDylib &, orc::ResourceKey, orc::ResourceKey) override {}

private:
  CodeMap &code;
};

Expected<std::unique_ptr<orc::ObjectLayer>> makeLinker(orc::ExecutionSession &session, CodeMap &code) {
  auto memory = orc::MapperJITLinkMemoryManager::CreateWithMapper<orc::InProcessMemoryMapper>(kCodeSpace);
  if (!memory)
    return memory.takeError();
  auto linker = std::make_unique<orc::ObjectLinkingLayer>(session, std::move(*memory));
  linker->addPlugin(std::make_shared<NoteFunctions>(code));
  return linker;
}

/// The target of calls to a function that could not be compiled, which has been reported.
[[noreturn]] void endProgram() {
  fflush(nullptr);
  _exit(1);
}

/// The name of a module in a trace: its first function.
std::string titleOf(StringRef work, const Module &module) {
  auto first = find_if(module, [](const Function &function) { return !function.isDeclaration(); });
  return (work + (first == module.end() ? "" : " " + first->getName())).str();
}

/// A digest of everything that the object of a module depends on.
std::string nameOf(const Module &module, const TargetMachine &machine, CodeEffort effort) {
  SmallVector<char, 0> bitcode;
  raw_svector_ostream os(bitcode);
  WriteBitcodeToFile(module, os);
  BLAKE3 hash;
  for (StringRef part : {machine.getTargetCPU(), machine.getTargetFeatureString(),
                         StringRef(effort == CodeEffort::Full ? "full" : "quick"), StringRef(os.str())}) {
    hash.update(part);
    hash.update(ArrayRef<uint8_t>{0});
  }
  return toHex(hash.final<20>(), /*LowerCase=*/true);
}
} // namespace

/// A code generator that all threads share, under a lock.
class Jit::Compiler : public orc::SimpleCompiler {
public:
  explicit Compiler(Jit &jit) : SimpleCompiler(*jit.targetMachine), jit(jit) {}

  Expected<CompileResult> operator()(Module &module) override {
    std::lock_guard<std::mutex> guard(jit.compiling);
    if (auto known = jit.found.find(module.getModuleIdentifier()); known != jit.found.end()) {
      std::unique_ptr<MemoryBuffer> object = std::move(known->second);
      jit.found.erase(known);
      return object;
    }
    std::string title = titleOf("generate code of", module);
    runtime::TraceSpan span("jit", title.c_str());
    Expected<CompileResult> object = SimpleCompiler::operator()(module);
    if (object && jit.objects)
      jit.objects->store(module.getModuleIdentifier(), (*object)->getBuffer());
    return object;
  }

private:
  Jit &jit;
};

/// Whether the cache has an object for this module. Renames the module to the cache key.
bool Jit::findObject(Module &module) {
  if (!objects)
    return false;
  module.setModuleIdentifier(nameOf(module, *targetMachine, effort));
  std::unique_ptr<MemoryBuffer> object = objects->find(module.getModuleIdentifier());
  return object && found.insert({module.getModuleIdentifier(), std::move(object)}).second;
}

Expected<std::unique_ptr<Jit>> Jit::create(const CpuOptions &options, ObjectStore *objects) {
  std::unique_ptr<Jit> result(new Jit());
  Expected<std::unique_ptr<TargetMachine>> machine = makeMachine(options);
  if (!machine)
    return machine.takeError();
  if (options.processor != "native")
    if (const char *feature = lispier_rt_missing_cpu_feature(featuresOf(**machine).c_str()))
      return createStringError("this machine cannot run code for the processor " + options.processor + ": it has no " +
                               feature + ", or may not use it");
  result->targetMachine = std::move(*machine);
  result->effort = options.effort;
  result->objects = objects;
  auto compiler =
      [jit = result.get()](orc::JITTargetMachineBuilder) -> Expected<std::unique_ptr<orc::IRCompileLayer::IRCompiler>> {
    return std::make_unique<Compiler>(*jit);
  };
  Expected<std::unique_ptr<orc::LLLazyJIT>> jit =
      orc::LLLazyJITBuilder()
          .setCompileFunctionCreator(compiler)
          .setObjectLinkingLayerCreator(
              [jit = result.get()](orc::ExecutionSession &session) { return makeLinker(session, jit->code); })
          .setLazyCompileFailureAddr(orc::ExecutorAddr::fromPtr(&endProgram))
          .create();
  if (!jit)
    return jit.takeError();
  result->jit = std::move(*jit);
  result->jit->setPartitionFunction(groupOf);
  result->jit->getIRTransformLayer().setTransform(
      [jit = result.get()](orc::ThreadSafeModule module,
                           orc::MaterializationResponsibility &) -> Expected<orc::ThreadSafeModule> {
        std::lock_guard<std::mutex> guard(jit->compiling);
        module.withModuleDo([&](Module &m) {
          if (jit->findObject(m))
            return;
          std::string title = titleOf("optimise", m);
          runtime::TraceSpan span("jit", title.c_str());
          optimize(m, *jit->targetMachine, jit->effort);
        });
        return module;
      });
  // Before the program runs, callers also get failures as returned errors; afterwards they are reported only here.
  result->jit->getExecutionSession().setErrorReporter([jit = result.get()](Error error) {
    if (!jit->runs)
      return consumeError(std::move(error));
    errs() << "error: the program cannot be compiled further: " << toString(std::move(error)) << '\n';
  });
  return result;
}

Error Jit::addLibrary(StringRef path) {
  void *library = dlopen(path.str().c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (!library)
    return createStringError(dlerror());
  libraries.push_back(library);
  auto generator = orc::DynamicLibrarySearchGenerator::Load(path.str().c_str(), jit->getDataLayout().getGlobalPrefix());
  if (!generator)
    return generator.takeError();
  jit->getMainJITDylib().addGenerator(std::move(*generator));
  return Error::success();
}

std::vector<std::string> Jit::unresolved(const Module &module) const {
  std::vector<std::string> names;
  auto check = [&](const GlobalValue &value) {
    if (!value.isDeclaration() || value.use_empty() || value.hasExternalWeakLinkage())
      return;
    std::string name = value.getName().str();
    if (dlsym(RTLD_DEFAULT, name.c_str()) ||
        llvm::any_of(libraries, [&](void *library) { return dlsym(library, name.c_str()); }))
      return;
    names.push_back(std::move(name));
  };
  for (const Function &function : module)
    if (!function.isIntrinsic())
      check(function);
  for (const GlobalVariable &global : module.globals())
    check(global);
  return names;
}

Error Jit::add(std::unique_ptr<Module> module, std::unique_ptr<LLVMContext> context) {
  // Only calls of externally visible functions go through stubs that compile on demand.
  for (Function &function : *module)
    if (isOnDemand(function))
      function.setLinkage(GlobalValue::ExternalLinkage);
  if (Error error = jit->addLazyIRModule(orc::ThreadSafeModule(std::move(module), std::move(context))))
    return error;
  return jit->initialize(jit->getMainJITDylib());
}

Expected<void *> Jit::find(StringRef name) {
  Expected<orc::ExecutorAddr> address = jit->lookup(name);
  if (!address)
    return address.takeError();
  runs = true;
  return address->toPtr<void *>();
}
} // namespace lispier
