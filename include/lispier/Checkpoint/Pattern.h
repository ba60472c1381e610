//===- Pattern.h - a regular expression over UTF-8 -------------*- C++ -*-===//
#ifndef LISPIER_CHECKPOINT_PATTERN_H
#define LISPIER_CHECKPOINT_PATTERN_H

#include "lispier/Checkpoint/Result.h"
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace lispier {
/// A regular expression with the meaning that Hugging Face's tokenizers (Oniguruma) give it: \s and \S refer to
/// Unicode's White_Space. Syntax whose meaning differs in PCRE2, which runs it, is an error.
class Pattern {
public:
  static Result<Pattern> compile(std::string_view pattern);
  /// Matches exactly `text`.
  static Result<Pattern> literal(std::string_view text);
  /// Matches each character as users see it, with its marks: Unicode's extended grapheme clusters.
  static Result<Pattern> clusters();

  /// Whether it matches a text without characters.
  bool matchesNothing() const;

  /// Holds the memory that searches of one thread need. `pattern` must outlive it.
  class Search {
  public:
    explicit Search(const Pattern &pattern);
    /// Finds the first match in `text`, valid UTF-8, from byte `at` on, that is not empty. Returns false if there is
    /// none, memory is exhausted or the search would take too long.
    bool find(std::string_view text, size_t at, size_t &begin, size_t &end);

  private:
    friend class Pattern;
    struct Release {
      void operator()(void *match) const;
    };
    const Pattern &pattern;
    std::unique_ptr<void, Release> match;
  };

private:
  /// Compiles what is spelled for PCRE2; messages show `pattern`.
  static Result<Pattern> compileSpelled(const std::string &spelled, std::string_view pattern);

  struct Release {
    void operator()(void *code) const;
  };
  std::unique_ptr<void, Release> code;
};
} // namespace lispier
#endif
