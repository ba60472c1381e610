//===- PreTokenizer.h - split text into pieces -----------------*- C++ -*-===//
#ifndef LISPIER_CHECKPOINT_PRETOKENIZER_H
#define LISPIER_CHECKPOINT_PRETOKENIZER_H

#include "lispier/Checkpoint/Pattern.h"
#include <vector>

namespace lispier {
/// Splits text into the pieces within which a tokenizer merges, by a sequence of splits: each cuts the pieces of the
/// one before at the matches of a pattern. Accepts any bytes; those that are not UTF-8 count as neither letter, number
/// nor space.
class PreTokenizer {
public:
  /// What becomes of a match: a piece of its own; nothing; a piece together with adjacent matches; joined to
  /// the text before or after it, but not to another match.
  enum class Behavior { Isolated, Removed, Contiguous, MergedWithPrevious, MergedWithNext };

  /// One split by `pattern`, whose matches and the text between them are the pieces. Fails if the pattern is invalid
  /// or not supported (Pattern.h).
  static Result<PreTokenizer> compile(std::string_view pattern);

  /// Appends a split. With `inverted`, the text between matches takes the place of the matches.
  void add(Pattern pattern, Behavior behavior, bool inverted);
  /// Returns the pieces in order, views of `text`; none is empty, and unless a split removes text, they are all of it.
  /// Where a search fails or takes too long, the rest counts as text without a match.
  std::vector<std::string_view> split(std::string_view text) const;

private:
  struct Split {
    Pattern pattern;
    Behavior behavior;
    bool inverted;
  };
  std::vector<Split> splits;
};
} // namespace lispier
#endif
