//===- TokenShards.h - tokens of a data set, in llm.c's files --*- C++ -*-===//
//
// A shard: 256 words of 32 bits (magic, version, number of tokens), then the tokens.
// Magic 20240520, version 1: tokens of 16 bits; 20240801, version 7: of 32.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_CHECKPOINT_TOKENSHARDS_H
#define LISPIER_CHECKPOINT_TOKENSHARDS_H

#include "lispier/Checkpoint/MappedFile.h"
#include <optional>
#include <string>
#include <vector>

namespace lispier {
/// One file of tokens.
class TokenShard {
public:
  /// Checks the header and that the file has the length that it says.
  static Result<TokenShard> open(const std::string &path);
  /// Writes a shard whose tokens are below `vocabulary`, as 16 bits each if that is enough. `note` is what `note()`
  /// then returns.
  static Result<Done> write(const std::string &path, const std::vector<int32_t> &tokens, int64_t vocabulary,
                            uint64_t note);

  int64_t size() const { return count; }
  /// A number that the writer chose, in words that llm.c leaves 0.
  uint64_t note() const;
  /// Copies tokens; fails if one is not below `vocabulary`.
  Result<Done> read(int64_t first, int64_t number, int64_t vocabulary, int32_t *out) const;

private:
  explicit TokenShard(MappedFile file) : file(std::move(file)) {}
  MappedFile file;
  int64_t count = 0, width = 0; ///< Bytes of a token.
};

/// What one step takes: `rows` rows of `tokens` tokens in each of `ranks` processes, of which this is number `rank`.
struct TokenBatch {
  int64_t rows, tokens, rank = 0, ranks = 1;
  int64_t size() const { return rows * tokens * ranks; }
};

/// The shards of a data set, and a place in them: what the steps so far have taken, over all epochs. A step's rows
/// follow each other in one shard, as in llm.c: a row has `tokens` + 1 tokens, whose last one begins the next row, and
/// what is less than a step at the end of a shard is left out.
class TokenShards {
public:
  /// `pattern`: a file, or several by the shell's wildcards, in the order of their names.
  static Result<TokenShards> open(const std::string &pattern, int64_t vocabulary);
  /// Takes the shards, and the rows within each, in an order that follows from the seed and the epoch.
  void shuffle(int64_t newSeed) { seed = newSeed; }

  int64_t tokens() const { return total; }
  /// The steps of an epoch; 0 if no shard is large enough.
  int64_t steps(const TokenBatch &batch) const;
  int64_t place() const { return at; }
  Result<Done> seek(int64_t place);
  /// Writes `rows` rows of `tokens` + 1 tokens to `out`, and goes on to the next step.
  Result<Done> next(const TokenBatch &batch, int32_t *out);

private:
  explicit TokenShards(std::string pattern) : pattern(std::move(pattern)) {}
  /// The shards of an epoch in their order, by number.
  std::vector<size_t> order(int64_t epoch) const;
  static int64_t steps(const TokenShard &shard, const TokenBatch &batch);

  std::string pattern;
  std::vector<TokenShard> shards;
  int64_t vocabulary = 0, total = 0, at = 0;
  std::optional<int64_t> seed;
};

class Tokenizer;
/// The shard of a text file's tokens, `text`.bin beside it, or if that cannot be written in `cache`, unless it is
/// empty; made if there is none, or if it is of another text or tokenizer. Returns its path.
Result<std::string> shardOfText(const std::string &text, const Tokenizer &tokenizer, const std::string &cache);
} // namespace lispier
#endif
