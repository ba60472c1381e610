//===- Options.cpp - the command line -------------------------------------===//
//
// Parsing, help and suggestions are driven by two tables, of commands and options.
// An option applies to the commands in its mask.
//
//===----------------------------------------------------------------------===//
#include "Options.h"
#include "lispier/Runtime/Core/Trace.h"
#include "lispier/Runtime/Device/ChooseTarget.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <cstring>
#include <unistd.h>

using namespace llvm;
using namespace lispier;

namespace {
struct CommandRow {
  StringLiteral name;
  Command command;
  StringLiteral operands, help;
};
constexpr CommandRow kCommands[] = {
    {"run", Command::Run, "FILE [--] [arguments]", "compile, call main, print its result"},
    {"build", Command::Build, "FILE -o OUTPUT", "compile to an executable"},
    {"check", Command::Check, "FILE", "report errors up to the verified module; compile nothing"},
    {"eval", Command::Eval, "EXPRESSION", "evaluate an expression and print its value"},
    {"devices", Command::Devices, "", "list the devices of this machine, and why other kinds are unavailable"},
    {"forms", Command::Forms, "[NAME]", "list the special forms, or explain one"},
    {"tune", Command::Tune, "FILE [--] [arguments]",
     "measure what :tune of its tile programs lists, and write the best values to FILE.tuned.lisp (-o)"},
    {"show-ast", Command::Emit, "FILE", "print the forms after expansion, indented (--emit=core)"},
    {"show-expanded", Command::Emit, "FILE", "print the forms after expansion, one per line"},
    {"show-ir", Command::Emit, "FILE", "print the MLIR module before any pass (--emit=module)"},
    {"show-llvm", Command::Emit, "FILE", "print the optimised LLVM IR (--emit=llvm)"},
    {"show-asm", Command::Emit, "FILE", "print the assembly (--emit=asm)"},
    {"show-ptx", Command::Emit, "FILE", "print the kernels as PTX, for sm_80 unless --target is given (--emit=ptx)"},
    {"fmt", Command::Format, "FILE ...", "format source files in place; - formats standard input to standard output"},
};

enum : unsigned {
  kRuns = 1u << unsigned(Command::Run) | 1u << unsigned(Command::Eval),
  kBuilds = 1u << unsigned(Command::Build),
  kEmits = 1u << unsigned(Command::Emit),
  kFormats = 1u << unsigned(Command::Format),
  kTunes = 1u << unsigned(Command::Tune),
  kCompiles = kRuns | kBuilds | kEmits | kTunes | 1u << unsigned(Command::Check),
};

struct OptionRow {
  StringLiteral name, value;
  unsigned commands;
  StringLiteral help;
  /// Stores the value; returns false if it is invalid.
  bool (*set)(Invocation &, StringRef value);
  /// Whether it affects the result of compilation, and so belongs to the cache key.
  bool compilation = true;
};

bool setStage(StringRef value, Stage &stage) {
  std::optional<Stage> parsed = parseStage(value);
  stage = parsed.value_or(stage);
  return parsed.has_value();
}

bool setEmit(Invocation &invocation, StringRef value) {
  invocation.command = Command::Emit;
  invocation.gpuFormat = findGpuFormat(value);
  invocation.asLisp = value == "lisp";
  if (value.consume_front("group:")) {
    invocation.session.isolatedGroup = value.str();
    invocation.until = Stage::Tensor;
    return !value.empty();
  }
  if (invocation.asLisp)
    return setStage("module", invocation.until);
  if (!invocation.gpuFormat)
    return setStage(value, invocation.until);
  invocation.until = Stage::DeviceLlvm;
  return true;
}

constexpr OptionRow kOptions[] = {
    {"--emit", "STAGE", kCompiles,
     "print the result of a stage: forms, core, module, tensor, tiles, loops, kernels, device-llvm, target, llvm, asm, "
     "obj; "
     "lisp, the module as Lisp; "
     "group:NAME, a program that times and checks one kernel of tensor ops, by the name that --explain prints; "
     "or the kernels as ptx, cubin, fatbin, hsaco, with their descriptions in FILE.json",
     setEmit},
    {"--sizes", "NAME=N,...", kCompiles,
     "sizes that only the run knows, by the names that --explain prints: for --emit=group:NAME (256 without), and for "
     "the times that --explain predicts",
     [](Invocation &i, StringRef v) {
       for (StringRef size : split(v, ','))
         i.session.isolatedSizes.push_back(size.str());
       return v.contains('=');
     }},
    {"--from", "STAGE", kCompiles,
     "read MLIR of a stage instead of Lisp (a file.mlir: module): module, tensor, tiles, loops, kernels, device-llvm "
     "or target",
     [](Invocation &i, StringRef v) {
       return setStage(v, i.from) && i.from >= Stage::Module && i.from <= Stage::Target;
     }},
    {"-o", "FILE", kBuilds | kEmits | kFormats | kTunes, "write the result to FILE",
     [](Invocation &i, StringRef v) {
       i.output = v.str();
       return !v.empty();
     }},
    {"--target", "NAME", kCompiles,
     "cpu (default); sim: kernels run on the CPU with every access checked, sim:64 for warps of 64, sim:CHIP to "
     "distribute tiles as for a chip; "
     "cuda[:sm_XX], rocm[:gfxNNN]: a GPU; NAME,NAME: several, of which a built program runs the one that the "
     "machine supports",
     [](Invocation &i, StringRef v) {
       i.targetNames = v.str();
       return !v.empty();
     }},
    {"--cpu", "NAME", kCompiles, "native (default), or a processor: x86-64-v3, x86-64-v4, ...",
     [](Invocation &i, StringRef v) {
       i.session.cpu.processor = v.str();
       return isKnownProcessor(v);
     }},
    {"--effort", "HOW", kCompiles, "full (default): LLVM optimises the CPU's code; quick: it does not, for short runs",
     [](Invocation &i, StringRef v) {
       i.session.cpu.effort = v == "quick" ? CodeEffort::Quick : CodeEffort::Full;
       return v == "quick" || v == "full";
     }},
    {"--pipeline", "WHICH", kCompiles,
     "default: Lispier's passes; file: those of the source's compilation form, then the later ones of Lispier's",
     [](Invocation &i, StringRef v) {
       i.session.followRecipe = v == "file";
       return v == "file" || v == "default";
     }},
    {"--print-pipeline", "", kCompiles, "print the passes before they run",
     [](Invocation &i, StringRef) { return i.session.printPipeline = true; }},
    {"--print-ir-after", "PASS", kCompiles, "print the module after a pass, or after each with `all`; may be repeated",
     [](Invocation &i, StringRef v) {
       i.session.printIrAfter.push_back(v.str());
       return !v.empty();
     }},
    {"--reproducer", "FILE", kCompiles,
     "write the module and its pass pipeline before it runs; `lispier-opt FILE` reruns them",
     [](Invocation &i, StringRef v) {
       i.session.reproducer = v.str();
       return !v.empty();
     },
     false},
    {"--time", "", kCompiles, "print the time of each stage and pass",
     [](Invocation &i, StringRef) { return i.session.time = true; }},
    {"--time-passes", "", kCompiles, "the same as --time",
     [](Invocation &i, StringRef) { return i.session.time = true; }},
    {"-v", "", kCompiles, "print each stage on standard error as it begins",
     [](Invocation &i, StringRef) { return i.session.verbose = true; }, false},
    {"--templates", "YES", kCompiles,
     "use the library's kernels for nn ops: true (default), or false for the reference lowering to loops",
     [](Invocation &i, StringRef v) {
       i.session.templates = v != "false";
       return v == "true" || v == "false";
     }},
    {"--fuse", "YES", kCompiles,
     "make kernels of several tensor ops: true (default), or false to see what each op computes, or costs, alone",
     [](Invocation &i, StringRef v) {
       i.session.fuse = v != "false";
       return v == "true" || v == "false";
     }},
    {"--why-kernel", "OP", kCompiles,
     "say of each op of that name, such as nn.linear, which kernel it gets, and what is against each other one; "
     "may be repeated",
     [](Invocation &i, StringRef v) {
       i.session.whyKernels.push_back(v.str());
       return v.contains('.');
     },
     false},
    {"--explain", "[WHAT]", kCompiles,
     "say of each kernel that tensor ops become what is in it, and why no more (also --explain=groups); "
     "with --trace also how long each took; --explain=memory: where intermediate tensors lie",
     [](Invocation &i, StringRef v) {
       (v == "memory" ? i.session.explainMemory : i.session.explainGroups) = true;
       return v.empty() || v == "groups" || v == "memory";
     }},
    {"--speed", "GB/S,TFLOPS[,TFLOPS]", kCompiles,
     "for the times that --explain predicts: what the device reads in a second, in 10^9 bytes, its F32 operations, in "
     "10^12, and those in products of 16-bit factors (default: the data sheet of a GPU, none of a CPU)",
     [](Invocation &i, StringRef v) {
       SmallVector<StringRef> numbers;
       v.split(numbers, ',');
       DeviceSpeed &speed = i.session.deviceSpeed;
       double *fields[] = {&speed.gigabytes, &speed.teraflops, &speed.productFlops};
       if (numbers.size() < 2 || numbers.size() > 3)
         return false;
       for (auto [number, field] : llvm::zip(numbers, fields))
         if (number.getAsDouble(*field) || *field <= 0)
           return false;
       return true;
     }},
    {"--verify-each", "YES", kCompiles,
     "verify the module after each pass: true, or false (default: only before the first and after the last)",
     [](Invocation &i, StringRef v) {
       i.session.verifyEach = v != "false";
       return v == "true" || v == "false";
     }},
    {"--verify", "", kEmits, "verify the module that --emit=module prints (default)",
     [](Invocation &i, StringRef) { return i.session.verify = true; }},
    {"--no-verify", "", kEmits, "print the module without verifying it",
     [](Invocation &i, StringRef) {
       i.session.verify = false;
       return true;
     }},
    {"--emit-exe", "FILE", kBuilds, "compile to an executable: build -o FILE",
     [](Invocation &i, StringRef v) {
       i.command = Command::Build;
       i.output = v.str();
       return !v.empty();
     }},
    {"--exit-code", "", kRuns, "exit with main's integer result",
     [](Invocation &i, StringRef) { return i.exitCode = true; }, false},
    {"--trace", "FILE", kCompiles, "write a trace of compiling and running in Chrome's format, for ui.perfetto.dev",
     [](Invocation &i, StringRef v) {
       i.trace = v.str();
       return !v.empty();
     },
     false},
    {"--cache", "YES", kRuns,
     "reuse compiled programs from $LISPIER_CACHE_DIR or ~/.cache/lispier: true (default) or false",
     [](Invocation &i, StringRef v) {
       i.cache = v != "false";
       return v == "true" || v == "false";
     },
     false},
    {"--programs", "FOLDER", kTunes, "keep the programs, one for each combination of values, in FOLDER",
     [](Invocation &i, StringRef v) {
       i.tunePrograms = v.str();
       return !v.empty();
     },
     false},
    {"--build-only", "", kTunes, "make the programs, to be run elsewhere with LISPIER_TUNE=FILE; needs --programs",
     [](Invocation &i, StringRef) { return i.buildOnly = true; }, false},
    {"--samples", "FILE", kTunes, "use times that LISPIER_TUNE=FILE has collected",
     [](Invocation &i, StringRef v) {
       i.tuneSamples = v.str();
       return !v.empty();
     },
     false},
    {"--tune-candidate", "N", kBuilds | kEmits, "take combination N of what :tune lists and launches leave open",
     [](Invocation &i, StringRef v) {
       unsigned number;
       if (v.getAsInteger(10, number))
         return false;
       i.session.generate.tuneCandidate = number;
       return true;
     }},
    {"--check", "", kFormats, "write nothing; list the files that would change, and exit with 1 if there are any",
     [](Invocation &i, StringRef) { return i.onlyCheck = true; }},
};

const CommandRow *findCommand(StringRef name) {
  auto *row = find_if(kCommands, [&](const CommandRow &row) { return row.name == name; });
  return row == std::end(kCommands) ? nullptr : row;
}

template <typename Rows> std::string nearest(StringRef name, const Rows &rows) {
  std::vector<std::string> names;
  for (const auto &row : rows)
    names.push_back(row.name.str());
  std::string text = didYouMean(name, names);
  return text.empty() ? "" : "; " + text;
}

void selectCommand(Invocation &invocation, const CommandRow &row) {
  invocation.command = row.command;
  invocation.oneLine = row.name == "show-expanded";
  if (row.name == "show-ast" || row.name == "show-expanded")
    invocation.until = Stage::Core;
  else if (row.name == "show-llvm")
    invocation.until = Stage::Llvm;
  else if (row.name == "show-asm")
    invocation.until = Stage::Asm;
  else if (row.name == "show-ptx")
    setEmit(invocation, "ptx");
}

/// The architecture of the backend's first device; nothing if there is no device or its architecture is unknown.
std::optional<GpuTarget> presentGpu(const GpuBackend &backend) {
  const runtime::DeviceTable *table = runtime::findDeviceTable(backend.runtimeKind().str().c_str());
  runtime::Limits limits{};
  int ordinal = 0;
  if (!table || table->count() == 0 || !runtime::firstDevice(ordinal).ok() || !table->describe(ordinal, limits).ok())
    return std::nullopt;
  // Prefer "sm_90a", which includes the architecture-specific features of an "sm_90" device.
  for (std::string chip : {std::string(limits.architecture) + "a", std::string(limits.architecture)}) {
    if (Expected<GpuTarget> found = findGpu((backend.name() + ":" + chip).str()))
      return *found;
    else
      consumeError(found.takeError());
  }
  return std::nullopt;
}

/// The first backend that makes such code.
const GpuBackend &makerOf(GpuFormat format) {
  auto makes = [&](const GpuBackend *backend) { return is_contained(backend->formats(), format); };
  auto *maker = find_if(gpuBackends(), makes);
  assert(maker != gpuBackends().end() && "each format is some backend's");
  return **maker;
}

class Parser {
public:
  Parser(ArrayRef<std::string> arguments, std::string &error) : rest(arguments), error(error) {}

