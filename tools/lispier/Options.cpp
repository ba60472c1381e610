//===- Options.cpp - the command line -------------------------------------===//
#include "Options.h"
#include "OptionTable.h"
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
template <typename Rows> std::string nearest(StringRef name, const Rows &rows) {
  std::vector<std::string> names;
  for (const auto &row : rows)
    names.push_back(row.name.str());
  std::string text = didYouMean(name, names);
  return text.empty() ? "" : "; " + text;
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
        return fail("unknown command `" + rest.front() + "`" + nearest(rest.front(), commandTable()));
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
      if (word == "--man") {
        result.command = Command::ManPage;
        return result;
      }
      if (StringRef shell = word; shell.consume_front("--completions=")) {
        result.command = Command::Completions;
        result.input = shell.str();
        return result;
      }
      bool compiles =
          result.command == Command::Build || result.command == Command::Check || result.command == Command::Emit;
      if (word == "--" && compiles && !result.input.empty())
        return takeArguments(result);
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
      bool takesMore =
          result.command == Command::Format || (result.command == Command::Doc && result.arguments.empty());
      if (!result.input.empty() && takesMore) {
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
    auto *row = find_if(optionTable(), [&, name = name](const OptionRow &row) { return row.name == name; });
    if (row == optionTable().end()) {
      error = ("unknown option `" + name + "`" + nearest(name, optionTable())).str();
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
    std::string near = row->words ? didYouMean(value, row->words()) : "";
    error = ("`" + name + "` does not take `" + value + "`; " + (near.empty() ? row->help.str() : near)).str();
    return false;
  }

  /// Takes the arguments after run's file, except a leading `--`, as the program's, for which it is compiled.
  std::optional<Invocation> takeArguments(Invocation &result) {
    if (!rest.empty() && rest.front() == "--")
      rest = rest.drop_front();
    result.arguments.assign(rest.begin(), rest.end());
    result.session.arguments = result.arguments;
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
    if (result.command == Command::Format || result.command == Command::Eval || result.command == Command::Doc)
      return true; // fmt replaces its input; the others name none.
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
      return fail("unknown command `" + result.input + "`" + nearest(result.input, commandTable()));
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
    if (result.command == Command::Doc && result.input.empty())
      return fail("doc needs a name, such as softmax or arith.addi");
    if (result.input.empty())
      return fail(result.command == Command::Eval ? "eval needs an expression" : "which file? `-` is standard input");
    if (result.command == Command::Format && !result.output.empty() && !result.arguments.empty())
      return fail("`-o` is for one file; without it each file is formatted in place");
    if (result.command == Command::Build && result.output.empty())
      return fail("build needs `-o OUTPUT`");
    if (!result.shared && result.command == Command::Build &&
        (!result.prefix.empty() || !result.header.empty() || result.runtime))
      return fail("`--prefix`, `--header` and `--runtime` are for `--shared`");
    auto computesOnHost = [](const ProgramTarget &target) { return !target.gpu; };
    if (result.shared && count_if(result.targets, computesOnHost) > 1)
      return fail("a library has one target for tensors in the host's memory, and `--target=" + result.targetNames +
                  "` names several");
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
