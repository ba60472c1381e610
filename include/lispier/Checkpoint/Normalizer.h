//===- Normalizer.h - what a tokenizer makes of text first -----*- C++ -*-===//
#ifndef LISPIER_CHECKPOINT_NORMALIZER_H
#define LISPIER_CHECKPOINT_NORMALIZER_H

#include "lispier/Checkpoint/Normalize.h"
#include "lispier/Checkpoint/Pattern.h"
#include <variant>
#include <vector>

namespace lispier {
class CharacterMap;
/// Replaces each match of `pattern`, or each occurrence of `from` if there is no pattern, by `to`; nothing if
/// both are empty.
struct Replacement {
  std::string from, to;
  std::shared_ptr<const Pattern> pattern;

  std::string operator()(std::string_view text) const;
};

/// A sequence of changes to a text of valid UTF-8.
class Normalizer {
public:
  struct Lowercase {};
  /// Removes white space at the ends.
  struct Strip {
    bool left, right;
  };
  /// Puts a text before one that is not empty.
  struct Prepend {
    std::string text;
  };
  /// Puts spaces around each match, one character.
  struct Spaced {
    std::shared_ptr<const Pattern> pattern;
  };
  using Step =
      std::variant<UnicodeForm, Lowercase, Strip, Prepend, Spaced, Replacement, std::shared_ptr<const CharacterMap>>;

  void add(Step step) { steps.push_back(std::move(step)); }
  std::string operator()(std::string_view text) const;

private:
  std::vector<Step> steps;
};
} // namespace lispier
#endif
