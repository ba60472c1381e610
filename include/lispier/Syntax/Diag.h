//===- Diag.h - diagnostics of all stages ----------------------*- C++ -*-===//
//
// A message says what is wrong in the user's terms; a note points at a related
// location; a hint says what to write instead. Stages report to a DiagSink and
// continue; only the tools print (DiagSink::print) and choose an exit status.
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
  llvm::SMRange range; ///< Invalid for a note without a location.
  std::string message;
};

struct Diag {
  Severity severity = Severity::Error;
  std::string code; ///< An error code of the language reference, such as "read-unmatched".
  llvm::SMRange range;
  std::string message;
  llvm::SmallVector<DiagNote, 1> notes;
  std::string hint;

  /// Adds a note. Chained while reporting: sink.error(...).note(...).withHint(...).
  Diag &note(llvm::SMRange noteRange, const llvm::Twine &text);
  Diag &withHint(const llvm::Twine &text);
  /// Adds a note for each macro call that led to the location, innermost first; omits the middle of a long chain.
  Diag &backtrace(const Expansion *expansion);
};

/// Collects diagnostics. References returned by error() and warning() stay valid until clear(), or as long as the sink.
class DiagSink {
public:
  /// Further errors are counted but not stored.
  static constexpr unsigned kMaxErrors = 20;

  explicit DiagSink(llvm::SourceMgr &sources) : sources(sources) {}

  Diag &error(llvm::StringRef code, llvm::SMRange range, const llvm::Twine &message);
  Diag &warning(llvm::StringRef code, llvm::SMRange range, const llvm::Twine &message);

  /// An error that was reported before, for another use of the same text: counted by errors(), but not stored.
  Diag &repeatedError();
  /// The same for a warning, which is not counted.
  Diag &repeatedWarning();

  bool hasErrors() const { return errorCount != 0; }
  unsigned errors() const { return errorCount + repeatedCount; }
  llvm::SourceMgr &sourceMgr() const { return sources; }
  const std::deque<Diag> &all() const { return diags; }
  void clear();

  /// Prints `file:line:col: error[code]: message`, the source line with a caret, notes and hint for each diagnostic.
  void print(llvm::raw_ostream &os) const;

private:
  llvm::SourceMgr &sources;
  std::deque<Diag> diags;
  Diag dropped; ///< Returned for errors that are not stored.
  unsigned errorCount = 0, repeatedCount = 0;
};

/// Returns up to three of `candidates` within a small edit distance of `name`, best first.
llvm::SmallVector<std::string, 3> nearMisses(llvm::StringRef name, llvm::ArrayRef<std::string> candidates);
/// Returns "did you mean `a` or `b`?", or an empty string if no candidate is close.
std::string didYouMean(llvm::StringRef name, llvm::ArrayRef<std::string> candidates);
} // namespace lispier
#endif
