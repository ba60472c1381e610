//===- OptionTable.cpp - commands and options -----------------------------===//
#include "OptionTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace lispier;

namespace {
constexpr CommandRow kCommands[] = {
    {"run", Command::Run, "FILE [--] [arguments]", "compile, call main, print its result"},
    {"build", Command::Build, "FILE -o OUTPUT [-- arguments]",
     "compile to an executable; arguments are those that its macros may read (program-option); --shared: to a library "
     "that C, C++ and Python call"},
    {"interface", Command::Interface, "FILE",
     "print what a library of the program, or the library FILE.so, exports, as JSON"},
    {"check", Command::Check, "FILE", "report errors up to the verified module; compile nothing"},
    {"eval", Command::Eval, "EXPRESSION",
     "evaluate an expression, or the forms of FILE.lisp, and print the value of the last one"},
    {"devices", Command::Devices, "", "list the devices of this machine, and why other kinds are unavailable"},
    {"doc", Command::Doc, "NAME [FILE]", "explain a special form, macro, function or op, also one that FILE defines"},
    {"forms", Command::Forms, "[NAME]", "list the special forms, or explain one (doc)"},
    {"help", Command::Doc, "NAME [FILE]", "doc"},
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
  kRunOnly = 1u << unsigned(Command::Run),
  kBuilds = 1u << unsigned(Command::Build),
  kEmits = 1u << unsigned(Command::Emit),
  kFormats = 1u << unsigned(Command::Format),
  kLibraries = kBuilds | 1u << unsigned(Command::Interface),
  kTunes = 1u << unsigned(Command::Tune),
  kDocs = 1u << unsigned(Command::Doc),
  kCompiles = kRuns | kLibraries | kEmits | kTunes | 1u << unsigned(Command::Check),
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

const OptionRow kOptions[] = {
    {"--emit", "STAGE", kCompiles,
     "print the result of a stage: forms, core, module, tensor, tiles, loops, kernels, device-llvm, target, llvm, asm, "
     "obj; "
     "lisp, the module as Lisp; "
     "group:NAME, a program that times and checks one kernel of tensor ops, by the name that --explain prints; "
     "or the kernels as ptx, cubin, fatbin, hsaco, with their descriptions in FILE.json",
     setEmit, true,
     [] {
       std::vector<std::string> words{"lisp", "ptx", "cubin", "fatbin", "hsaco"};
       llvm::append_range(words, stageNames());
       return words;
     }},
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
    {"--precision", "HOW", kCompiles,
     "how exact products of f32 without a `:precision` of their own are on a GPU: f32 (default), tf32x3, bf16x3, tf32 "
     "or "
     "bf16",
     [](Invocation &i, StringRef v) {
       i.session.precision = v == "f32" ? "" : v.str();
       return is_contained({"f32", "tf32x3", "bf16x3", "tf32", "bf16"}, v);
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
     "with --trace also how long each took; --explain=memory: where intermediate tensors lie; --explain=gradients: "
     "what gradients keep of the forward pass; --explain=placements: what tensors are on the ranks of a program, and "
     "why there are collectives",
     [](Invocation &i, StringRef v) {
       (v == "memory"       ? i.session.explainMemory
        : v == "gradients"  ? i.session.explainGradients
        : v == "placements" ? i.session.explainPlacements
                            : i.session.explainGroups) = true;
       return v.empty() || v == "groups" || v == "memory" || v == "gradients" || v == "placements";
     }},
    {"--speed", "GB/S,TFLOPS[,TFLOPS[,T]]", kCompiles,
     "for the times that --explain predicts: what the device reads in a second, in 10^9 bytes, its F32 operations, in "
     "10^12, those in products of 16-bit factors, and its exponentials, in 10^12 (default: the data sheet of a GPU, "
     "none "
     "of a CPU)",
     [](Invocation &i, StringRef v) {
       SmallVector<StringRef> numbers;
       v.split(numbers, ',');
       DeviceSpeed &speed = i.session.deviceSpeed;
       double *fields[] = {&speed.gigabytes, &speed.teraflops, &speed.productFlops, &speed.exponentials};
       if (numbers.size() < 2 || numbers.size() > 4)
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
    {"--shared", "", kBuilds,
     "make a shared library of the functions that (export f ...) names, else of all typed ones but main, and a C "
     "header",
     [](Invocation &i, StringRef) {
       i.session.generate.isLibrary = true;
       return i.shared = true;
     }},
    {"--export", "FORM", kLibraries | kEmits,
     "what a shared library exports instead of what the program says: f, or (f type ...); may be repeated",
     [](Invocation &i, StringRef v) {
       i.session.exports.push_back(v.str());
       return !v.empty();
     }},
    {"--prefix", "NAME", kLibraries, "what a shared library's C names begin with (default: the file's name)",
     [](Invocation &i, StringRef v) {
       i.prefix = v.str();
       return cName(v) == v;
     }},
    {"--header", "FILE", kBuilds, "where a shared library's C header is written (default: OUTPUT.h), or none",
     [](Invocation &i, StringRef v) {
       i.header = v.str();
       return !v.empty();
     }},
    {"--runtime", "KIND", kBuilds,
     "the runtime of a shared library: static (default), in the library; or shared, libLispierRuntime.so, whose "
     "threads and memory several libraries of a process have in common",
     [](Invocation &i, StringRef v) {
       i.runtime = v == "shared" ? RuntimeKind::Shared : RuntimeKind::Static;
       return v == "static" || v == "shared";
     },
     true, [] { return std::vector<std::string>{"static", "shared"}; }},
    {"--interruptible", "YES", kBuilds,
     "let long loops of a shared library's functions end when the host interrupts them, as Ctrl-C in Python does: true "
     "(default) or false",
     [](Invocation &i, StringRef v) {
       i.session.interruptible = v != "false";
       return v == "true" || v == "false";
     }},
    {"--dependencies", "FILE", kBuilds, "write the names of the files that the program was read from, one per line",
     [](Invocation &i, StringRef v) {
       i.dependencies = v.str();
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
    {"--ranks", "N", kRunOnly,
     "run a program with a mesh as N processes of this machine, each with a GPU or a part of the processors",
     [](Invocation &i, StringRef v) { return !v.getAsInteger(10, i.ranks.ranks) && i.ranks.ranks > 0; }, false},
    {"--mesh", "AXIS=N,...", kRunOnly, "sizes of axes of the program's mesh (defmesh), in place of what it says",
     [](Invocation &i, StringRef v) {
       i.mesh = v.str();
       return v.contains('=');
     },
     false},
    {"--rank-output", "WHICH", kRunOnly,
     "standard output of the ranks: first (default), that of rank 0; all, each line after the number of its rank",
     [](Invocation &i, StringRef v) {
       i.ranks.allOutput = v == "all";
       return v == "all" || v == "first";
     },
     false, [] { return std::vector<std::string>{"first", "all"}; }},
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
    {"--search", "", kDocs, "list the names that contain NAME, and those whose documentation does",
     [](Invocation &i, StringRef) { return i.searches = true; }},
};

} // namespace

ArrayRef<CommandRow> commandTable() { return kCommands; }
ArrayRef<OptionRow> optionTable() { return kOptions; }

const CommandRow *findCommand(StringRef name) {
  auto *row = find_if(kCommands, [&](const CommandRow &row) { return row.name == name; });
  return row == std::end(kCommands) ? nullptr : row;
}

void selectCommand(Invocation &invocation, const CommandRow &row) {
  invocation.command = row.command;
  invocation.oneLine = row.name == "show-expanded";
  invocation.session.generate.isLibrary = row.command == Command::Interface;
  if (row.name == "show-ast" || row.name == "show-expanded")
    invocation.until = Stage::Core;
  else if (row.name == "show-llvm")
    invocation.until = Stage::Llvm;
  else if (row.name == "show-asm")
    invocation.until = Stage::Asm;
  else if (row.name == "show-ptx")
    setEmit(invocation, "ptx");
}

std::string spelled(const OptionRow &row) {
  std::string name = row.name.str();
  if (row.value.empty())
    return name;
  return name + (row.value.starts_with("[")   ? "[=" + row.value.drop_front().str()
                 : row.name.starts_with("--") ? "=" + row.value.str()
                                              : " " + row.value.str());
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
    std::string name = spelled(row);
    os << "  " << left_justify(name.size() < 32 ? name : name + ' ', 32) << row.help << '\n';
  }
  os << "  " << left_justify("--help, --version", 32) << "print this text; print the version\n"
     << "  " << left_justify("--completions=SHELL", 32)
     << "print a script that completes commands and options in bash, zsh or fish\n"
     << "  " << left_justify("--man", 32) << "print this text as a manual page, for man -l\n";
}
