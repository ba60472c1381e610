//===- Options.h - the command line --------------------------------------===//
#ifndef LISPIER_TOOLS_LISPIER_OPTIONS_H
#define LISPIER_TOOLS_LISPIER_OPTIONS_H

#include "lispier/Runtime/Comm/StartRanks.h"
#include "lispier/Session/Session.h"

/// Interface: what a library exports; Emit: --emit and the commands show-...; Forms: the list of special forms; Doc:
/// what a name means.
enum class Command {
  Help,
  Version,
  ManPage,
  Completions,
  Run,
  Build,
  Interface,
  Check,
  Eval,
  Emit,
  Format,
  Devices,
  Doc,
  Forms,
  Tune
};

/// How a shared library has the runtime: in it, or as a library that several share.
enum class RuntimeKind { Static, Shared };

struct Invocation {
  Command command = Command::Help;
  /// The command whose help was requested; empty for the overview.
  std::string helpFor;
  std::string input; ///< A file, "-", eval's expression, the name that doc explains, or a shell for completions.
  std::string output;
  std::vector<std::string> arguments; ///< The program's arguments; for fmt, further files; for doc, the program.
  lispier::Stage from = lispier::Stage::Forms, until = lispier::Stage::Module;
  bool oneLine = false;  ///< show-expanded: one form per line.
  bool asLisp = false;   ///< --emit=lisp: print the module as core forms.
  bool exitCode = false; ///< --exit-code: exit with main's integer result.
  bool cache = true;
  lispier::runtime::RankOptions ranks; ///< run --ranks, --rank-output
  std::string mesh;                    ///< run --mesh; empty for what the program says.
  bool shared = false;                 ///< build --shared: a library.
  std::string prefix;                  ///< build --prefix: of a library's C names; empty for the stem of the file.
  std::string header;                  ///< build --header: of a library; empty for OUTPUT with .h, "none" for none.
  std::optional<RuntimeKind> runtime;  ///< build --runtime: of a library; Static if not given.
  std::string dependencies; ///< build --dependencies: a file for the names of those that the program consists of.
  std::string trace;        ///< File name; empty for no trace.
  /// The options that affect compilation, as written: part of the cache key.
  std::vector<std::string> compilation;
  std::string tunePrograms; ///< tune --programs: the folder of the builds; empty for a temporary one.
  std::string tuneSamples;  ///< tune --samples: a file that was measured elsewhere; empty to measure here.
  bool buildOnly = false;   ///< tune --build-only
  bool onlyCheck = false;   ///< fmt --check
  bool searches = false;    ///< doc --search
  std::string targetNames;  ///< The value of --target.
  /// At least one; targets that run on any machine are last. Only commands that create a program accept several.
  std::vector<lispier::ProgramTarget> targets;
  std::optional<lispier::GpuFormat> gpuFormat; ///< For --emit=ptx, cubin, fatbin, hsaco.
  lispier::SessionOptions session;
};

/// Returns nothing, after setting `error`, if the command line is invalid.
std::optional<Invocation> parseCommandLine(llvm::ArrayRef<std::string> arguments, std::string &error);
/// Prints the overview, or the help of one command.
void printHelp(llvm::raw_ostream &os, llvm::StringRef command);
#endif
