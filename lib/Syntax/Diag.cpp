//===- Diag.cpp - collecting and printing messages ------------------------===//
#include "lispier/Syntax/Diag.h"
#include "lispier/Syntax/Form.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace lispier {
Diag &Diag::note(SMRange noteRange, const Twine &text) {
  notes.push_back({noteRange, text.str()});
  return *this;
}

Diag &Diag::withHint(const Twine &text) {
  hint = text.str();
  return *this;
}

Diag &Diag::backtrace(const Expansion *expansion) {
  SmallVector<const Expansion *> chain;
  for (SMRange last = range; expansion; last = expansion->call, expansion = expansion->parent)
    if (expansion->call.Start != last.Start || !expansion->ofLanguage)
      chain.push_back(expansion);
  constexpr size_t kInner = 4, kOuter = 2;
  for (size_t i = 0; i < chain.size(); ++i) {
    if (i == kInner && chain.size() > kInner + kOuter + 1) {
      size_t left = chain.size() - kInner - kOuter;
      note({}, Twine(left) + " more macro calls");
      i += left;
    }
    bool isHere = chain[i]->call.Start == range.Start; // A compiled macro's forms have no other place.
    note(isHere ? SMRange() : chain[i]->call,
         "in the expansion of `" + chain[i]->macro + (isHere ? "`" : "`, called here"));
  }
  return *this;
}

Diag &DiagSink::error(StringRef code, SMRange range, const Twine &message) {
  if (++errorCount > kMaxErrors) {
    dropped = Diag();
    return dropped;
  }
  Diag &diag = diags.emplace_back();
  diag.code = code.str();
  diag.range = range;
  diag.message = message.str();
  return diag;
}

Diag &DiagSink::warning(StringRef code, SMRange range, const Twine &message) {
  Diag &diag = diags.emplace_back();
  diag.severity = Severity::Warning;
  diag.code = code.str();
  diag.range = range;
  diag.message = message.str();
  return diag;
}

void DiagSink::clear() {
  diags.clear();
  errorCount = 0;
}

namespace {
/// `file:line:col: ` of the start of a range, or nothing.
void printPlace(raw_ostream &os, SourceMgr &sources, SMRange range) {
  unsigned buffer = range.isValid() ? sources.FindBufferContainingLoc(range.Start) : 0;
  if (!buffer)
    return;
  auto [line, column] = sources.getLineAndColumn(range.Start, buffer);
  os << sources.getMemoryBuffer(buffer)->getBufferIdentifier() << ':' << line << ':' << column << ": ";
}

/// The source line and, under it, a caret with tildes to the end of the range or of the line.
void printExcerpt(raw_ostream &os, SourceMgr &sources, SMRange range) {
  unsigned buffer = range.isValid() ? sources.FindBufferContainingLoc(range.Start) : 0;
  if (!buffer)
    return;
  const MemoryBuffer *text = sources.getMemoryBuffer(buffer);
  const char *start = range.Start.getPointer(), *lineStart = start, *lineEnd = start;
  while (lineStart != text->getBufferStart() && lineStart[-1] != '\n')
    --lineStart;
  while (lineEnd != text->getBufferEnd() && *lineEnd != '\n' && *lineEnd != '\r')
    ++lineEnd;
  // Of a long line only what is around the place.
  constexpr ptrdiff_t kBefore = 100, kAfter = 60;
  bool cut = start - lineStart > kBefore + kAfter;
  if (cut)
    lineStart = start - kBefore;
  lineEnd = std::min(lineEnd, start + kBefore + kAfter);
  os << (cut ? "  ..." : "  ") << StringRef(lineStart, lineEnd - lineStart) << (cut ? "\n     " : "\n  ");
  for (const char *p = lineStart; p != start; ++p)
    if (*p == '\t')
      os << '\t';
    else if ((static_cast<unsigned char>(*p) & 0xC0) != 0x80) // one column for each UTF-8 character
      os << ' ';
  os << '^';
  const char *end = range.End.isValid() ? std::min(range.End.getPointer(), lineEnd) : start;
  for (const char *p = start + 1; p < end; ++p)
    if ((static_cast<unsigned char>(*p) & 0xC0) != 0x80)
      os << '~';
  os << '\n';
}
} // namespace

void DiagSink::print(raw_ostream &os) const {
  for (const Diag &diag : diags) {
    printPlace(os, sources, diag.range);
    os << (diag.severity == Severity::Error ? "error" : "warning");
    if (!diag.code.empty())
      os << '[' << diag.code << ']';
    os << ": " << diag.message << '\n';
    printExcerpt(os, sources, diag.range);
    for (const DiagNote &note : diag.notes) {
      printPlace(os, sources, note.range);
      os << "note: " << note.message << '\n';
      printExcerpt(os, sources, note.range);
    }
    if (!diag.hint.empty())
      os << "hint: " << diag.hint << '\n';
  }
  if (errorCount > kMaxErrors)
    os << "and " << errorCount - kMaxErrors << " more errors\n";
}

SmallVector<std::string, 3> nearMisses(StringRef name, ArrayRef<std::string> candidates) {
  unsigned limit = name.size() <= 2 ? 1 : std::max<size_t>(2, name.size() / 3);
  SmallVector<std::pair<unsigned, StringRef>> near;
  for (const std::string &candidate : candidates) {
    unsigned distance = name.edit_distance(candidate, /*AllowReplacements=*/true, limit);
    if (distance <= limit && distance < name.size() && candidate != name)
      near.push_back({distance, candidate});
  }
  llvm::sort(near);
  near.erase(std::unique(near.begin(), near.end()), near.end());
  SmallVector<std::string, 3> best;
  for (auto &[distance, candidate] : ArrayRef(near).take_front(3))
    best.push_back(candidate.str());
  return best;
}

std::string didYouMean(StringRef name, ArrayRef<std::string> candidates) {
  SmallVector<std::string, 3> near = nearMisses(name, candidates);
  if (near.empty())
    return "";
  std::string text = "did you mean ";
  for (size_t i = 0; i < near.size(); ++i)
    text += (i == 0 ? "`" : i + 1 == near.size() ? " or `" : ", `") + near[i] + "`";
  return text + "?";
}
} // namespace lispier
