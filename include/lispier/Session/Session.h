//===- Session.h - text in, runnable out -----------------------*- C++ -*-===//
//
// What the driver, the REPL and the language server share: one SourceMgr, one
// message sink, one MLIR context. Each stage is a method that takes what the
// stage before it made; all report to diags() and return something empty after
// an error.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_SESSION_SESSION_H
#define LISPIER_SESSION_SESSION_H

#include "lispier/Expand/Expand.h"
#include "lispier/IRGen/IRGen.h"
#include <memory>
#include <optional>

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace lispier {
/// Every upstream dialect, extension and translation, and ours.
void registerDialects(mlir::DialectRegistry &registry);

class Session {
public:
  Session();
  ~Session();

  llvm::SourceMgr &sources();
  DiagSink &diags();
  mlir::MLIRContext &context();

  /// Reads a file, or standard input for "-". Nothing: the reason is in diags().
  std::optional<unsigned> addFile(llvm::StringRef path);
  /// Text that came from no file, under the name that messages shall call it.
  unsigned addText(llvm::StringRef name, llvm::StringRef text);

  /// Text to forms.
  std::vector<const Form *> forms(unsigned buffer);
  /// Text to core forms: files loaded, macros expanded.
  Program core(unsigned buffer);
  /// Core forms to a verified module.
  Generated module(const Program &program);

private:
  struct State;
  std::unique_ptr<State> state;
};
} // namespace lispier
#endif
