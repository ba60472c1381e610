//===- Execute.cpp - emit, link and run -----------------------------------===//
#include "State.h"
#include "lispier/Session/Session.h"
#include "lispier/Target/Cpu/Entry.h"
#include "lispier/Target/Cpu/Executable.h"
#include "lispier/Target/Cpu/LibraryEntries.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include <deque>

using namespace llvm;

namespace lispier {
namespace {
struct LlvmProgram {
  std::unique_ptr<LLVMContext> context = std::make_unique<LLVMContext>();
  std::unique_ptr<Module> module;
};
} // namespace

std::optional<std::vector<ObjectCode>> Session::compileProgram(ArrayRef<Lowered> targets, ArrayRef<Interface> libraries,
                                                               std::vector<std::string> &exported) {
  auto fail = [&](Error error) {
    state->fail(std::move(error), "target-mismatch", "");
    return std::nullopt;
  };
  Expected<std::unique_ptr<TargetMachine>> machine = makeMachine(state->options.cpu);
  if (!machine)
    return fail(machine.takeError());
  LlvmProgram program;
  SmallVector<TargetProgram> programs;
  for (const Lowered &target : targets) {
    programs.push_back(describe(target.target));
    programs.back().module = toLlvmIr(*target.program.module, *program.context, **machine);
    if (!programs.back().module)
      return std::nullopt;
  }
  if (!libraries.empty()) {
    if (Error error = joinLibrary(programs, libraries, featuresOf(**machine), exported).moveInto(program.module))
      return fail(std::move(error));
    keepOnly(*program.module, exported);
  } else {
    if (programs.size() == 1)
      program.module = std::move(programs.front().module);
    else if (Error error = joinTargets(programs).moveInto(program.module))
      return fail(std::move(error));
    addExecutableEntry(*program.module, featuresOf(**machine));
    keepOnly(*program.module, {"main"});
  }
  mlir::TimingScope generating = state->begin("optimise and generate code", (*machine)->getTargetCPU());
  Expected<std::vector<ObjectCode>> objects = compileInParts(*program.module, **machine, state->options.cpu);
  if (!objects)
    return fail(objects.takeError());
  if (!state->binaries.empty()) {
    LLVMContext context;
    std::unique_ptr<Module> binaries = state->takeBinaries(context, **machine);
    if (!binaries)
      return std::nullopt;
    if (Error error = lispier::compile(*binaries, **machine, CodeEffort::Quick).moveInto(objects->emplace_back()))
      return fail(std::move(error));
  }
  return std::move(*objects);
}

KernelBinaries &Session::binaries() { return state->binaries; }

std::unique_ptr<Module> Session::State::takeBinaries(LLVMContext &context, TargetMachine &machine) {
  mlir::TimingScope waiting = begin("generate code of kernels");
  std::unique_ptr<Module> module = binaries.take(context);
  if (!module)
    return nullptr;
  module->setDataLayout(machine.createDataLayout());
  module->setTargetTriple(machine.getTargetTriple());
  return module;
}

bool Session::emit(mlir::ModuleOp module, Stage stage, raw_pwrite_stream &os) {
  Expected<std::unique_ptr<TargetMachine>> machine = makeMachine(state->options.cpu);
  if (!machine)
    return state->fail(machine.takeError(), "target-mismatch", "");
  LlvmProgram program;
  program.module = toLlvmIr(module, *program.context, **machine);
  return program.module && state->write(*program.module, **machine, stage, os);
}

bool Session::State::write(Module &module, TargetMachine &machine, Stage stage, raw_pwrite_stream &os) {
  mlir::TimingScope optimising = begin("optimise", machine.getTargetCPU());
  optimize(module, machine, options.cpu.effort);
  optimising.stop();
  if (stage == Stage::Llvm) {
    module.print(os, nullptr);
    return true;
  }
  mlir::TimingScope writing = begin("generate code", stageName(stage));
  CodeFile kind = stage == Stage::Asm ? CodeFile::Assembly : CodeFile::Object;
  if (Error error = writeCode(module, machine, kind, os))
    return fail(std::move(error), "target-mismatch", "");
  return true;
}

void Session::State::cannotOpen(const LinkedLibrary &library, const Twine &why) {
  diags.error("link-unresolved", library.range, "cannot open the library " + library.path + ": " + why)
      .withHint("a path with a `/` is taken from the working directory; a name without one is looked up where the "
                "system has libraries");
}

void Session::State::reportUnresolved(mlir::ModuleOp module, ArrayRef<std::string> names) {
  for (const std::string &name : names) {
    mlir::Operation *declaration = module.lookupSymbol(name);
    diags
        .error("link-unresolved", declaration ? sourceRange(declaration->getLoc(), sources) : SMRange(),
               "no library defines `" + name + "`")
        .withHint("(link-library \"lib.so\") names a library that does");
  }
}

namespace {
/// Returns an unused file name in the output's directory, from which the finished output is renamed.
std::optional<std::string> besides(StringRef output, std::string &why) {
  SmallString<128> path;
  std::error_code error = sys::fs::is_directory(output) ? std::make_error_code(std::errc::is_a_directory)
                                                        : sys::fs::createUniqueFile(output + ".%%%%%%", path);
  why = error.message();
  if (bool special = false; !sys::fs::is_other(output, special) &&
                            special) { // Such as /dev/null, which renaming would replace by a regular file.
    sys::fs::remove(path);
    why = "it is no regular file";
    return std::nullopt;
  }
  return error ? std::nullopt : std::optional(path.str().str());
}

/// Writes an object to an unused file in the output's directory. Returns its name.
std::optional<std::string> writeBeside(StringRef output, const ObjectCode &code, std::string &why) {
  std::optional<std::string> path = besides((output + ".o").str(), why);
  std::error_code error;
  if (path) {
    raw_fd_ostream os(*path, error);
    if (!error) {
      os.write(code.data(), code.size());
      os.close();
      error = os.error();
      os.clear_error();
    }
    if (!error)
      return path;
    sys::fs::remove(*path);
    why = error.message();
  }
  why = ("cannot write " + output + ".o: " + why).str();
  return std::nullopt;
}
} // namespace

bool Session::build(ArrayRef<Lowered> targets, StringRef output, const RuntimeFiles &runtime) {
  return build(targets, output, runtime, /*libraries=*/{});
}

bool Session::buildLibrary(ArrayRef<Lowered> targets, ArrayRef<Interface> libraries, StringRef output,
                           const RuntimeFiles &runtime) {
  return build(targets, output, runtime, libraries);
}

bool Session::build(ArrayRef<Lowered> targets, StringRef output, const RuntimeFiles &runtime,
                    ArrayRef<Interface> interfaces) {
  const Generated &program = targets.front().program; // The libraries to link are the same for all targets.
  auto fail = [&](const Twine &message) {
    state->diags.error("", SMRange(), message);
    return false;
  };
  std::string why;
  std::optional<std::string> linked = besides(output, why);
  FileRemover removeLinked(linked.value_or(""));
  if (!linked)
    return fail("cannot write " + output + ": " + why);
  std::vector<std::string> exported;
  std::optional<std::vector<ObjectCode>> codes = compileProgram(targets, interfaces, exported);
  if (!codes)
    return false;
  std::vector<std::string> objects;
  std::deque<FileRemover> removeObjects; // Which cannot be moved.
  for (const ObjectCode &code : *codes) {
    std::optional<std::string> object = writeBeside(output, code, why);
    if (!object)
      return fail(why);
    removeObjects.emplace_back(*object);
    objects.push_back(std::move(*object));
  }
  mlir::TimingScope linking = state->begin("link", output);
  std::vector<std::string> undefined;
  std::vector<std::string> libraries;
  for (const LinkedLibrary &library : program.libraries)
    libraries.push_back(library.path);
  if (Error failure = link({state->options.linker, objects, *linked, runtime, libraries, exported}, undefined)) {
    std::string said = toString(std::move(failure));
    unsigned errorsBefore = diags().errors();
    state->reportUnresolved(*program.module, undefined);
    for (const LinkedLibrary &library : program.libraries)
      if (undefined.empty() && StringRef(said).contains(library.path))
        state->cannotOpen(library, said);
    return diags().errors() == errorsBefore ? fail(said) : false;
  }
  std::error_code error = sys::fs::rename(*linked, output);
  return error ? fail("cannot write " + output + ": " + error.message()) : true;
}

std::optional<CompiledProgram> Session::compile(Generated &program, const MainSignature &main) {
  Expected<std::unique_ptr<TargetMachine>> machine = makeMachine(state->options.cpu);
  if (!machine) {
    state->fail(machine.takeError(), "target-mismatch", "");
    return std::nullopt;
  }
  mlir::TimingScope translating = state->begin("translate", "to LLVM IR");
  LlvmProgram code;
  code.module = toLlvmIr(*program.module, *code.context, **machine);
  if (!code.module)
    return std::nullopt;
  addJitEntry(*code.module);
  keepOnly(*code.module, {kEntryName.str()});
  CompiledProgram compiled;
  compiled.main = main;
  compiled.printsResult = program.recipes.empty();
  for (const LinkedLibrary &library : program.libraries)
    compiled.libraries.push_back(library.path);
  for (std::string &name : externalNames(*code.module))
    if (!state->binaries.defines(name))
      compiled.externals.push_back(std::move(name));
  if (Error error = divideIntoUnits(*code.module).moveInto(compiled.units)) {
    state->fail(std::move(error), "target-mismatch", "");
    return std::nullopt;
  }
  if (!state->binaries.empty()) {
    std::unique_ptr<Module> binaries = state->takeBinaries(*code.context, **machine);
    if (!binaries)
      return std::nullopt;
    compiled.units.push_back(unitOf(*binaries));
  }
  raw_string_ostream messages(compiled.messages);
  messages << state->remarks;
  diags().print(messages);
  return compiled;
}

std::optional<MainResult> Session::run(const CompiledProgram &program, const Generated &source,
                                       ArrayRef<std::string> arguments, ObjectStore *objects) {
  // Kernels are compiled lazily at their first call.
  mlir::TimingScope generating = state->begin("optimise and generate code");
  Expected<std::unique_ptr<LoadedProgram>> loaded = LoadedProgram::load(program, state->options.cpu, objects);
  generating.stop();
  if (Error error = loaded.takeError()) {
    error = handleErrors(
        std::move(error),
        [&](const UnresolvedNames &unresolved) { state->reportUnresolved(*source.module, unresolved.names); },
        [&](const UnopenedLibrary &unopened) {
          auto library =
              find_if(source.libraries, [&](const LinkedLibrary &library) { return library.path == unopened.path; });
          state->cannotOpen(*library, unopened.why);
        });
    if (error)
      state->fail(std::move(error), "target-mismatch", "");
    return std::nullopt;
  }
  mlir::TimingScope running = state->begin("run");
  return (*loaded)->call(arguments, sources());
}
} // namespace lispier
