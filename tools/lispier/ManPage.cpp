//===- ManPage.cpp - the help as a manual page ----------------------------===//
#include "ManPage.h"
#include "OptionTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace {
/// As roff shows it, a hyphen also as one that can be copied.
std::string escaped(StringRef text) {
  std::string result;
  for (char c : text)
    result += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
  return result.starts_with(".") || result.starts_with("'") ? "\\&" + result : result;
}

/// A term and what it means.
void printItem(raw_ostream &os, StringRef term, StringRef operands, StringRef meaning) {
  os << ".TP\n\\fB" << escaped(term) << "\\fR";
  if (!operands.empty())
    os << " \\fI" << escaped(operands) << "\\fR";
  os << '\n' << escaped(meaning) << '\n';
}

constexpr std::pair<StringLiteral, StringLiteral> kEnvironment[] = {
    {"LISPIER_CACHE, LISPIER_CACHE_DIR", "0: nothing is kept of a run; the folder of what is kept"},
    {"LISPIER_DEVICE", "the number of the GPU that a program uses (0)"},
    {"LISPIER_TARGET", "the target, of those that a program is built for, that it runs on"},
    {"LISPIER_THREADS", "how many threads a program uses (as many as there are processors)"},
    {"LISPIER_TRACE", "a file for a trace of the run, as by --trace"},
};
constexpr std::pair<StringLiteral, StringLiteral> kStatuses[] = {
    {"0", "what was asked for is done"},
    {"1", "the program has mistakes, its run fails, or a file cannot be written"},
    {"2", "the command line has mistakes"},
};
} // namespace

void printManPage(raw_ostream &os, StringRef version) {
  os << ".TH LISPIER 1 \"\" \"lispier " << version << "\" \"User Commands\"\n.SH NAME\nlispier \\- compile formulas on "
     << "tensors, kernels and the programs around them\n.SH SYNOPSIS\n.B lispier\n.I COMMAND\n[options]\n.I FILE\n.br\n"
     << ".B lispier \\-\\-emit=\\fISTAGE\\fP\n[options]\n.I FILE\n.SH COMMANDS\n";
  for (const CommandRow &row : commandTable())
    printItem(os, row.name, row.operands, row.help);
  os << ".SH OPTIONS\n";
  for (const OptionRow &row : optionTable())
    printItem(os, spelled(row), "", row.help);
  printItem(os, "--help, --version", "", "print the help, also of a command; print the version");
  printItem(os, "--completions=SHELL", "", "print a script that completes commands and options in bash, zsh or fish");
  printItem(os, "--man", "", "print this page");
  os << ".P\n\\fBlispier \\fICOMMAND\\fB \\-\\-help\\fR lists those that a command takes.\n.SH ENVIRONMENT\n";
  for (auto &[name, meaning] : kEnvironment)
    printItem(os, name, "", meaning);
  os << ".SH EXIT STATUS\n";
  for (auto &[status, meaning] : kStatuses)
    printItem(os, status, "", meaning);
  os << ".SH FILES\n";
  printItem(os, "~/.cache/lispier", "", "programs that are compiled, for their next run");
}
