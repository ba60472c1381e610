//===- PreTokenizer.h - split text into pieces -----------------*- C++ -*-===//
#ifndef LISPIER_CHECKPOINT_PRETOKENIZER_H
#define LISPIER_CHECKPOINT_PRETOKENIZER_H

#include "lispier/Checkpoint/Pattern.h"
#include <cstdint>
#include <variant>
#include <vector>

namespace lispier {
/// Splits text into the pieces within which a tokenizer merges, by a sequence of steps: each cuts the pieces of the one
/// before at the matches of a pattern, or changes them. Accepts any bytes; those that are not UTF-8 count as neither
/// letter, number nor space.
class PreTokenizer {
public:
  /// What becomes of a match: a piece of its own; nothing; a piece together with adjacent matches; joined to
  /// the text before or after it, but not to another match.
  enum class Behavior { Isolated, Removed, Contiguous, MergedWithPrevious, MergedWithNext };

  /// What is put before a piece that does not begin with it.
  enum class Prefix { Never, AtStart, Always }; ///< AtStart: before the first piece of the whole text.

  /// One split by `pattern`, whose matches and the text between them are the pieces. Fails if the pattern is invalid
  /// or not supported (Pattern.h).
  static Result<PreTokenizer> compile(std::string_view pattern);

  /// Appends a split. With `inverted`, the text between matches takes the place of the matches.
  void add(Pattern pattern, Behavior behavior, bool inverted);
  /// Appends a step that replaces spaces by `mark` and puts it before pieces.
  void addMarks(std::string mark, Prefix prefix);
  /// Appends a step that puts a space before pieces.
  void addSpace();
  /// Appends a step that spells bytes as characters (ByteAlphabet.h); those after it see the spelling, and the pieces
  /// are the bytes of what is left. A second one is not allowed.
  void addSpelling() { spelling = steps.size(); }
  /// Returns the pieces in order. None is empty, and unless a step changes or removes text, they are all of it.
  /// `atStart`: whether the text begins the whole one. Where a search fails or takes too long, the rest counts as text
  /// without a match.
  std::vector<std::string> split(std::string_view text, bool atStart = true) const;

private:
  struct Split {
    Pattern pattern;
    Behavior behavior;
    bool inverted;
  };
  struct Marks {
    std::string from, mark; ///< Each `from` becomes `mark`.
    Prefix prefix;
  };
  using Pieces = std::vector<std::string>;
  static void cut(const Split &split, bool isUtf8, Pieces &pieces);
  static void change(const Marks &marks, bool atStart, Pieces &pieces);

  std::vector<std::variant<Split, Marks>> steps;
  size_t spelling = SIZE_MAX; ///< Before which step bytes are spelled.
};
} // namespace lispier
#endif
