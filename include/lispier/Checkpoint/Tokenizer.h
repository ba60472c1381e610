//===- Tokenizer.h - byte-level BPE ----------------------------*- C++ -*-===//
//
// A regular expression splits text into pieces; within a piece adjacent tokens are
// merged, lowest rank first, until no pair has a rank. The expression and the
// special tokens belong to the model, so they are arguments.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_CHECKPOINT_TOKENIZER_H
#define LISPIER_CHECKPOINT_TOKENIZER_H

#include "lispier/Checkpoint/PreTokenizer.h"
#include <array>
#include <cstdint>
#include <unordered_map>

namespace lispier {
class Tokenizer {
public:
  /// `path`: vocab.json or merges.txt (both must be in its directory), a *tokenizer.bin of llm.c, or a directory with
  /// one of these. `pattern`: PreTokenizer's. `specials`: tokens that no merge produces, such as `<|endoftext|>`. Fails
  /// if vocab.json has another token that is neither a byte nor the result of a merge: the files do not match.
  static Result<Tokenizer> open(const std::string &path, std::string_view pattern,
                                const std::vector<std::string> &specials);

  /// Encodes special tokens' spellings as ordinary text.
  std::vector<int32_t> encode(std::string_view text) const;
  /// The bytes of a token; empty for an invalid id.
  std::string_view bytes(int32_t id) const;
  /// The id of the token with these bytes, or -1.
  int32_t find(std::string_view bytes) const;
  int64_t size() const { return static_cast<int64_t>(tokens.size()); }
  /// Path of the file it was read from, for messages.
  const std::string &path() const { return source; }

private:
  explicit Tokenizer(PreTokenizer preTokenizer) : preTokenizer(std::move(preTokenizer)) {}
  using Specials = std::vector<std::string>;
  Result<Done> readHuggingFace(const std::string &vocabPath, const std::string &mergesPath, const Specials &specials);
  Result<Done> readLlmC(const std::string &path, const Specials &specials);
  /// Finds the token of each byte; encode needs all 256.
  Result<Done> findBytes();

  /// The token that two adjacent tokens merge to, and its rank.
  struct Merge {
    int32_t rank, id;
  };
  static constexpr int32_t kNoRank = INT32_MAX;
  Merge findMerge(int32_t left, int32_t right) const;
  void mergePiece(std::string_view piece, std::vector<int32_t> &out) const;

  std::string source;
  std::vector<std::string> tokens;
  std::array<int32_t, 256> byteTokens{};
  /// From merges.txt; the key is left << 32 | right.
  std::unordered_map<uint64_t, Merge> merges;
  /// For llm.c's file, which has no merges: the id of the token with the joined spelling serves as the rank.
  std::unordered_map<std::string, int32_t> spelled;
  PreTokenizer preTokenizer;
};
} // namespace lispier
#endif
