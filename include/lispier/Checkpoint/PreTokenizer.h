//===- PreTokenizer.h - text cut by a regular expression -------*- C++ -*-===//
#ifndef LISPIER_CHECKPOINT_PRETOKENIZER_H
#define LISPIER_CHECKPOINT_PRETOKENIZER_H

#include "lispier/Checkpoint/Result.h"
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lispier {
/// Cuts text into the pieces that a tokenizer merges separately: the matches of an expression, and what lies between
/// two. Any bytes; those that are not UTF-8 count as neither letter, number nor space.
class PreTokenizer {
public:
  /// `pattern` is spelled as in the files of Hugging Face's tokenizers; \s and \S mean Unicode's White_Space there.
  static Result<PreTokenizer> compile(std::string_view pattern);
  /// Lengths of the pieces in bytes, in order; they add up to the text's.
  std::vector<size_t> split(std::string_view text) const;

private:
  struct Release {
    void operator()(void *code) const;
  };
  std::unique_ptr<void, Release> code;
};
} // namespace lispier
#endif