  std::optional<Invocation> parse() {
    Invocation result;
    const char *verifyEach = getenv("LISPIER_VERIFY_EACH"); // Set by the test suite.
    result.session.verifyEach = verifyEach && StringRef(verifyEach) != "0";
    if (rest.empty())
      return result;
    if (!StringRef(rest.front()).starts_with("-")) {
      const CommandRow *row = findCommand(rest.front());
      if (!row)
        return fail("unknown command `" + rest.front() + "`" + nearest(rest.front(), kCommands));
      command = row;
      selectCommand(result, *row);
      rest = rest.drop_front();
    }
    while (!rest.empty()) {
      StringRef word = rest.front();
      if (word == "-h" || word == "--help" || word == "--version") {
        result.command = word == "--version" ? Command::Version : Command::Help;
        result.helpFor = command ? command->name.str() : "";
        return result;
      }
      if (word.starts_with("-") && word != "-") {
        if (!parseOption(result))
          return std::nullopt;
        continue;
      }
      if (const CommandRow *row = result.command == Command::Help ? findCommand(word) : nullptr) {
        command = row; // A command may follow options.
        selectCommand(result, *row);
        rest = rest.drop_front();
        continue;
      }
      if (!result.input.empty() && result.command == Command::Format) {
        result.arguments.push_back(word.str());
        rest = rest.drop_front();
        continue;
      }
      if (!result.input.empty() && result.command == Command::Help)
        break; // Not a command; the check below reports it.
      if (!result.input.empty())
        return fail("one input only: `" + result.input + "` and `" + word + "`");
      result.input = word.str();
      rest = rest.drop_front();
      if (result.command == Command::Run || result.command == Command::Tune)
        return takeArguments(result);
    }
    return check(result);
  }

private:
  std::optional<Invocation> fail(const Twine &message) {
    error = message.str();
    return std::nullopt;
  }

