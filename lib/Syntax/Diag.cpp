//===- Diag.cpp - collect and print diagnostics ---------------------------===//
#include "lispier/Syntax/Diag.h"
#include "lispier/Syntax/Form.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Unicode.h"
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
    bool isHere = chain[i]->call.Start == range.Start; // Forms from a compiled macro are located at its call.
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

Diag &DiagSink::repeatedError() {
  ++repeatedCount;
  return repeatedWarning();
}

Diag &DiagSink::repeatedWarning() {
  dropped = Diag();
  return dropped;
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
  errorCount = repeatedCount = 0;
}

namespace {
/// Prints `file:line:col: ` for the start of a range, or nothing for an invalid one.
void printPlace(raw_ostream &os, SourceMgr &sources, SMRange range) {
  unsigned buffer = range.isValid() ? sources.FindBufferContainingLoc(range.Start) : 0;
  if (!buffer)
    return;
  auto [line, column] = sources.getLineAndColumn(range.Start, buffer);
  os << sources.getMemoryBuffer(buffer)->getBufferIdentifier() << ':' << line << ':' << column << ": ";
}

/// Calls `each` with the printable form of each character of `text` and its width in columns. Characters that a
/// terminal would not print, or would interpret, are shown as string escapes.
void eachCharacter(StringRef text, function_ref<void(StringRef shown, unsigned columns)> each) {
  const auto *next = reinterpret_cast<const UTF8 *>(text.begin()), *end = reinterpret_cast<const UTF8 *>(text.end());
  while (next != end) {
    const UTF8 *start = next;
    UTF32 code = 0;
    bool valid = convertUTF8Sequence(&next, end, &code, strictConversion) == conversionOK;
    if (!valid)
      next = start + 1;
    std::string escape;
    if (!valid || (code < 0x80 && !isPrint(char(code)) && code != '\t' && code != '\n'))
      escape = "\\x" + utohexstr(*start, /*LowerCase=*/true, 2);
    else if (code >= 0x80 && !sys::unicode::isPrintable(int(code)))
      escape = "\\u{" + utohexstr(code, /*LowerCase=*/true) + "}";
    StringRef bytes(reinterpret_cast<const char *>(start), next - start);
    int columns = !escape.empty() ? int(escape.size()) : code == '\t' ? 1 : sys::unicode::columnWidthUTF8(bytes);
    each(escape.empty() ? bytes : escape, std::max(0, columns));
  }
}

bool isContinued(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// The longest prefix of at most `size` bytes that ends at a character boundary.
StringRef firstOf(StringRef text, size_t size) {
  while (size < text.size() && size && isContinued(text[size]))
    --size;
  return text.take_front(size);
}
StringRef lastOf(StringRef text, size_t size) { return text.take_back(size).drop_while(isContinued); }

/// Makes a message printable. Text quoted from the source, in backquotes, can be of any length and is shortened.
std::string presentable(StringRef message) {
  constexpr size_t kLongest = 160, kFirst = 100, kLast = 40;
  std::string text;
  auto add = [&](StringRef part) { eachCharacter(part, [&](StringRef shown, unsigned) { text += shown; }); };
  while (!message.empty()) {
    size_t open = message.find('`'), close = message.find('`', open + 1);
    size_t length = close == StringRef::npos ? 0 : close - open - 1;
    if (close == StringRef::npos)
      open = close = message.size();
    add(message.take_front(open));
    StringRef quoted = message.slice(open, close);
    if (length > kLongest) {
      add(firstOf(quoted, kFirst));
      text += " ... ";
      quoted = lastOf(quoted, kLast);
    }
    add(quoted);
    message = message.drop_front(close);
    if (message.consume_front("`"))
      text += '`';
  }
  return text;
}

/// Prints the source line and, under it, a caret with tildes to the end of the range or line. Of a long line only the
/// part around the location is printed.
void printExcerpt(raw_ostream &os, SourceMgr &sources, SMRange range) {
  unsigned buffer = range.isValid() ? sources.FindBufferContainingLoc(range.Start) : 0;
  if (!buffer)
    return;
  constexpr size_t kBefore = 100, kAfter = 60;
  StringRef text = sources.getMemoryBuffer(buffer)->getBuffer();
  size_t start = range.Start.getPointer() - text.begin();
  size_t lineStart = text.take_front(start).rfind('\n') + 1;
  StringRef before = text.slice(lineStart, start), after = text.substr(start);
  after = after.take_front(after.find_first_of("\r\n"));
  bool cutBefore = before.size() > kBefore + kAfter, cutAfter = after.size() > kBefore + kAfter;
  if (cutBefore)
    before = lastOf(before, kBefore);
  if (cutAfter)
    after = firstOf(after, kBefore + kAfter);
  size_t marked = range.End.isValid() ? range.End.getPointer() - range.Start.getPointer() : 0;
  std::string line, place;
  eachCharacter(before, [&](StringRef shown, unsigned columns) {
    line += shown;
    place += shown == "\t" ? "\t" : std::string(columns, ' ');
  });
  eachCharacter(after.take_front(marked), [&](StringRef shown, unsigned columns) {
    line += shown;
    place.append(columns, '~');
  });
  eachCharacter(after.drop_front(std::min(marked, after.size())), [&](StringRef shown, unsigned) { line += shown; });
  size_t caret = place.find('~');
  if (caret == std::string::npos)
    place += '^';
  else
    place[caret] = '^';
  os << (cutBefore ? "  ..." : "  ") << line << (cutAfter ? "..." : "") << (cutBefore ? "\n     " : "\n  ") << place
     << '\n';
}
} // namespace

void DiagSink::print(raw_ostream &os) const {
  for (const Diag &diag : diags) {
    printPlace(os, sources, diag.range);
    os << (diag.severity == Severity::Error ? "error" : "warning");
    if (!diag.code.empty())
      os << '[' << diag.code << ']';
    os << ": " << presentable(diag.message) << '\n';
    printExcerpt(os, sources, diag.range);
    for (const DiagNote &note : diag.notes) {
      printPlace(os, sources, note.range);
      os << "note: " << presentable(note.message) << '\n';
      printExcerpt(os, sources, note.range);
    }
    if (!diag.hint.empty())
      os << "hint: " << presentable(diag.hint) << '\n';
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
