//===- OptionTable.h - commands and options -------------------------------===//
//
// Parsing, help and suggestions are driven by two tables. An option applies to the
// commands in its mask.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_TOOLS_LISPIER_OPTIONTABLE_H
#define LISPIER_TOOLS_LISPIER_OPTIONTABLE_H

#include "Options.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>
#include <vector>

struct CommandRow {
  llvm::StringLiteral name;
  Command command;
  llvm::StringLiteral operands, help;
};
struct OptionRow {
  llvm::StringLiteral name, value;
  unsigned commands;
  llvm::StringLiteral help;
  /// Stores the value; returns false if it is invalid.
  bool (*set)(Invocation &, llvm::StringRef value);
  /// Whether it affects the result of compilation, and so belongs to the cache key.
  bool compilation = true;
  /// The words that it takes, for suggestions; null if its values are of another kind.
  std::vector<std::string> (*words)() = nullptr;
};

llvm::ArrayRef<CommandRow> commandTable();
llvm::ArrayRef<OptionRow> optionTable();
/// An option with its value, as the help shows it: "--emit=STAGE", "-o FILE".
std::string spelled(const OptionRow &row);
/// Null if there is no such command.
const CommandRow *findCommand(llvm::StringRef name);
/// Sets what the command's name says.
void selectCommand(Invocation &invocation, const CommandRow &row);
#endif
