//===- CompiledProgram.h - what a run needs of a compilation ---*- C++ -*-===//
//
// Made by Session::compile, kept by ProgramCache; running it needs no session, no
// MLIR and no source, but for the excerpts in the simulator's messages.
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
  bool printsResult = true; ///< Programs with compilation forms do not.
  std::vector<std::string> libraries;
  std::string messages; ///< Warnings, as they are printed.
  std::string bitcode;  ///< LLVM's, of all that `main` needs, before optimisation; images for GPUs are constants in it.
};

/// Names that neither this process nor a library of the program defines.
class UnresolvedNames : public llvm::ErrorInfo<UnresolvedNames> {
public:
  explicit UnresolvedNames(std::vector<std::string> names) : names(std::move(names)) {}
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

  static char ID;
  const std::vector<std::string> names;
};

/// A library of the program that cannot be opened.
class UnopenedLibrary : public llvm::ErrorInfo<UnopenedLibrary> {
public:
  UnopenedLibrary(std::string path, std::string why) : path(std::move(path)), why(std::move(why)) {}
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

  static char ID;
  const std::string path, why;
};

/// A compiled program in this process.
class LoadedProgram {
public:
  /// `objects` may be null, else it outlives the result.
  static llvm::Expected<std::unique_ptr<LoadedProgram>> load(const CompiledProgram &program, const CpuOptions &options,
                                                             ObjectStore *objects);
  /// Calls `main`. Messages of the simulator come out like ours, with excerpts of `sources`.
  MainResult call(llvm::ArrayRef<std::string> arguments, llvm::SourceMgr &sources);

private:
  LoadedProgram() = default;
  MainSignature main;
  std::string messages;
  std::unique_ptr<Jit> jit;
  void *entry = nullptr;
};
} // namespace lispier
#endif
