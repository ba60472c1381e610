//===- Session.cpp - the stages, called in order --------------------------===//
#include "lispier/Session/Session.h"
#include "lispier/NN/NN.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;

namespace lispier {
void registerDialects(mlir::DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registry.insert<nn::NNDialect>();
}

namespace {
/// The dialects that the context can load.
class RegisteredDialects : public DialectNames {
public:
  explicit RegisteredDialects(mlir::MLIRContext &context) : context(context) {}
  bool isDialect(StringRef name) const override { return llvm::is_contained(context.getAvailableDialects(), name); }
  std::vector<std::string> dialects() const override {
    std::vector<std::string> names;
    for (StringRef name : context.getAvailableDialects())
      names.push_back(name.str());
    return names;
  }

private:
  mlir::MLIRContext &context;
};

class DiskFiles : public FileLoader {
public:
  std::unique_ptr<MemoryBuffer> load(StringRef path, std::string &why) override {
    auto buffer = MemoryBuffer::getFile(path, /*IsText=*/true);
    if (buffer)
      return std::move(*buffer);
    why = buffer.getError().message();
    return nullptr;
  }
};

mlir::DialectRegistry allDialects() {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  return registry;
}
} // namespace

struct Session::State {
  SourceMgr sources;
  DiagSink diags{sources};
  FormArena arena;
  mlir::MLIRContext context{allDialects()};
  RegisteredDialects dialects{context};
  DiskFiles files;
  mlir::ScopedDiagnosticHandler handler{&context, [this](mlir::Diagnostic &diag) { return report(diag); }};

  mlir::LogicalResult report(mlir::Diagnostic &diag);
};

/// MLIR's own messages come out like ours, at the Lisp text their location leads to.
mlir::LogicalResult Session::State::report(mlir::Diagnostic &diag) {
  if (diag.getSeverity() != mlir::DiagnosticSeverity::Error && diag.getSeverity() != mlir::DiagnosticSeverity::Warning)
    return mlir::success();
  SMRange range = sourceRange(diag.getLocation(), sources);
  Diag &out = diag.getSeverity() == mlir::DiagnosticSeverity::Error ? diags.error("", range, diag.str())
                                                                    : diags.warning("", range, diag.str());
  for (mlir::Diagnostic &note : diag.getNotes())
    out.note(sourceRange(note.getLocation(), sources), note.str());
  return mlir::success();
}

Session::Session() : state(std::make_unique<State>()) {}
Session::~Session() = default;

SourceMgr &Session::sources() { return state->sources; }
DiagSink &Session::diags() { return state->diags; }
mlir::MLIRContext &Session::context() { return state->context; }

std::optional<unsigned> Session::addFile(StringRef path) {
  auto buffer = MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/true);
  if (buffer)
    return state->sources.AddNewSourceBuffer(std::move(*buffer), SMLoc());
  state->diags.error("mod-not-found", SMRange(), "cannot read " + path + ": " + buffer.getError().message());
  return std::nullopt;
}

unsigned Session::addText(StringRef name, StringRef text) {
  return state->sources.AddNewSourceBuffer(MemoryBuffer::getMemBufferCopy(text, name), SMLoc());
}

std::vector<const Form *> Session::forms(unsigned buffer) {
  return readForms(buffer, state->arena, state->diags, ReadOptions{&state->dialects});
}

Program Session::core(unsigned buffer) {
  ExpandContext context{state->arena, state->diags, state->files, &state->dialects, nullptr};
  return expand(buffer, context);
}

Generated Session::module(const Program &program) {
  Generated generated = generate(program, state->context, state->diags);
  if (generated.module && mlir::failed(mlir::verify(*generated.module)))
    generated.module = nullptr;
  return generated;
}
} // namespace lispier
