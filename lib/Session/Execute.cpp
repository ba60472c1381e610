//===- Execute.cpp - machine code, in a file or in this process -----------===//
#include "State.h"
#include "lispier/Runtime/Sim.h"
#include "lispier/Session/Session.h"
#include "lispier/Target/Cpu/Entry.h"
#include "lispier/Target/Cpu/Executable.h"
#include "lispier/Target/Cpu/Jit.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"
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
    addExecutableEntry(*program.module, featuresOf(**machine));
  mlir::TimingScope optimising = state->total.nest("optimise");
  if (entry)
    keepOnly(*program.module, "main");
  optimize(*program.module, **machine, state->options.cpu.effort);
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

void Session::State::reportUnresolved(mlir::ModuleOp module, ArrayRef<std::string> names) {
  for (const std::string &name : names) {
    mlir::Operation *declaration = module.lookupSymbol(name);
    diags.error("link-unresolved", declaration ? sourceRange(declaration->getLoc(), sources) : SMRange(),
                "no library defines `" + name + "`")
        .withHint("(link-library \"lib.so\") names a library that does");
  }
}

namespace {
/// An unused name in the directory of the output: the output appears whole or not at all.
std::optional<std::string> besides(StringRef output, std::string &why) {
  SmallString<128> path;
  std::error_code error = sys::fs::is_directory(output) ? std::make_error_code(std::errc::is_a_directory)
                                                        : sys::fs::createUniqueFile(output + ".%%%%%%", path);
  why = error.message();
  return error ? std::nullopt : std::optional(path.str().str());
}
} // namespace

bool Session::build(Generated &program, StringRef output, ArrayRef<std::string> archives) {
  auto fail = [&](const Twine &message) {
    state->diags.error("", SMRange(), message);
    return false;
  };
  std::string why;
  std::optional<std::string> object = besides((output + ".o").str(), why), linked = besides(output, why);
  FileRemover removeObject(object.value_or("")), removeLinked(linked.value_or(""));
  if (!object || !linked)
    return fail("cannot write " + output + ": " + why);
  std::error_code error;
  raw_fd_ostream os(*object, error);
  if (error)
    return fail("cannot write " + *object + ": " + error.message());
  if (!emit(*program.module, Stage::Obj, os, /*entry=*/true))
    return false;
  os.close();
  if (os.has_error()) {
    std::string reason = os.error().message();
    os.clear_error();
    return fail("cannot write " + *object + ": " + reason);
  }
  mlir::TimingScope linking = state->total.nest("link");
  std::vector<std::string> undefined;
  Error failure = linkExecutable({*object, *linked, archives.vec(), program.libraries}, undefined);
  if (failure && undefined.empty())
    return state->fail(std::move(failure), "", "");
  consumeError(std::move(failure));
  state->reportUnresolved(*program.module, undefined);
  if (!undefined.empty())
    return false;
  error = sys::fs::rename(*linked, output);
  return error ? fail("cannot write " + output + ": " + error.message()) : true;
}

const char *Session::State::explainMistake(void *context, const char *message) {
  auto *state = static_cast<State *>(context);
  SMRange nowhere;
  Diag *diag = nullptr;
  for (auto [line, rest] = StringRef(message).split('\n'); !line.empty(); std::tie(line, rest) = rest.split('\n')) {
    // "place: error[code]: text", "place: note: text", "note: text"
    SmallVector<StringRef> match;
    if (!Regex("^(((.+):([0-9]+):([0-9]+)|[^:]+): )?(note|error\\[([a-z-]+)\\]): (.*)$").match(line, &match))
      return message;
    unsigned row = 0, column = 0;
    bool placed = !match[4].getAsInteger(10, row) && !match[5].getAsInteger(10, column);
    SMRange range = placed ? sourceRange(mlir::FileLineColLoc::get(&state->context, match[3], row, column), state->sources) : nowhere;
    if (placed && !range.isValid())
      return message; // A file that this session has not read: its name must not get lost.
    if (match[6] != "note")
      diag = &state->diags.error(match[7], range, match[8]);
    else if (diag)
      diag->note(range, match[8]);
  }
  raw_string_ostream os(state->mistake);
  state->diags.print(os); // With the warnings that nobody will print now: the program ends here.
  return state->mistake.c_str();
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
  keepOnly(*code.module, kEntryName);
  state->reportUnresolved(*program.module, (*jit)->unresolved(*code.module));
  if (state->diags.hasErrors())
    return std::nullopt;

  // Kernels follow while the program runs, each when it is first called.
  mlir::TimingScope generating = state->total.nest("optimise and generate code");
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
  lispier_sim_explain_with(&State::explainMistake, state.get());
  auto plain = make_scope_exit([] { lispier_sim_explain_with(nullptr, nullptr); });
  std::vector<char *> argv;
  for (const std::string &argument : arguments)
    argv.push_back(const_cast<char *>(argument.c_str()));
  argv.push_back(nullptr);
  MainResult result{main};
  reinterpret_cast<void (*)(int32_t, char **, uint64_t *)>(*entry)(arguments.size(), argv.data(), &result.value);
  return result;
}
} // namespace lispier
