//===- TokenModel.h - how pieces of text become tokens ---------*- C++ -*-===//
#ifndef LISPIER_CHECKPOINT_TOKENMODEL_H
#define LISPIER_CHECKPOINT_TOKENMODEL_H

#include "lispier/Checkpoint/Trie.h"
#include <array>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>

namespace lispier {
/// The byte that a token spelled <0x00> to <0xFF> stands for.
std::optional<char> byteOfToken(std::string_view spelling);

/// The tokens of bytes, -1: none.
using ByteTokens = std::array<int32_t, 256>;

/// Byte-pair encoding: within a piece adjacent tokens are merged, the pair of lowest rank first, until no pair has one.
class Bpe {
public:
  Bpe() { byteTokens.fill(-1); }
  void encode(std::string_view piece, std::vector<int32_t> &out) const;
  /// The token that two adjacent tokens merge to, and its rank. Of a pair given twice, the last counts.
  void addMerge(int32_t left, int32_t right, int32_t rank, int32_t merged) {
    merges[pairOf(left, right)] = {rank, merged};
  }
  void reserveMerges(size_t count) { merges.reserve(count); }
  /// A token that a character (without `byteLevel`) or a whole piece (with `wholePieces`) can be.
  void addUnit(std::string bytes, int32_t id) { units.emplace(std::move(bytes), id); }

  ByteTokens byteTokens; ///< All of the text's bytes with `byteLevel`, otherwise those of fallback tokens.
  bool byteLevel = true; ///< The first symbols are bytes; else characters.
  bool byteFallback = false, fusesUnknown = false, wholePieces = false;
  int32_t unknown = -1; ///< -1: units without a token are dropped.

private:
  struct Merge {
    int32_t rank, id;
  };
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  static uint64_t pairOf(int32_t left, int32_t right) { return uint64_t(uint32_t(left)) << 32 | uint32_t(right); }
  void addSymbols(std::string_view piece, std::vector<int32_t> &symbols) const;
  void merge(const std::vector<int32_t> &symbols, std::vector<int32_t> &out) const;

  std::unordered_map<uint64_t, Merge> merges; ///< By pairOf.
  std::unordered_map<std::string, int32_t, Hash, std::equal_to<>> units;
};

/// The tokens whose scores have the largest sum; characters that no token covers are `unknown`, at a penalty.
class Unigram {
public:
  using Vocabulary = std::vector<std::pair<std::string, double>>; ///< Spellings and scores, by id.
  Unigram(const Vocabulary &vocabulary, int32_t unknown, bool byteFallback);
  void encode(std::string_view piece, std::vector<int32_t> &out) const;

private:
  void addUnknown(std::string_view text, std::vector<int32_t> &out) const;

  Trie trie;
  std::vector<double> scores;
  double unknownScore = 0;
  int32_t unknown;
  bool byteFallback;
  ByteTokens byteTokens;
};

/// From the left the longest token that fits; after the first, one that is spelled with `prefix` before it. A piece
/// that has no such tokens, or more than `mostCharacters`, is `unknown` as a whole.
class WordPiece {
public:
  WordPiece(const std::unordered_map<std::string, int32_t> &vocabulary, std::string_view prefix, int64_t mostCharacters,
            int32_t unknown);
  void encode(std::string_view piece, std::vector<int32_t> &out) const;

private:
  Trie trie;
  std::optional<uint32_t> continuing; ///< The node after the prefix, if a token has one.
  int64_t mostCharacters;
  int32_t unknown;
};

using TokenModel = std::variant<Bpe, Unigram, WordPiece>;
} // namespace lispier
#endif
