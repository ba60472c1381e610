//===- Jit.cpp - machine code in this process -----------------------------===//
#include "lispier/Target/Cpu/Jit.h"
#include "lispier/Runtime/Core/Failure.h"
#include "lispier/Runtime/Core/Runtime.h"
#include "lispier/Target/Cpu/Entry.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/IRCompileLayer.h"
#include "llvm/ExecutionEngine/Orc/IndirectionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/ExecutionEngine/Orc/LazyReexports.h"
#include "llvm/ExecutionEngine/Orc/MapperJITLinkMemoryManager.h"
#include "llvm/ExecutionEngine/Orc/MemoryMapper.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/thread.h"
#include "llvm/Target/TargetMachine.h"
#include <dlfcn.h>

using namespace llvm;

namespace lispier {
Jit::Jit() = default;
Jit::~Jit() = default;

namespace {
/// Address space reserved for a program's code. Objects that are linked one by one must be within 2 GB of each other,
/// but a GPU driver may map more than that in between.
constexpr size_t kCodeSpace = 256 << 20;
/// Of a thread that compiles, as the main thread of a process has by default. LLVM's code generation recurses along
/// chains of instructions.
constexpr std::optional<unsigned> kStackBytes = 8 << 20;

/// The name of a symbol in the source: CodeParts.cpp renames what several units use, and Entry.cpp renames `main`.
std::string sourceName(StringRef symbol) {
  symbol.consume_front(kSharedPrefix);
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
  runtime::endRun({/*place=*/{}, /*code=*/{}, /*message=*/nullptr, runtime::Ending::AtOnce});
}

/// A digest of everything that the object of a unit depends on.
std::string nameOf(const CodeUnit &unit, const TargetMachine &machine, CodeEffort effort) {
  BLAKE3 hash;
  for (StringRef part : {machine.getTargetCPU(), machine.getTargetFeatureString(),
                         StringRef(effort == CodeEffort::Full ? "full" : "quick"), StringRef(unit.bitcode)}) {
    hash.update(part);
    hash.update(ArrayRef<uint8_t>{0});
  }
  return toHex(hash.final<20>(), /*LowerCase=*/true);
}
} // namespace

/// Gets the object of a unit when the address of one of its definitions is first needed.
class Jit::LazyUnit : public orc::MaterializationUnit {
public:
  LazyUnit(Jit &jit, const CodeUnit &unit, Interface defined)
      : MaterializationUnit(std::move(defined)), jit(jit), unit(unit) {}

  StringRef getName() const override { return "unit"; }
  void materialize(std::unique_ptr<orc::MaterializationResponsibility> wanted) override {
    Expected<std::unique_ptr<MemoryBuffer>> object = jit.objectOf(unit);
    if (object)
      return jit.jit->getObjLinkingLayer().emit(std::move(wanted), std::move(*object));
    jit.jit->getExecutionSession().reportError(object.takeError());
    wanted->failMaterialization();
  }

private:
  void discard(const orc::JITDylib &, const orc::SymbolStringPtr &) override {} // No other definition has its names.