  bool parseOption(Invocation &result) {
    auto [name, value] = StringRef(rest.front()).split('=');
    bool hasValue = StringRef(rest.front()).contains('=');
    rest = rest.drop_front();
    auto *row = find_if(kOptions, [&, name = name](const OptionRow &row) { return row.name == name; });
    if (row == std::end(kOptions)) {
      error = ("unknown option `" + name + "`" + nearest(name, kOptions)).str();
      return false;
    }
    if (row->value.empty() && hasValue) {
      error = ("`" + name + "` takes no value").str();
      return false;
    }
    if (!row->value.empty() && !row->value.starts_with("[") && !hasValue) { // [VALUE] may be left out.
      if (rest.empty()) {
        error = ("`" + name + "` needs a value").str();
        return false;
      }
      value = rest.front();
      rest = rest.drop_front();
    }
    used.push_back(row);
    if (row->set(result, value)) {
      if (row->compilation)
        result.compilation.push_back((name + "=" + value).str());
      return true;
    }
    error = ("`" + name + "` does not take `" + value + "`; " + row->help).str();
    return false;
  }

  /// Takes the arguments after run's file, except a leading `--`, as the program's.
  std::optional<Invocation> takeArguments(Invocation &result) {
    if (!rest.empty() && rest.front() == "--")
      rest = rest.drop_front();
    result.arguments.assign(rest.begin(), rest.end());
    return check(result);
  }

