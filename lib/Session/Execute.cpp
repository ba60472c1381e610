//===- Execute.cpp - machine code, in a file or in this process -----------===//
#include "State.h"
#include "lispier/Session/Session.h"
#include "lispier/Target/Cpu/Entry.h"
#include "lispier/Target/Cpu/Jit.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace lispier {
namespace {
struct LlvmProgram {
  std::unique_ptr<LLVMContext> context = std::make_unique<LLVMContext>();
  std::unique_ptr<Module> module;
};
} // namespace

bool Session::emit(mlir::ModuleOp module, Stage stage, raw_pwrite_stream &os, bool entry) {
  Expected<std::unique_ptr<TargetMachine>> machine = makeMachine(state->options.cpu);
  if (!machine)
    return state->fail(machine.takeError(), "target-mismatch", "");
  LlvmProgram program;
  program.module = toLlvmIr(module, *program.context, **machine);
  if (!program.module)
    return false;
  if (entry)
    addExecutableEntry(*program.module);
  mlir::TimingScope optimising = state->total.nest("optimise");
  optimize(*program.module, **machine, state->options.cpu.effort, entry ? "main" : "");
  optimising.stop();
  if (stage == Stage::Llvm) {
    program.module->print(os, nullptr);
    return true;
  }
  mlir::TimingScope writing = state->total.nest("generate code");
  CodeFile kind = stage == Stage::Asm ? CodeFile::Assembly : CodeFile::Object;
  if (Error error = writeCode(*program.module, **machine, kind, os))
    return state->fail(std::move(error), "target-mismatch", "");
  return true;
}

std::optional<MainResult> Session::run(Generated &program, const MainSignature &main, ArrayRef<std::string> arguments) {
  mlir::TimingScope starting = state->total.nest("start JIT");
  Expected<std::unique_ptr<Jit>> jit = Jit::create(state->options.cpu);
  if (!jit) {
    state->fail(jit.takeError(), "target-mismatch", "");
    return std::nullopt;
  }
  for (const std::string &library : program.libraries)
    if (Error error = (*jit)->addLibrary(library))
      state->fail(std::move(error), "link-unresolved", "cannot open the library " + library + ": ");
  starting.stop();

  mlir::TimingScope translating = state->total.nest("translate");
  LlvmProgram code;
  code.module = toLlvmIr(*program.module, *code.context, (*jit)->machine());
  if (!code.module)
    return std::nullopt;
  addJitEntry(*code.module);
  translating.stop();
  mlir::TimingScope optimising = state->total.nest("optimise");
  optimize(*code.module, (*jit)->machine(), state->options.cpu.effort, kEntryName);
  optimising.stop();

  for (const std::string &name : (*jit)->unresolved(*code.module)) {
    mlir::Operation *declaration = program.module->lookupSymbol(name);
    state->diags.error("link-unresolved", declaration ? sourceRange(declaration->getLoc(), state->sources) : SMRange(),
                       "no library defines `" + name + "`")
        .withHint("(link-library \"lib.so\") names a library that does");
  }
  if (state->diags.hasErrors())
    return std::nullopt;

  mlir::TimingScope generating = state->total.nest("generate code");
  if (Error error = (*jit)->add(std::move(code.module), std::move(code.context))) {
    state->fail(std::move(error), "link-unresolved", "");
    return std::nullopt;
  }
  Expected<void *> entry = (*jit)->find(kEntryName);
  if (!entry) {
    state->fail(entry.takeError(), "link-unresolved", "");
    return std::nullopt;
  }
  generating.stop();

  mlir::TimingScope running = state->total.nest("run");
  std::vector<char *> argv;
  for (const std::string &argument : arguments)
    argv.push_back(const_cast<char *>(argument.c_str()));
  argv.push_back(nullptr);
  MainResult result{main};
  reinterpret_cast<void (*)(int32_t, char **, uint64_t *)>(*entry)(arguments.size(), argv.data(), &result.value);
  return result;
}
} // namespace lispier
