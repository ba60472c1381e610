//===- Tokenizer.h - byte-level BPE ----------------------------*- C++ -*-===//
//
// Text is cut into pieces by a regular expression; the bytes of a piece are
// merged pair by pair, best rank first, until no pair has a rank. The
// expression and the special tokens are the model's, so they are data.
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
  /// `path`: vocab.json or merges.txt (each with the other beside it), a *tokenizer.bin of llm.c, or a directory with
  /// one of these. `pattern`: PreTokenizer's. `specials`: tokens that no merge makes, such as `<|endoftext|>`; every
  /// other token of vocab.json is a byte or the result of a merge, else the files do not belong together.
  static Result<Tokenizer> open(const std::string &path, std::string_view pattern,
                                const std::vector<std::string> &specials);

  /// Special tokens in the text are text.
  std::vector<int32_t> encode(std::string_view text) const;
  /// The bytes of a token; none for an id that is not one.
  std::string_view bytes(int32_t id) const;
  /// The token with these bytes; -1 without one.
  int32_t find(std::string_view bytes) const;
  int64_t size() const { return static_cast<int64_t>(tokens.size()); }
  /// The file it was read from, for messages.
  const std::string &path() const { return source; }

private:
  explicit Tokenizer(PreTokenizer preTokenizer) : preTokenizer(std::move(preTokenizer)) {}
  using Specials = std::vector<std::string>;
  Result<Done> readHuggingFace(const std::string &vocabPath, const std::string &mergesPath, const Specials &specials);
  Result<Done> readLlmC(const std::string &path, const Specials &specials);
  /// Finds the token of every byte, which encode relies on.
  Result<Done> findBytes();

  /// What two neighbours become, and how early.
  struct Merge {
    int32_t rank, id;
  };
  static constexpr int32_t kNoRank = INT32_MAX;
  Merge findMerge(int32_t left, int32_t right) const;
  void mergePiece(std::string_view piece, std::vector<int32_t> &out) const;

  std::string source;
  std::vector<std::string> tokens;
  std::array<int32_t, 256> byteTokens{};
  /// From merges.txt: (left << 32 | right).
  std::unordered_map<uint64_t, Merge> merges;
  /// llm.c's file has no merges: the token that two neighbours spell, earlier when its id is smaller.
  std::unordered_map<std::string, int32_t> spelled;
  PreTokenizer preTokenizer;
};
} // namespace lispier
#endif