  /// Returns nothing, after setting `error`, for an unknown target.
  std::optional<ProgramTarget> findTarget(StringRef name) {
    auto [kind, variant] = name.split(':');
    if (name == "cpu")
      return ProgramTarget();
    if (kind == "sim" && (name == "sim" || variant == "32" || variant == "64"))
      return ProgramTarget{std::nullopt, /*checkKernels=*/true, variant == "64" ? 64u : 32u, std::nullopt};
    if (std::optional<GpuTarget> simulated = kind == "sim" ? findChip(variant) : std::nullopt)
      return ProgramTarget{std::nullopt, /*checkKernels=*/true, simulated->chip->info.warpWidth, simulated};
    Expected<GpuTarget> found = findGpu(name);
    if (found) {
      std::optional<GpuTarget> present = variant.empty() ? presentGpu(*found->backend) : std::nullopt;
      return ProgramTarget{present.value_or(*found)};
    }
    error = "--target: " + toString(found.takeError());
    if (none_of(gpuBackends(), [&, kind = kind](const GpuBackend *backend) { return backend->name() == kind; })) {
      std::string hint = didYouMean(kind, targetNames());
      bool known = kind == "cpu" || kind == "sim";
      error = ("--target: no target `" + (known ? name : kind) + "`; " +
               (hint.empty() || known ? "there are cpu, sim, sim:64, sim:CHIP, cuda[:sm_XX], rocm[:gfxNNN]" : hint))
                  .str();
    }
    return std::nullopt;
  }

