//===- MacroHost.h - compiled macros ---------------------------*- C++ -*-===//
#ifndef LISPIER_LIB_SESSION_MACROHOST_H
#define LISPIER_LIB_SESSION_MACROHOST_H

#include "lispier/Expand/Expand.h"
#include "lispier/Target/Cpu/Jit.h"
#include "llvm/ADT/StringMap.h"

namespace mlir {
class MLIRContext;
class ModuleOp;
} // namespace mlir

namespace lispier {
/// Compiles and calls macros defined by functions. Of the program, only what such a function calls is compiled.
class JitMacroHost : public MacroHost {
public:
  JitMacroHost(mlir::MLIRContext &context, llvm::SourceMgr &sources) : context(context), sources(sources) {}
  bool define(llvm::StringRef name, llvm::ArrayRef<const Form *> program, DiagSink &diags, std::string &why) override;
  const Form *call(llvm::StringRef name, const Form *arguments, FormArena &arena, const Expansion *by,
                   std::string &why) override;

  /// Whether the macros' results depend only on their arguments, judging by the external functions that they call.
  bool arePure() const { return pure; }

private:
  /// Creates the JIT on the first call; false with a reason if that fails.
  bool openJit(std::string &why);
  bool compile(mlir::ModuleOp module, llvm::StringRef name, std::string &why);

  mlir::MLIRContext &context;
  llvm::SourceMgr &sources;
  std::unique_ptr<Jit> jit; ///< Created for the first macro.
  llvm::StringMap<void *> functions;
  unsigned compiled = 0;
  bool pure = true;
};
} // namespace lispier
#endif
