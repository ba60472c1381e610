//===- lispier.cpp - the driver -------------------------------------------===//
#include "Cache.h"
#include "Completions.h"
#include "ExplainName.h"
#include "FatalErrors.h"
#include "FormatFiles.h"
#include "KernelRuns.h"
#include "LibraryInterface.h"
#include "Linker.h"
#include "ManPage.h"
#include "Options.h"
#include "Output.h"
#include "Tune.h"
#include "lispier/Expand/SpecialForms.h"
#include "lispier/Runtime/Core/Trace.h"
#include "lispier/Runtime/Device/Device.h"
#include "lispier/Target/Cpu/Executable.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdio>
#include <cstdlib>

using namespace llvm;
using namespace lispier;

namespace {
constexpr int kFailure = 1, kUsage = 2;

void printForms(raw_ostream &os, ArrayRef<const Form *> forms, bool oneLine) {
  for (const Form *form : forms) {
    oneLine ? form->print(os) : form->prettyPrint(os);
    os << '\n';
  }
}

/// Compiles the input to a verified module; null after an error.
Generated load(Session &session, const Invocation &invocation, unsigned buffer) {
  if (invocation.from >= Stage::Module)
    return session.parseModule(buffer);
  Program program = invocation.command == Command::Eval ? session.expression(buffer) : session.core(buffer);
  return session.diags().hasErrors() ? Generated() : session.module(program);
}

PipelineOptions pipelineOf(const Invocation &invocation, const ProgramTarget &target, Stage until) {
  PipelineOptions options;
  options.from = std::max(invocation.from, Stage::Module);
  options.until = std::min(until, Stage::Target);
  options.target = target;
  if (invocation.gpuFormat)
    options.format = nameOf(*invocation.gpuFormat).str();
  return options;
}

/// Writes the kernels, and their description next to the output file.
bool emitGpu(Session &session, const Invocation &invocation, mlir::ModuleOp module, raw_ostream &os) {
  std::optional<KernelFile> kernels = session.kernels(module);
  if (!kernels)
    return false;
  os << kernels->bytes;
  if (invocation.output.empty() || invocation.output == "-")
    return true;
  if (overwritesSource(session, invocation.output + ".json"))
    return false;
  return writeOutput(invocation.output + ".json", session, [&](raw_ostream &file) {
    file << kernels->description;
    return true;
  });
}

/// Prints the module for each target, separated like the input of MLIR's -split-input-file.
bool emitPerTarget(Session &session, const Invocation &invocation, Generated program, raw_ostream &os) {
  for (const ProgramTarget &target : invocation.targets) {
    Generated copy = program.clone();
    if (!session.lower(copy, pipelineOf(invocation, target, invocation.until)))
      return false;
    os << (&target == &invocation.targets.front() ? "" : "// -----\n");
    copy.module->print(os);
  }
  return true;
}

bool emit(Session &session, const Invocation &invocation, unsigned buffer, raw_pwrite_stream &os) {
  if (invocation.until <= Stage::Core) {
    bool core = invocation.until == Stage::Core;
    printForms(os, core ? session.core(buffer, !invocation.oneLine).forms : session.forms(buffer), invocation.oneLine);
    return !session.diags().hasErrors();
  }
  Generated program = load(session, invocation, buffer);
  if (!program.module)
    return false;
  if (invocation.targets.size() > 1 && invocation.until > Stage::Module)
    return emitPerTarget(session, invocation, std::move(program), os);
  if (!session.lower(program, pipelineOf(invocation, invocation.targets.front(), invocation.until)))
    return false;
  if (invocation.gpuFormat)
    return emitGpu(session, invocation, *program.module, os);
  if (invocation.until > Stage::Target)
    return session.emit(*program.module, invocation.until, os);
  if (!invocation.asLisp) {
    program.module->print(os);
    return true;
  }
  std::vector<const Form *> forms = session.lisp(*program.module);
  if (!session.diags().hasErrors())
    printForms(os, forms, /*oneLine=*/false);
  return !session.diags().hasErrors();
}

bool emit(Session &session, const Invocation &invocation, unsigned buffer) {
  if (invocation.output.empty()) {
    SmallVector<char, 0> text; // Object writers seek.
    raw_svector_ostream os(text);
    bool ok = emit(session, invocation, buffer, os);
    outs() << os.str();
    return ok;
  }
  return writeOutput(invocation.output, session, [&](raw_pwrite_stream &os) {
    return emit(session, invocation, buffer, os) && !overwritesSource(session, invocation.output);
  });
}

std::string ownPath() { return sys::fs::getMainExecutable(nullptr, reinterpret_cast<void *>(&ownPath)); }

/// Finds the runtime's files, relative to the tool, in a build tree or an installation; nothing after an error.
std::optional<RuntimeFiles> findRuntime(const Invocation &invocation, DiagSink &diags) {
  std::string tool = ownPath();
  StringRef prefix = sys::path::parent_path(sys::path::parent_path(tool));
  auto find = [&](StringRef name) {
    for (StringRef directory : {"/lib/lispier/", "/lib/"})
      if (std::string path = (prefix + directory + name).str(); sys::fs::exists(path))
        return path;
    diags.error("", SMRange(), name + ", a part of Lispier, is not in " + prefix + "/lib")
        .withHint("install the tool with `cmake --install`");
    return std::string();
  };
  RuntimeFiles files;
  // The linker takes a function of the first that has it: of those that both have, the runtime's is faster.
  files.archives = {find("libLispierRuntime.a"), find("libLispierCheckpointStandalone.a")};
  if (invocation.runtime == RuntimeKind::Shared)
    files.shared = find("libLispierRuntime.so");
  return diags.hasErrors() ? std::nullopt : std::optional(files);
}

/// Prints the result of `main` and returns the exit status.
int finish(const Invocation &invocation, const CompiledProgram &program, const MainResult &result) {
  std::fflush(stdout); // Output of the program precedes its result.
  if (std::string text = result.text(); !text.empty() && program.printsResult)
    outs() << text << '\n';
  return invocation.exitCode ? result.exitStatus() : 0;
}

/// Runs the program from the cache. Returns nothing if it must be compiled.
std::optional<int> runKept(const Invocation &invocation, ProgramCache &cache, const MemoryBuffer &source) {
  SourceMgr sources;
  std::optional<CompiledProgram> program = cache.find(source, sources);
  if (!program)
    return std::nullopt;
  if (invocation.session.verbose)
    errs() << "lispier: run: from the cache\n";
  sources.AddNewSourceBuffer(MemoryBuffer::getMemBuffer(source.getMemBufferRef()), SMLoc());
  Expected<std::unique_ptr<LoadedProgram>> loaded = LoadedProgram::load(*program, invocation.session.cpu, &cache);
  if (!loaded) {
    consumeError(loaded.takeError()); // Compiling reports the same error with its location.
    return std::nullopt;
  }
  runtime::TraceSpan running("compile", "run");
  int status = finish(invocation, *program, (*loaded)->call(invocation.arguments, sources));
  outs().flush();
  errs() << program->messages;
  return status;
}

/// Lowers a copy of the program for each target, since the kernels, and so the host code, depend on it.
bool build(Session &session, const Invocation &invocation, Generated program) {
  if (overwritesSource(session, invocation.output))
    return false;
  std::vector<Lowered> lowered;
  for (const ProgramTarget &target : invocation.targets) {
    bool last = &target == &invocation.targets.back();
    lowered.push_back({target, last ? std::move(program) : program.clone()});
    PipelineOptions pipeline = pipelineOf(invocation, target, Stage::Target);
    pipeline.binaries = &session.binaries();
    if (!session.lower(lowered.back().program, pipeline))
      return false;
  }
  std::optional<RuntimeFiles> runtime = findRuntime(invocation, session.diags());
  return runtime && session.build(lowered, invocation.output, *runtime);
}

/// Writes the names of the source files, a line for each.
bool writeDependencies(Session &session, const std::string &path) {
  return writeOutput(path, session, [&](raw_ostream &os) {
    for (unsigned i : seq(session.sources().getNumBuffers())) {
      StringRef name = session.sources().getMemoryBuffer(i + 1)->getBufferIdentifier();
      if (sys::fs::exists(name)) // The Prelude and the kernels are in the tool.
        os << name << '\n';
    }
    return true;
  });
}

/// Lowers a program to a stage as a library of its entries, which it returns; nothing after an error.
std::optional<Interface> lowerLibrary(Session &session, const Invocation &invocation, Lowered &lowered, Stage until) {
  std::string prefix = invocation.prefix;
  if (prefix.empty())
    prefix = cName(invocation.input == "-" ? "lispier" : sys::path::stem(invocation.input));
  std::optional<Interface> library = session.findEntries(*lowered.program.module, prefix);
  if (!library)
    return std::nullopt;
  std::vector<std::string> functions;
  for (const InterfaceEntry &entry : library->entries)
    functions.push_back(entry.function);
  session.keepOnlyFunctions(*lowered.program.module, functions);
  PipelineOptions pipeline = pipelineOf(invocation, lowered.target, until);
  pipeline.binaries = &session.binaries();
  if (!session.lower(lowered.program, pipeline))
    return std::nullopt;
  library = session.findEntries(*lowered.program.module, prefix);
  for (const ProgramTarget &target : invocation.targets)
    if (library)
      library->targets.push_back(target.name());
  return library;
}

/// Prints what a library of the program exports.
bool printInterface(Session &session, const Invocation &invocation, Generated program) {
  Lowered lowered{invocation.targets.front(), std::move(program)};
  std::optional<Interface> library = lowerLibrary(session, invocation, lowered, Stage::Tensor);
  if (library)
    outs() << library->toJson() << '\n';
  return library.has_value();
}

/// Builds a shared library, and writes its C header beside it.
bool buildLibrary(Session &session, const Invocation &invocation, Generated program) {
  if (overwritesSource(session, invocation.output))
    return false;
  std::vector<Lowered> lowered;
  std::vector<Interface> libraries;
  for (const ProgramTarget &target : invocation.targets) {
    bool last = &target == &invocation.targets.back();
    lowered.push_back({target, last ? std::move(program) : program.clone()});
    std::optional<Interface> library = lowerLibrary(session, invocation, lowered.back(), Stage::Target);
    if (!library)
      return false;
    libraries.push_back(std::move(*library));
  }
  std::optional<RuntimeFiles> runtime = findRuntime(invocation, session.diags());
  if (!runtime || !session.buildLibrary(lowered, libraries, invocation.output, *runtime))
    return false;
  SmallString<128> header(invocation.header.empty() ? invocation.output : invocation.header);
  if (header == "none")
    return true;
  if (invocation.header.empty()) { // libsoftmax.so has softmax.h beside it.
    std::string stem = sys::path::stem(invocation.output).str();
    sys::path::remove_filename(header);
    sys::path::append(header, StringRef(stem).drop_front(StringRef(stem).starts_with("lib") ? 3 : 0) + ".h");
  }
  return !overwritesSource(session, header.str()) && writeOutput(header.str().str(), session, [&](raw_ostream &file) {
    file << libraries.front().toHeader(sys::path::filename(header));
    return true;
  });
}

/// Compiles and runs; returns the exit status.
int run(Session &session, const Invocation &invocation, unsigned buffer, ProgramCache *cache) {
  Generated program = load(session, invocation, buffer);
  if (!program.module)
    return kFailure;
  if (invocation.command == Command::Check)
    return session.checkRecipes(program) ? 0 : kFailure;
  if (!invocation.dependencies.empty() && !writeDependencies(session, invocation.dependencies))
    return kFailure;
  if (invocation.command == Command::Interface)
    return printInterface(session, invocation, std::move(program)) ? 0 : kFailure;
  if (invocation.shared)
    return buildLibrary(session, invocation, std::move(program)) ? 0 : kFailure;
  std::optional<MainSignature> main = session.findMain(*program.module);
  if (!main)
    return kFailure;
  session.keepOnlyFunctions(*program.module, {"main"});
  if (invocation.command == Command::Build)
    return build(session, invocation, std::move(program)) ? 0 : kFailure;
  PipelineOptions pipeline = pipelineOf(invocation, invocation.targets.front(), Stage::Target);
  pipeline.binaries = &session.binaries();
  if (!session.lower(program, pipeline))
    return kFailure;
  std::optional<CompiledProgram> compiled = session.compile(program, *main);
  if (!compiled)
    return kFailure;
  if (cache)
    session.keep(*cache, buffer, *compiled);
  if (invocation.ranks.ranks)
    return 0; // They take it from the cache.
  std::optional<MainResult> result = session.run(*compiled, program, invocation.arguments, cache);
  return result ? finish(invocation, *compiled, *result) : kFailure;
}

/// Prints a line per device, and one per kind that has none.
void printDevices(raw_ostream &os) {
  for (const runtime::DeviceTable *const *table = runtime::deviceTables(); *table; ++table) {
    int count = (*table)->count();
    if (count == 0) {
      runtime::Status why = (*table)->absent();
      os << left_justify((*table)->kind, 8) << "none: " << why.call << ": " << why.reason << '\n';
    }
    for (int i = 0; i < count; ++i) {
      os << left_justify(((*table)->kind + Twine(":") + Twine(i)).str(), 8);
      runtime::Limits limits{};
      runtime::Status status = (*table)->describe(i, limits);
      if (status.ok())
        os << limits.name << (limits.architecture[0] ? ", " : "") << limits.architecture << ", " << limits.processors
           << " processors, " << (limits.memoryBytes >> 20) << " MiB, blocks of " << limits.threadsPerBlock
           << " threads and " << limits.sharedBytes << " bytes of shared memory, warps of " << limits.warpSize << '\n';
      else
        os << status.call << ": " << status.reason << '\n';
    }
  }
}

void printSpecialForms() {
  for (const SpecialFormInfo &form : specialForms())
    outs() << form.syntax << ": " << form.doc << '\n';
}

int failed(Error error) {
  errs() << "error: " << toString(std::move(error)) << '\n';
  return kFailure;
}

/// Runs the command once for each rank, without the options that say so.
int startRanks(const Invocation &invocation, ArrayRef<const char *> words) {
  std::string tool = ownPath();
  SmallVector<char *> arguments{tool.data()};
  bool isBeforeInput = true;
  for (const char *word : words.drop_front()) {
    StringRef text = word;
    isBeforeInput &= text != invocation.input;
    if (!isBeforeInput || !(text.starts_with("--ranks=") || text.starts_with("--rank-output=")))
      arguments.push_back(const_cast<char *>(word));
  }
  arguments.push_back(nullptr);
  int status;
  runtime::Status error = runtime::startRanks(invocation.ranks, arguments.data(), status);
  if (!error.ok())
    errs() << "error: " << error.call << ": " << error.reason << '\n';
  return status;
}

int perform(Invocation invocation, ArrayRef<const char *> words) {
  bool runs = invocation.command == Command::Run || invocation.command == Command::Eval;
  if (runs) {
    Expected<ProgramTarget> target = chooseTarget(invocation.targets);
    if (!target)
      return failed(target.takeError());
    invocation.targets = {*target};
  }
  Expected<std::unique_ptr<ProgramCache>> opened = openCache(invocation);
  if (!opened)
    return failed(opened.takeError());
  ProgramCache *cache = opened->get();
  bool startsRanks = invocation.ranks.ranks > 0;
  if (!invocation.mesh.empty())
    setenv("LISPIER_MESH", invocation.mesh.c_str(), /*overwrite=*/true);
  if (startsRanks) {
    invocation.ranks.isForDevice = invocation.targets.front().gpu.has_value();
    if (invocation.input == "-")
      return failed(createStringError("--ranks runs a file: each rank reads it"));
    if (!cache) // Each compiles for itself.
      return startRanks(invocation, words);
  }
  std::optional<KernelRuns> kernels;
  if (invocation.session.timeGroups && runs)
    kernels.emplace();
  // Read once, since it may be a pipe.
  bool reads = invocation.command != Command::Format && invocation.command != Command::Eval;
  Expected<std::unique_ptr<MemoryBuffer>> source =
      reads ? readSource(invocation.input) : std::unique_ptr<MemoryBuffer>();
  if (source && cache)
    if (std::optional<int> status = startsRanks ? std::nullopt : runKept(invocation, *cache, **source)) {
      if (kernels)
        kernels->print(errs());
      return *status;
    }
  invocation.session.log = &errs();
  Session session(std::move(invocation.session));
  std::optional<unsigned> buffer;
  int status = kFailure;
  if (invocation.command == Command::Format)
    status = formatFiles(session, invocation) ? 0 : kFailure;
  else if (bool isProgram = StringRef(invocation.input).ends_with(".lisp"); invocation.command == Command::Eval)
    buffer = invocation.input == "-" || (isProgram && sys::fs::exists(invocation.input))
                 ? session.addFile(invocation.input)
                 : session.addText("<expression>", invocation.input);
  else
    buffer = session.addSource(invocation.input, std::move(source));
  if (buffer)
    status = invocation.command == Command::Emit ? (emit(session, invocation, *buffer) ? 0 : kFailure)
                                                 : run(session, invocation, *buffer, cache);
  outs().flush();
  session.diags().print(errs());
  if (startsRanks && status == 0)
    return startRanks(invocation, words);
  if (kernels && !session.diags().hasErrors())
    kernels->print(errs());
  return status;
}
} // namespace

