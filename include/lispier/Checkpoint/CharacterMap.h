//===- CharacterMap.h - SentencePiece's table of characters ----*- C++ -*-===//
#ifndef LISPIER_CHECKPOINT_CHARACTERMAP_H
#define LISPIER_CHECKPOINT_CHARACTERMAP_H

#include "lispier/Checkpoint/Pattern.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace lispier {
/// Texts by which others are replaced, as SentencePiece compiles them: a double-array trie over bytes, whose values are
/// places in a block of texts that end with a zero byte. Characters that users see as one (grapheme clusters) are
/// looked up together if they have at most five bytes, else one by one.
class CharacterMap {
public:
  /// `encoded`: base64 of the trie's size in bytes (32 bits, little endian), the trie and the texts. Fails if a
  /// value that can be reached is not the beginning of a text.
  static Result<CharacterMap> read(std::string_view encoded);
  /// Changes a text of valid UTF-8.
  std::string operator()(std::string_view text) const;
  /// How many times as long it can make a text.
  double growth() const { return mostGrowth; }

private:
  explicit CharacterMap(Pattern clusters) : clusters(std::move(clusters)) {}
  /// The text at a place of the block, up to its zero byte.
  std::string_view textAt(size_t place) const;
  /// What replaces the shortest text of the map that `chunk` begins with.
  std::optional<std::string_view> find(std::string_view chunk) const;
  Result<Done> check();

  std::vector<uint32_t> units;
  std::string texts;
  Pattern clusters;
  double mostGrowth = 1;
};
} // namespace lispier
#endif
