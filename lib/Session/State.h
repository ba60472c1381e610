//===- State.h - what the parts of a Session share -------------*- C++ -*-===//
#ifndef LISPIER_LIB_SESSION_STATE_H
#define LISPIER_LIB_SESSION_STATE_H

#include "Files.h"
#include "KernelLibrary.h"
#include "MacroHost.h"
#include "StageTimes.h"
#include "lispier/Session/Session.h"
#include "lispier/Target/Cpu/Entry.h"
#include "lispier/Target/Host/KernelBinaries.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/Timing.h"
#include "llvm/Support/SourceMgr.h"

namespace lispier {
/// Implements DialectNames with the dialects registered in the context.
class RegisteredDialects : public DialectNames {
public:
  explicit RegisteredDialects(mlir::MLIRContext &context) : context(context) {}
  bool isDialect(llvm::StringRef name) const override;
  std::vector<std::string> dialects() const override;

private:
  mlir::MLIRContext &context;
};

struct Session::State {
  explicit State(SessionOptions options);

  SessionOptions options;
  llvm::SourceMgr sources;
  DiagSink diags{sources};
  FormArena arena;
  StageTimes timing;
  mlir::TimingScope total;
  mlir::MLIRContext context;
  RegisteredDialects dialects{context};
  DiskFiles files{options.arguments};
  JitMacroHost macros{context, sources};
  /// Created when first needed.
  std::unique_ptr<KernelLibrary> kernels;
  std::string remarks;     ///< What has been printed to the log of the program, which a cached program prints again.
  KernelBinaries binaries; ///< Of the programs that are lowered with it.
  mlir::ScopedDiagnosticHandler handler{&context, [this](mlir::Diagnostic &diag) { return report(diag); }};

  /// Prints a stage, or a part of one, with -v.
  void announce(llvm::StringRef stage, const llvm::Twine &what);
  /// Begins a stage: times it until the returned scope ends, and prints it with -v.
  mlir::TimingScope begin(llvm::StringRef stage, const llvm::Twine &what = "");
  /// Converts an MLIR diagnostic to a Diag at the Lisp source of its location.
  mlir::LogicalResult report(mlir::Diagnostic &diag);
  /// Reports a library that cannot be opened, at the program's `link-library`.
  void cannotOpen(const LinkedLibrary &library, const llvm::Twine &why);
  /// Reports an error for each symbol, at its declaration.
  void reportUnresolved(mlir::ModuleOp module, llvm::ArrayRef<std::string> names);
  llvm::StringRef nameOf(unsigned buffer) const { return sources.getMemoryBuffer(buffer)->getBufferIdentifier(); }
  /// Optimises the module and writes the output of a stage from Llvm on.
  bool write(llvm::Module &module, llvm::TargetMachine &machine, Stage stage, llvm::raw_pwrite_stream &os);
  /// A module with the binaries of kernels that a program declares, when all are made; null after an error.
  std::unique_ptr<llvm::Module> takeBinaries(llvm::LLVMContext &context, llvm::TargetMachine &machine);
  /// Reports an llvm::Error.
  bool fail(llvm::Error error, llvm::StringRef code, const llvm::Twine &what);
};

/// Describes a target for the runtime's selection, without a program.
TargetProgram describe(const ProgramTarget &target);
} // namespace lispier
#endif