  /// Sets `targets` from --target.
  bool findTargets(Invocation &result) {
    std::string names = result.targetNames;
    if (names.empty())
      names = result.gpuFormat ? makerOf(*result.gpuFormat).name().str() : "cpu";
    for (StringRef name : split(names, ',')) {
      std::optional<ProgramTarget> target = findTarget(name);
      if (!target)
        return false;
      if (any_of(result.targets, [&](const ProgramTarget &known) { return known.name() == target->name(); }))
        continue;
      // Targets that run anywhere come last, as a fallback.
      auto place = find_if(result.targets, [&](const ProgramTarget &known) { return target->gpu && !known.gpu; });
      result.targets.insert(place, *target);
    }
    return true;
  }

  /// Checks that the target supports the format or stage of --emit.
  bool checkEmit(const Invocation &result) {
    const ProgramTarget &target = result.targets.front();
    if (result.command != Command::Emit)
      return true;
    if (target.gpu && result.until > Stage::Target)
      error = ("`--emit=" + stageName(result.until) + "` is for the CPU; for a GPU use " +
               nameOf(target.gpu->backend->formats().front()))
                  .str();
    if (!result.gpuFormat)
      return error.empty();
    StringRef format = nameOf(*result.gpuFormat);
    if (!target.gpu)
      error = ("`--emit=" + format + "` is for a GPU; for the target " + target.name() + " use asm").str();
    else if (ArrayRef<GpuFormat> formats = target.gpu->backend->formats(); !is_contained(formats, *result.gpuFormat))
      error = ("no " + format + " can be made for " + target.gpu->backend->name() + ", which has " +
               join(map_range(formats, nameOf), ", "))
                  .str();
    return error.empty();
  }