  Jit &jit;
  const CodeUnit &unit;
};

/// From the cache, or compiled now, in a thread of its own: what needs a function first may be a thread of the
/// simulator, whose stack is small.
Expected<std::unique_ptr<MemoryBuffer>> Jit::objectOf(const CodeUnit &unit) {
  std::lock_guard<std::mutex> guard(compiling);
  std::string name = nameOf(unit, *targetMachine, effort);
  if (objects)
    if (std::unique_ptr<MemoryBuffer> known = objects->find(name))
      return known;
  auto compileUnit = [&]() -> Expected<ObjectCode> {
    LLVMContext context;
    Expected<std::unique_ptr<Module>> module = parseBitcodeFile(MemoryBufferRef(unit.bitcode, name), context);
    if (!module)
      return module.takeError();
    return compile(**module, *targetMachine, effort);
  };
  std::optional<Expected<ObjectCode>> made;
  llvm::thread(kStackBytes, [&] { made.emplace(compileUnit()); }).join();
  Expected<ObjectCode> &object = *made;
  if (!object)
    return object.takeError();
  if (objects)
    objects->store(name, StringRef(object->data(), object->size()));
  return std::make_unique<SmallVectorMemoryBuffer>(std::move(*object), name, /*RequiresNullTerminator=*/false);
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
  // Modules are compiled here, and the JIT gets objects only, so that it needs no second target machine.
  auto compiler =
      [jit = result.get()](orc::JITTargetMachineBuilder) -> Expected<std::unique_ptr<orc::IRCompileLayer::IRCompiler>> {
    return std::make_unique<orc::SimpleCompiler>(*jit->targetMachine);
  };
  orc::LLJITBuilder builder;
  builder.setCompileFunctionCreator(compiler)
      .setObjectLinkingLayerCreator(
          [jit = result.get()](orc::ExecutionSession &session) { return makeLinker(session, jit->code); })
      .setPlatformSetUp(orc::setUpInactivePlatform); // Entry.cpp calls constructors.
  Expected<std::unique_ptr<orc::LLJIT>> jit = builder.create();
  if (!jit)
    return jit.takeError();
  result->jit = std::move(*jit);
  orc::ExecutionSession &session = result->jit->getExecutionSession();
  const Triple &triple = result->targetMachine->getTargetTriple();
  auto callThrough = orc::createLocalLazyCallThroughManager(triple, session, orc::ExecutorAddr::fromPtr(&endProgram));
  if (!callThrough)
    return callThrough.takeError();
  result->callThrough = std::move(*callThrough);
  result->stubs = orc::createLocalIndirectStubsManagerBuilder(triple)();
  // Before the program runs, callers also get failures as returned errors; afterwards they are reported only here.
  session.setErrorReporter([jit = result.get()](Error error) {
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

std::vector<std::string> externalNames(const Module &module) {
  std::vector<std::string> names;
  auto add = [&](const GlobalValue &value) {
    if (value.isDeclaration() && !value.use_empty() && !value.hasExternalWeakLinkage())
      names.push_back(value.getName().str());
  };
  for (const Function &function : module)
    if (!function.isIntrinsic())
      add(function);
  for (const GlobalVariable &global : module.globals())
    add(global);
  return names;
}

std::vector<std::string> Jit::unresolved(ArrayRef<std::string> names) const {
  std::vector<std::string> missing;
  for (const std::string &name : names)
    if (!dlsym(RTLD_DEFAULT, name.c_str()) &&
        llvm::none_of(libraries, [&](void *library) { return dlsym(library, name.c_str()); }))
      missing.push_back(name);
  return missing;
}

Error Jit::add(Module &module) {
  std::lock_guard<std::mutex> guard(compiling);
  Expected<ObjectCode> object = compile(module, *targetMachine, effort);
  if (!object)
    return object.takeError();
  return jit->addObjectFile(
      std::make_unique<SmallVectorMemoryBuffer>(std::move(*object), "macro", /*RequiresNullTerminator=*/false));
}

Error Jit::add(ArrayRef<CodeUnit> units) {
  orc::JITDylib &stubsOf = jit->getMainJITDylib();
  Expected<orc::JITDylib &> created = jit->createJITDylib("units");
  if (!created)
    return created.takeError();
  program = &*created;
  // A unit calls others by their stubs, and its own functions directly.
  orc::JITDylibSearchOrder order =
      orc::makeJITDylibSearchOrder({&stubsOf, program}, orc::JITDylibLookupFlags::MatchAllSymbols);
  llvm::append_range(order, jit->defaultLinkOrder());
  program->setLinkOrder(std::move(order), /*LinkAgainstThisJITDylibFirst=*/false);
  constexpr auto kVariable = JITSymbolFlags::Exported, kFunction = kVariable | JITSymbolFlags::Callable;
  orc::SymbolAliasMap stubbed;
  for (const CodeUnit &unit : units) {
    orc::SymbolFlagsMap defined;
    for (const std::string &name : unit.variables)
      defined[jit->mangleAndIntern(name)] = kVariable;
    for (const std::string &name : unit.functions) {
      orc::SymbolStringPtr symbol = jit->mangleAndIntern(name);
      defined[symbol] = kFunction;
      if (&unit != units.begin())
        stubbed[symbol] = {symbol, kFunction};
    }
    if (Error error = program->define(
            std::make_unique<LazyUnit>(*this, unit, orc::MaterializationUnit::Interface(std::move(defined), nullptr))))
      return error;
  }
  return stubsOf.define(orc::lazyReexports(*callThrough, *stubs, *program, std::move(stubbed)));
}

Expected<void *> Jit::find(StringRef name) {
  Expected<orc::ExecutorAddr> address = jit->lookup(program ? *program : jit->getMainJITDylib(), name);
  if (!address)
    return address.takeError();
  runs = true;
  return address->toPtr<void *>();
}
} // namespace lispier
