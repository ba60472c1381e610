//===- Options.h - the command line --------------------------------------===//
#ifndef LISPIER_TOOLS_LISPIER_OPTIONS_H
#define LISPIER_TOOLS_LISPIER_OPTIONS_H

#include "lispier/Session/Session.h"

enum class Command { Help, Version, Run, Build, Check, Eval, Emit, Format, Devices };

struct Invocation {
  Command command = Command::Help;
  /// Which command's help; empty for the overview.
  std::string helpFor;
  std::string input; ///< A file, "-", or eval's expression.
  std::string output;
  std::vector<std::string> arguments; ///< The program's; fmt's other files.
  lispier::Stage from = lispier::Stage::Forms, until = lispier::Stage::Module;
  bool oneLine = false; ///< show-expanded: a form a line.
  bool asLisp = false;  ///< --emit=lisp: the module as core forms.
  bool exitCode = false;
  bool cache = true;
  std::string trace; ///< The file; empty for none.
  /// The options that decide what is compiled, as they were written: part of a cache's keys.
  std::vector<std::string> compilation;
  bool onlyCheck = false;  ///< fmt --check
  std::string targetNames; ///< What --target says.
  /// At least one; those that run on any machine are last. More than one is for commands that make a program.
  std::vector<lispier::ProgramTarget> targets;
  std::optional<lispier::GpuFormat> gpuFormat; ///< --emit=ptx and its like.
  lispier::SessionOptions session;
};

/// Nothing: `error` says what is wrong with the command line.
std::optional<Invocation> parseCommandLine(llvm::ArrayRef<std::string> arguments, std::string &error);
void printHelp(llvm::raw_ostream &os, llvm::StringRef command);
#endif
