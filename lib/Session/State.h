//===- State.h - what the parts of a Session share -------------*- C++ -*-===//
#ifndef LISPIER_LIB_SESSION_STATE_H
#define LISPIER_LIB_SESSION_STATE_H

#include "Files.h"
#include "KernelLibrary.h"
#include "MacroHost.h"
#include "StageTimes.h"
#include "lispier/Session/Session.h"
#include "lispier/Target/Cpu/Entry.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/Timing.h"
#include "llvm/Support/SourceMgr.h"

namespace lispier {
/// The dialects that the context can load.
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
  DiskFiles files;
  JitMacroHost macros{context, sources};
  /// Read when the first program needs it.
  std::unique_ptr<KernelLibrary> kernels;
  mlir::ScopedDiagnosticHandler handler{&context, [this](mlir::Diagnostic &diag) { return report(diag); }};

  /// A stage begins: times it until the scope ends, and says so where that was asked for.
  mlir::TimingScope begin(llvm::StringRef stage, const llvm::Twine &what = "");
  /// MLIR's own messages come out like ours, at the Lisp text their location leads to.
  mlir::LogicalResult report(mlir::Diagnostic &diag);
  void cannotOpen(const LinkedLibrary &library, const llvm::Twine &why);
  /// One error a symbol, at its declaration.
  void reportUnresolved(mlir::ModuleOp module, llvm::ArrayRef<std::string> names);
  llvm::StringRef nameOf(unsigned buffer) const { return sources.getMemoryBuffer(buffer)->getBufferIdentifier(); }
  /// Optimises, and writes what a stage from Llvm on asks for.
  bool write(llvm::Module &module, llvm::TargetMachine &machine, Stage stage, llvm::raw_pwrite_stream &os);
  /// Errors of LLVM's libraries.
  bool fail(llvm::Error error, llvm::StringRef code, const llvm::Twine &what);
};

/// What the runtime has to know of a target to choose it; without the program.
TargetProgram describe(const ProgramTarget &target);
} // namespace lispier
#endif
