//===- Diag.h - the one sink for every stage's messages --------*- C++ -*-===//
//
// A message is what is wrong in the user's words; a note points at the other
// half; a hint says what to write. Stages report here and carry on; only the
// tools print (DiagSink::print) and decide on an exit status.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_SYNTAX_DIAG_H
#define LISPIER_SYNTAX_DIAG_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/SMLoc.h"
#include "llvm/Support/SourceMgr.h"
#include <deque>
#include <string>

namespace llvm {
class raw_ostream;
}

namespace lispier {
struct Expansion;

enum class Severity { Error, Warning };

struct DiagNote {
  llvm::SMRange range; ///< May be invalid: a note without a place.
  std::string message;
};

struct Diag {
  Severity severity = Severity::Error;
  std::string code; ///< One of the codes of the language reference, "read-unmatched" and its like.
  llvm::SMRange range;
  std::string message;
  llvm::SmallVector<DiagNote, 1> notes;
  std::string hint;

  /// Chained while reporting: sink.error(...).note(...).hint(...).
  Diag &note(llvm::SMRange noteRange, const llvm::Twine &text);
  Diag &withHint(const llvm::Twine &text);
  /// One note for each macro call that led to the place, innermost first; long chains are cut in the middle.
  Diag &backtrace(const Expansion *expansion);
};

/// Collects messages. References returned by error() and warning() stay valid.
class DiagSink {
public:
  /// Errors beyond this many are counted, not kept.
  static constexpr unsigned kMaxErrors = 20;

  explicit DiagSink(llvm::SourceMgr &sources) : sources(sources) {}

  Diag &error(llvm::StringRef code, llvm::SMRange range, const llvm::Twine &message);
  Diag &warning(llvm::StringRef code, llvm::SMRange range, const llvm::Twine &message);

  bool hasErrors() const { return errorCount != 0; }
  unsigned errors() const { return errorCount; }
  llvm::SourceMgr &sourceMgr() const { return sources; }
  const std::deque<Diag> &all() const { return diags; }
  void clear();

  /// `file:line:col: error[code]: message`, the source line with a caret, notes, hint.
  void print(llvm::raw_ostream &os) const;

private:
  llvm::SourceMgr &sources;
  std::deque<Diag> diags;
  Diag dropped; ///< Receives what comes after kMaxErrors.
  unsigned errorCount = 0;
};

/// Up to three of `candidates` within a small edit distance of `name`, best first.
llvm::SmallVector<std::string, 3> nearMisses(llvm::StringRef name, llvm::ArrayRef<std::string> candidates);
/// "did you mean `a` or `b`?", or the empty string when nothing is near.
std::string didYouMean(llvm::StringRef name, llvm::ArrayRef<std::string> candidates);
} // namespace lispier
#endif