  /// Rejects several targets for options whose result depends on the target.
  bool checkOneTarget(const Invocation &result) {
    if (result.targets.size() == 1)
      return true;
    if (!result.session.reproducer.empty()) {
      error = "`--reproducer` is for one target, and `--target=" + result.targetNames + "` names several";
      return false;
    }
    StringRef option;
    bool perTarget = (result.until == Stage::Kernels || result.until == Stage::DeviceLlvm) && !result.gpuFormat;
    if (result.command == Command::Emit && perTarget && result.from < Stage::Loops)
      return true;
    if (result.command == Command::Emit && (result.gpuFormat || result.until > Stage::Module))
      option = "--emit";
    else if (result.from >= Stage::Loops)
      option = "--from";
    if (option.empty())
      return true;
    StringRef stage = result.gpuFormat && option == "--emit"
                          ? nameOf(*result.gpuFormat)
                          : stageName(option == "--emit" ? result.until : result.from);
    error =
        ("`" + option + "=" + stage + "` is for one target, and `--target=" + result.targetNames + "` names several")
            .str();
    return false;
  }

  /// Checks that no output is the program itself. Required files are known only later (overwritesSource).
  bool checkOutputs(const Invocation &result) {
    if (result.command == Command::Format || result.command == Command::Eval)
      return true; // fmt replaces its input.
    sys::fs::file_status source;
    if (result.input == "-" ? sys::fs::status(STDIN_FILENO, source) : sys::fs::status(result.input, source))
      return true;
    const char *trace = getenv("LISPIER_TRACE");
    for (const std::string &output : {result.output, result.trace, std::string(trace ? trace : ""),
                                      result.gpuFormat ? result.output + ".json" : std::string()}) {
      sys::fs::file_status written;
      if (!output.empty() && sys::fs::is_regular_file(source) && !sys::fs::status(output, written) &&
          sys::fs::equivalent(source, written)) {
        error = "the output `" + output + "` is the program itself; give it another name";
        return false;
      }
    }
    return true;
  }

