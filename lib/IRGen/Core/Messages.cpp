//===- Messages.cpp - source locations and messages -----------------------===//
#include "Messages.h"
#include "CoreParts.h"
#include "FormEvaluator.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"

using namespace llvm;

namespace lispier {
Diag &Messages::error(StringRef code, const Form *form, const Twine &message) {
  return error(code, form->range(), form, message);
}

Diag &Messages::error(StringRef code, SMRange range, const Form *form, const Twine &message) {
  if (gen.evaluator->isRepeated(code, range, message))
    return diags.repeatedError();
  Diag &diag = diags.error(code, range, message).backtrace(form->expansion());
  gen.evaluator->noteUses(diag);
  return diag;
}

Diag &Messages::warning(StringRef code, const Form *form, const Twine &message) {
  if (gen.evaluator->isRepeated(code, form->range(), message))
    return diags.repeatedWarning();
  Diag &diag = diags.warning(code, form->range(), message).backtrace(form->expansion());
  gen.evaluator->noteUses(diag);
  return diag;
}

mlir::Location Messages::location(SMRange range) {
  SourceMgr &sources = diags.sourceMgr();
  unsigned buffer = range.isValid() ? sources.FindBufferContainingLoc(range.Start) : 0;
  if (!buffer)
    return mlir::UnknownLoc::get(&context);
  auto [line, column] = sources.getLineAndColumn(range.Start, buffer);
  auto [endLine, endColumn] = sources.getLineAndColumn(range.End, buffer);
  StringRef name = sources.getMemoryBuffer(buffer)->getBufferIdentifier();
  return mlir::FileLineColRange::get(&context, name, line, column, endLine, endColumn);
}

mlir::Location Messages::fileLocation(const Form *form) {
  SMRange range = form->range();
  for (const Expansion *by = form->expansion(); by; by = by->parent)
    range = by->call;
  return fileLocation(range.isValid() ? diags.sourceMgr().FindBufferContainingLoc(range.Start) : 0);
}

mlir::Location Messages::fileLocation(unsigned buffer) {
  SMLoc start = buffer ? SMLoc::getFromPointer(diags.sourceMgr().getMemoryBuffer(buffer)->getBufferStart()) : SMLoc();
  return location(SMRange(start, start));
}

/// A form that a macro generated gets a CallSiteLoc: its text in the macro, called from the macro call.
mlir::Location Messages::location(const Form *form) {
  if (!form) // Implicit declarations of runtime functions have no form.
    return mlir::UnknownLoc::get(&context);
  mlir::LocationAttr place = locations.lookup(form); // A form often makes several ops.
  if (!place)
    locations[form] = place = calledFrom(location(form->range()), form->expansion());
  return place;
}

mlir::Location Messages::calledFrom(mlir::Location place, const Expansion *by) {
  if (!by)
    return place;
  mlir::LocationAttr caller = callers.lookup(by);
  if (!caller)
    callers[by] = caller = calledFrom(location(by->call), by->parent);
  return mlir::CallSiteLoc::get(mlir::NameLoc::get(builder.getStringAttr(by->macro), place), caller);
}

Captured Messages::capture(function_ref<void()> body) {
  Captured first;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diag) {
    if (diag.getSeverity() == mlir::DiagnosticSeverity::Error && first.message.empty()) {
      first.message = diag.str();
      for (mlir::Diagnostic &note : diag.getNotes())
        first.notes.push_back(note.str());
    }
    return mlir::success();
  });
  body();
  return first;
}

namespace {
SMRange inBuffer(SourceMgr &sources, StringRef name, unsigned line, unsigned column, unsigned endLine,
                 unsigned endColumn) {
  for (unsigned id = 1, count = sources.getNumBuffers(); id <= count; ++id) {
    if (sources.getMemoryBuffer(id)->getBufferIdentifier() != name)
      continue;
    SMLoc start = sources.FindLocForLineAndColumn(id, line, column),
          end = sources.FindLocForLineAndColumn(id, endLine, endColumn);
    return start.isValid() ? SMRange(start, end.isValid() ? end : start) : SMRange();
  }
  return SMRange();
}
} // namespace

SMRange sourceRange(StringRef buffer, unsigned line, unsigned column, SourceMgr &sources) {
  return inBuffer(sources, buffer, line, column, line, column);
}

SMRange sourceRange(mlir::Location location, SourceMgr &sources) {
  if (auto range = dyn_cast<mlir::FileLineColRange>(location))
    return inBuffer(sources, range.getFilename(), range.getStartLine(), range.getStartColumn(), range.getEndLine(),
                    range.getEndColumn());
  if (auto name = dyn_cast<mlir::NameLoc>(location))
    return sourceRange(name.getChildLoc(), sources);
  if (auto call = dyn_cast<mlir::CallSiteLoc>(location)) {
    SMRange inMacro = sourceRange(call.getCallee(), sources);
    return inMacro.isValid() ? inMacro : sourceRange(call.getCaller(), sources);
  }
  if (auto fused = dyn_cast<mlir::FusedLoc>(location))
    for (mlir::Location part : fused.getLocations())
      if (SMRange range = sourceRange(part, sources); range.isValid())
        return range;
  return SMRange();
}
} // namespace lispier
