//===- Session.cpp - stages up to the MLIR module -------------------------===//
#include "lispier/Session/Session.h"
#include "State.h"
#include "lispier/IRGen/PrintLisp.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

using namespace llvm;

namespace lispier {
bool RegisteredDialects::isDialect(StringRef name) const { return is_contained(context.getAvailableDialects(), name); }

std::vector<std::string> RegisteredDialects::dialects() const {
  std::vector<std::string> names;
  for (StringRef name : context.getAvailableDialects())
    names.push_back(name.str());
  return names;
}

namespace {
mlir::DialectRegistry allDialects() {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  return registry;
}
} // namespace

Session::State::State(SessionOptions given) : options(std::move(given)), context(allDialects()) {
  context.printOpOnDiagnostic(false); // The source excerpt is shown instead.
  timing.enable(options.time ? options.log : nullptr);
  total = timing.getRootScope();
}

void Session::State::announce(StringRef stage, const Twine &what) {
  std::string detail = what.str();
  if (options.verbose && options.log)
    *options.log << "lispier: " << stage << (detail.empty() ? "" : ": ") << detail << '\n';
}

mlir::TimingScope Session::State::begin(StringRef stage, const Twine &what) {
  announce(stage, what);
  return total.nest(stage);
}

namespace {
/// Adds a note for each macro call, innermost first. IRGen gives a macro's output a CallSiteLoc with the macro as
/// callee.
void addBacktrace(Diag &out, mlir::Location location, SourceMgr &sources) {
  if (auto name = dyn_cast<mlir::NameLoc>(location))
    return addBacktrace(out, name.getChildLoc(), sources);
  if (auto fused = dyn_cast<mlir::FusedLoc>(location); fused && fused.getLocations().size() == 1)
    return addBacktrace(out, fused.getLocations().front(), sources); // With the name of a size.
  auto call = dyn_cast<mlir::CallSiteLoc>(location);
  if (!call)
    return;
  if (auto macro = dyn_cast<mlir::NameLoc>(call.getCallee()))
    out.note(sourceRange(call.getCaller(), sources),
             "in the expansion of `" + macro.getName().str() + "`, called here");
  addBacktrace(out, call.getCaller(), sources);
}

/// "file:line:column"
std::string describePlace(mlir::Location location) {
  auto place = dyn_cast<mlir::FileLineColRange>(location);
  if (!place)
    return "<unknown>";
  return (place.getFilename().getValue() + ":" + Twine(place.getStartLine()) + ":" + Twine(place.getStartColumn()))
      .str();
}
} // namespace

mlir::LogicalResult Session::State::report(mlir::Diagnostic &diag) {
  SMRange range = sourceRange(diag.getLocation(), sources);
  if (diag.getSeverity() == mlir::DiagnosticSeverity::Error) {
    Diag &out = diags.error("mlir", range, diag.str()); // With MLIR's own text.
    for (mlir::Diagnostic &note : diag.getNotes())
      out.note(sourceRange(note.getLocation(), sources), note.str());
    addBacktrace(out, diag.getLocation(), sources);
  } else if (diag.getSeverity() == mlir::DiagnosticSeverity::Warning) {
    addBacktrace(diags.warning("mlir", range, diag.str()), diag.getLocation(), sources);
  } else if (diag.getSeverity() == mlir::DiagnosticSeverity::Remark && options.log) {
    std::string text = describePlace(diag.getLocation()) + ": " + diag.str() + "\n"; // Remarks are enabled by options.
    for (mlir::Diagnostic &note : diag.getNotes())
      text += "  " + describePlace(note.getLocation()) + ": " + note.str() + "\n";
    *options.log << text;
    remarks += text;
  }
  return mlir::success();
}

bool Session::State::fail(Error error, StringRef code, const Twine &what) {
  diags.error(code, SMRange(), what + toString(std::move(error)));
  return false;
}

Session::Session(SessionOptions options) : state(std::make_unique<State>(std::move(options))) {}
Session::~Session() = default;

SourceMgr &Session::sources() { return state->sources; }
DiagSink &Session::diags() { return state->diags; }
mlir::MLIRContext &Session::context() { return state->context; }

std::optional<unsigned> Session::addFile(StringRef path) { return addSource(path, readSource(path)); }

std::optional<unsigned> Session::addSource(StringRef path, Expected<std::unique_ptr<MemoryBuffer>> source) {
  if (source)
    return state->sources.AddNewSourceBuffer(std::move(*source), SMLoc());
  state->diags.error("mod-not-found", SMRange(), "cannot read " + path + ": " + toString(source.takeError()));
  return std::nullopt;
}

unsigned Session::addText(StringRef name, StringRef text) {
  return state->sources.AddNewSourceBuffer(MemoryBuffer::getMemBufferCopy(text, name), SMLoc());
}

std::vector<const Form *> Session::forms(unsigned buffer) {
  mlir::TimingScope timing = state->begin("read", state->nameOf(buffer));
  return readForms(buffer, state->arena, state->diags, ReadOptions{&state->dialects});
}

Program Session::core(unsigned buffer, bool followRequires) {
  mlir::TimingScope timing = state->begin("expand", state->nameOf(buffer));
  ExpandContext context{state->arena, state->diags, state->files, &state->dialects, &state->macros, followRequires};
  for (const std::string &exported : state->options.exports)
    append_range(context.exports, readForms(addText("--export", "(export " + exported + ")"), state->arena,
                                            state->diags, ReadOptions{&state->dialects}));
  return expand(buffer, context);
}

Program Session::expression(unsigned buffer) {
  mlir::TimingScope timing = state->begin("expand", state->nameOf(buffer));
  ExpandContext context{state->arena, state->diags, state->files, &state->dialects, &state->macros};
  context.evaluate = true;
  return expand(buffer, context);
}

Generated Session::module(const Program &program) {
  mlir::TimingScope timing = state->begin("generate", Twine(program.forms.size()) + " top-level forms");
  Generated generated = generate(program, state->context, state->diags, state->options.generate);
  bool verify = generated.module && state->options.verify;
  if (diags().hasErrors() || (verify && mlir::failed(mlir::verify(*generated.module))))
    generated.module = nullptr;
  return generated;
}

Generated Session::parseModule(unsigned buffer) {
  mlir::TimingScope timing = state->begin("parse", state->nameOf(buffer));
  // The parser needs a SourceMgr of its own; diagnostics find the text by the buffer's name.
  auto text = std::make_shared<SourceMgr>();
  const MemoryBuffer *contents = sources().getMemoryBuffer(buffer);
  text->AddNewSourceBuffer(MemoryBuffer::getMemBuffer(contents->getMemBufferRef()), SMLoc());
  Generated parsed;
  parsed.module = mlir::parseSourceFile<mlir::ModuleOp>(text, mlir::ParserConfig(&state->context));
  if (parsed.module)
    checkVectorSizes(*parsed.module, diags());
  if (diags().hasErrors())
    parsed.module = nullptr;
  return parsed;
}

std::vector<const Form *> Session::lisp(mlir::ModuleOp module) { return lispForms(module, state->arena, state->diags); }

void Session::keep(ProgramCache &cache, unsigned buffer, const CompiledProgram &program) {
  if (state->macros.arePure())
    cache.store(*sources().getMemoryBuffer(buffer), state->files.answers(), program);
}
} // namespace lispier
