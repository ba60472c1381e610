//===- PreTokenizer.h - split text by a regular expression -----*- C++ -*-===//
#ifndef LISPIER_CHECKPOINT_PRETOKENIZER_H
#define LISPIER_CHECKPOINT_PRETOKENIZER_H

#include "lispier/Checkpoint/Result.h"
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lispier {
/// Splits text into the pieces within which a tokenizer merges: the matches of a regular expression and the text
/// between matches. Accepts any bytes; those that are not UTF-8 count as neither letter, number nor space.
class PreTokenizer {
public:
  /// `pattern` has the syntax of Hugging Face's tokenizers, where \s and \S refer to Unicode's White_Space.
  static Result<PreTokenizer> compile(std::string_view pattern);
  /// Returns the lengths of the pieces in bytes, in order; their sum is the length of the text.
  std::vector<size_t> split(std::string_view text) const;

private:
  struct Release {
    void operator()(void *code) const;
  };
  std::unique_ptr<void, Release> code;
};
} // namespace lispier
#endif
