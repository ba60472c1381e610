//===- Jit.cpp - machine code in this process -----------------------------===//
#include "lispier/Target/Cpu/Jit.h"
#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/IRCompileLayer.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/ExecutionEngine/Orc/ThreadSafeModule.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"
#include <dlfcn.h>

using namespace llvm;

namespace lispier {
Jit::Jit() = default;
Jit::~Jit() = default;

Expected<std::unique_ptr<Jit>> Jit::create(const CpuOptions &options) {
  std::unique_ptr<Jit> result(new Jit());
  Expected<std::unique_ptr<TargetMachine>> machine = makeMachine(options);
  if (!machine)
    return machine.takeError();
  result->targetMachine = std::move(*machine);
  // Modules are optimised before they come here; what is left is one run of the code generator.
  auto compiler = [machine = result->targetMachine.get()](orc::JITTargetMachineBuilder)
      -> Expected<std::unique_ptr<orc::IRCompileLayer::IRCompiler>> { return std::make_unique<orc::SimpleCompiler>(*machine); };
  Expected<std::unique_ptr<orc::LLJIT>> jit = orc::LLJITBuilder().setCompileFunctionCreator(compiler).create();
  if (!jit)
    return jit.takeError();
  result->jit = std::move(*jit);
  // The session reports failures through the errors that its calls return.
  result->jit->getExecutionSession().setErrorReporter([](Error error) { consumeError(std::move(error)); });
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
    if (dlsym(RTLD_DEFAULT, name.c_str()) || llvm::any_of(libraries, [&](void *library) { return dlsym(library, name.c_str()); }))
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
  if (Error error = jit->addIRModule(orc::ThreadSafeModule(std::move(module), std::move(context))))
    return error;
  return jit->initialize(jit->getMainJITDylib());
}

Expected<void *> Jit::find(StringRef name) {
  Expected<orc::ExecutorAddr> address = jit->lookup(name);
  if (!address)
    return address.takeError();
  return address->toPtr<void *>();
}
} // namespace lispier
