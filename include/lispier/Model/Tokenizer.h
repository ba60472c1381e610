//===- Tokenizer.h - GPT-2's byte-level BPE --------------------*- C++ -*-===//
//
// Text is cut into pieces by GPT-2's regular expression; the bytes of a piece
// are merged pair by pair, best rank first, until no pair has a rank.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_MODEL_TOKENIZER_H
#define LISPIER_MODEL_TOKENIZER_H

#include "lispier/Model/Result.h"
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace lispier {
/// Cuts text into GPT-2's pieces. Any bytes; those that are not UTF-8 count as neither letter, number nor space.
class Splitter {
public:
  static Result<Splitter> compile();
  /// Lengths of the pieces, in order; they add up to the text's.
  std::vector<size_t> split(std::string_view text) const;

private:
  struct Release {
    void operator()(void *code) const;
  };
  std::unique_ptr<void, Release> code;
};

class Tokenizer {
public:
  /// `path`: vocab.json or merges.txt (each with the other beside it), gpt2_tokenizer.bin, or a directory.
  static Result<Tokenizer> open(const std::string &path);

  std::vector<int32_t> encode(std::string_view text) const;
  /// The bytes of a token; none for an id that is not one.
  std::string_view bytes(int32_t id) const;
  int64_t size() const { return static_cast<int64_t>(tokens.size()); }
  int32_t endOfText() const { return endOfTextId; }
  /// The file it was read from, for messages.
  const std::string &path() const { return source; }

private:
  static Result<Tokenizer> openHuggingFace(const std::string &vocabPath, const std::string &mergesPath);
  static Result<Tokenizer> openLlmC(const std::string &path);
  /// Finds the token of every byte, which encode relies on.
  Result<Done> finish(Splitter splitter);

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
  int32_t endOfTextId = 0;
  Splitter splitter;
};
} // namespace lispier
#endif
