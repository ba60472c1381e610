//===- CompiledProgram.h - a compiled program, ready to run ----*- C++ -*-===//
//
// Made by Session::compile and stored by ProgramCache. Running it needs no session,
// MLIR or source; the source only serves for excerpts in the simulator's messages.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_SESSION_COMPILEDPROGRAM_H
#define LISPIER_SESSION_COMPILEDPROGRAM_H

#include "lispier/Session/Main.h"
#include "lispier/Syntax/Diag.h"
#include "lispier/Target/Cpu/Jit.h"
#include <optional>

namespace lispier {
struct CompiledProgram {
  MainSignature main;
  bool printsResult = true; ///< False for programs with compilation forms.
  std::vector<std::string> libraries;
  std::string messages; ///< The compilation's warnings and remarks, as printed text.
  /// Everything that `main` uses. GPU binaries are constants in it.
  std::vector<CodeUnit> units;
  std::vector<std::string> externals; ///< The symbols that the units use and do not define.
};

/// Error: symbols that are defined neither by this process nor by a library of the program.
class UnresolvedNames : public llvm::ErrorInfo<UnresolvedNames> {
public:
  explicit UnresolvedNames(std::vector<std::string> names) : names(std::move(names)) {}
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

  static char ID;
  const std::vector<std::string> names;
};

/// Error: a library of the program that cannot be opened.
class UnopenedLibrary : public llvm::ErrorInfo<UnopenedLibrary> {
public:
  UnopenedLibrary(std::string path, std::string why) : path(std::move(path)), why(std::move(why)) {}
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

  static char ID;
  const std::string path, why;
};

/// A program loaded into this process as machine code.
class LoadedProgram {
public:
  /// Fails with UnresolvedNames, UnopenedLibrary, or an error of the JIT. `objects`, a cache of object files, may be
  /// null; otherwise it must outlive the result.
  static llvm::Expected<std::unique_ptr<LoadedProgram>> load(CompiledProgram program, const CpuOptions &options,
                                                             ObjectStore *objects);
  /// Calls `main`. The simulator's messages are printed as diagnostics with excerpts from `sources`.
  MainResult call(llvm::ArrayRef<std::string> arguments, llvm::SourceMgr &sources);

private:
  LoadedProgram() = default;
  MainSignature main;
  std::string messages;
  std::vector<CodeUnit> units; ///< Of the JIT, which is declared after them.
  std::unique_ptr<Jit> jit;
  void *entry = nullptr;
};
} // namespace lispier
#endif