int main(int argc, char **argv) {
  if (isLinker(argv[0]))
    return runLinker(ArrayRef<const char *>(argv, argc));
  exitOnFatalErrors(kFailure);
  std::string error;
  std::optional<Invocation> invocation = parseCommandLine(std::vector<std::string>(argv + 1, argv + argc), error);
  if (!invocation) {
    errs() << "lispier: " << error << "\nlispier --help lists commands and options\n";
    return kUsage;
  }
  invocation->session.linker = ownPath();
  invocation->session.generate.compiler = "lispier " LISPIER_VERSION " (LLVM " LLVM_VERSION_STRING ")";
  int status = 0;
  switch (invocation->command) {
  case Command::Help:
    printHelp(outs(), invocation->helpFor);
    break;
  case Command::Version:
    outs() << "lispier " LISPIER_VERSION " (LLVM " LLVM_VERSION_STRING ")\n";
    break;
  case Command::ManPage:
    printManPage(outs(), LISPIER_VERSION);
    break;
  case Command::Completions:
    if (!printCompletions(outs(), invocation->input)) {
      errs() << "lispier: no completions for `" << invocation->input << "`; there are bash, zsh and fish\n";
      status = kUsage;
    }
    break;
  case Command::Devices:
    printDevices(outs());
    break;
  case Command::Tune:
    status = tune(*invocation);
    break;
  case Command::Forms:
    if (!invocation->input.empty())
      status = explainName(*invocation) ? 0 : kUsage;
    else
      printSpecialForms();
    break;
  case Command::Doc:
    status = explainName(*invocation) ? 0 : kUsage;
    break;
  case Command::Interface:
    if (StringRef(invocation->input).ends_with(".so")) {
      status = printLibraryInterface(invocation->input) ? 0 : kFailure;
      break;
    }
    [[fallthrough]];
  default:
    status = perform(std::move(*invocation), ArrayRef<const char *>(argv, argc));
  }
  bool written = lispier_rt_trace_close();
  return flushStandardOutput() && written ? status : kFailure;
}
