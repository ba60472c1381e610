//===- TokensAbi.cpp - the C ABI for the tokens of a data set -------------===//
#include "TokenizerHandle.h"
#include "lispier/Checkpoint/TokenShards.h"

using namespace lispier;

struct lispier_tokens : AbiHandle {
  std::optional<TokenShards> shards;
  std::vector<int32_t> batches[2]; ///< Used in turns.
  int turn = 0;
};

namespace {
constexpr int64_t kMostTokens = int64_t(1) << 40;

bool isPossible(int64_t a, int64_t b) { return a > 0 && b > 0 && a <= kMostTokens / b; }

Result<Done> openShards(lispier_tokens &handle, const std::string &pattern, int64_t vocabulary) {
  auto opened = TokenShards::open(pattern, vocabulary);
  if (!opened)
    return opened.failure();
  handle.shards.emplace(std::move(*opened));
  return Done();
}
} // namespace

extern "C" {
lispier_tokens *lispier_tokens_open(const char *pattern, int64_t vocabulary) {
  return openHandle<lispier_tokens>(
      [&](lispier_tokens &handle) { return openShards(handle, pattern ? pattern : "", vocabulary); });
}

lispier_tokens *lispier_tokens_open_text(const char *path, const lispier_tokenizer *tokenizer, const char *cache,
                                         int64_t vocabulary) {
  return openHandle<lispier_tokens>([&](lispier_tokens &handle) -> Result<Done> {
    if (!tokenizer || !tokenizer->tokenizer)
      return Failure{std::string(path ? path : "") + ": a text needs a tokenizer that could be opened"};
    auto shard = shardOfText(path ? path : "", *tokenizer->tokenizer, cache ? cache : "");
    if (!shard)
      return shard.failure();
    // The path is no pattern; its wildcards mean themselves.
    std::string pattern;
    for (char c : *shard)
      pattern += std::string(std::string_view("*?[]{}\\~,").find(c) == std::string_view::npos ? "" : "\\") + c;
    return openShards(handle, pattern, vocabulary);
  });
}

const char *lispier_tokens_error(const lispier_tokens *tokens) { return errorOf(tokens); }

void lispier_tokens_shuffle(lispier_tokens *tokens, int64_t seed) {
  if (tokens->shards)
    tokens->shards->shuffle(seed);
}

int64_t lispier_tokens_count(const lispier_tokens *tokens) { return tokens->shards ? tokens->shards->tokens() : 0; }

int64_t lispier_tokens_steps(const lispier_tokens *tokens, int64_t rows, int64_t row_tokens, int64_t ranks) {
  bool known = tokens->shards && isPossible(rows, row_tokens) && isPossible(rows * row_tokens, ranks);
  return known ? tokens->shards->steps({rows, row_tokens, 0, ranks}) : 0;
}

int64_t lispier_tokens_place(const lispier_tokens *tokens) { return tokens->shards ? tokens->shards->place() : 0; }

void lispier_tokens_seek(lispier_tokens *tokens, int64_t place) {
  if (tokens->shards)
    keepReason(tokens->error, [&] { return tokens->shards->seek(place); });
}

const int32_t *lispier_tokens_next(lispier_tokens *tokens, int64_t rows, int64_t row_tokens, int64_t rank,
                                   int64_t ranks) {
  if (!tokens->shards || !tokens->error.empty())
    return nullptr;
  std::vector<int32_t> &batch = tokens->batches[tokens->turn ^= 1];
  bool read = keepReason(tokens->error, [&]() -> Result<Done> {
    if (!isPossible(rows, row_tokens) || !isPossible(rows * row_tokens, ranks) || rank < 0 || rank >= ranks)
      return Failure{"a step of " + std::to_string(rows) + " rows of " + std::to_string(row_tokens) +
                     " tokens for process " + std::to_string(rank) + " of " + std::to_string(ranks) +
                     " is not possible"};
    batch.resize(static_cast<size_t>(rows * (row_tokens + 1)));
    return tokens->shards->next({rows, row_tokens, rank, ranks}, batch.data());
  });
  return read ? batch.data() : nullptr;
}

void lispier_tokens_close(lispier_tokens *tokens) { delete tokens; }
} // extern "C"