  std::optional<Invocation> check(Invocation &result) {
    const char *effort = getenv("LISPIER_EFFORT"); // Set by the test suite. Of `run`: other commands show users' code.
    bool isGiven = any_of(used, [](const OptionRow *row) { return row->name == "--effort"; });
    if (result.command == Command::Run && !isGiven && effort && StringRef(effort) == "quick")
      result.session.cpu.effort = CodeEffort::Quick;
    if (result.command == Command::Help && !result.input.empty())
      return fail("unknown command `" + result.input + "`" + nearest(result.input, kCommands));
    for (const OptionRow *option : used)
      if (!(option->commands & 1u << unsigned(result.command)))
        return fail("`" + option->name + "` does not apply here; lispier " + (command ? command->name + " " : Twine()) +
                    "--help lists the options that do");
    if (result.from == Stage::Forms && StringRef(result.input).ends_with(".mlir")) {
      result.from = Stage::Module;
      result.compilation.push_back("--from=module");
    }
    if (!result.session.isolatedSizes.empty() && result.session.isolatedGroup.empty() && !result.session.explainGroups)
      return fail("`--sizes` is for `--emit=group:NAME` and `--explain`");
    if (result.session.deviceSpeed.isKnown() && !result.session.explainGroups)
      return fail("`--speed` is for `--explain`");
    if (!result.session.verify && result.until != Stage::Module)
      return fail("`--no-verify` is for `--emit=module`: later stages need a valid module");
    if (!checkOutputs(result))
      return std::nullopt;
    if (result.session.explainGroups && !result.trace.empty()) {
      result.session.timeGroups = true;
      result.compilation.push_back("--explain with --trace"); // The program in the cache is another one.
    }
    // Before querying a device for its architecture, so that the trace includes starting its driver.
    if (!result.trace.empty() && !lispier_rt_trace_to(result.trace.c_str()))
      return fail("cannot write " + result.trace + ": " + std::strerror(errno));
    if (!findTargets(result) || !checkOneTarget(result) || !checkEmit(result))
      return std::nullopt;
    if (result.command == Command::Devices)
      return result.input.empty() ? std::optional(result) : fail("devices takes no file");
    if (result.command == Command::Forms)
      return result;
    if (result.input.empty())
      return fail(result.command == Command::Eval ? "eval needs an expression" : "which file? `-` is standard input");
    if (result.command == Command::Format && !result.output.empty() && !result.arguments.empty())
      return fail("`-o` is for one file; without it each file is formatted in place");
    if (result.command == Command::Build && result.output.empty())
      return fail("build needs `-o OUTPUT`");
    if (result.command == Command::Tune && result.targets.size() > 1)
      return fail("tune is for one target, and `--target=" + result.targetNames + "` names several");
    if (result.buildOnly && result.tunePrograms.empty())
      return fail("`--build-only` needs `--programs=FOLDER`");
    return result;
  }

  ArrayRef<std::string> rest;
  std::string &error;
  const CommandRow *command = nullptr;
  SmallVector<const OptionRow *> used;
};
} // namespace

std::optional<Invocation> parseCommandLine(ArrayRef<std::string> arguments, std::string &error) {
  return Parser(arguments, error).parse();
}

void printHelp(raw_ostream &os, StringRef command) {
  const CommandRow *only = findCommand(command);
  if (const CommandRow *row = only) {
    os << "usage: lispier " << row->name << " [options] " << row->operands << "\n\n  " << row->help << "\n\noptions:\n";
  } else {
    os << "usage: lispier COMMAND [options] FILE\n       lispier --emit=STAGE [options] FILE\n\ncommands:\n";
    for (const CommandRow &row : kCommands)
      os << "  " << left_justify((row.name + " " + row.operands).str(), 32) << row.help << '\n';
    os << "\noptions:\n";
  }
  for (const OptionRow &row : kOptions) {
    if (only && !(row.commands & 1u << unsigned(only->command)))
      continue;
    std::string name = row.name.str();
    if (!row.value.empty())
      name += row.value.starts_with("[")   ? "[=" + row.value.drop_front().str()
              : row.name.starts_with("--") ? "=" + row.value.str()
                                           : " " + row.value.str();
    os << "  " << left_justify(name, 32) << row.help << '\n';
  }
  os << "  " << left_justify("--help, --version", 32) << "print this text; print the version\n";
}
