//===- TokenShardsTest.cpp - llm.c's shards, their order, damaged ones ----===//
#include "lispier/Checkpoint/TokenShards.h"
#include "ModelFiles.h"
#include "lispier/Checkpoint/CheckpointAbi.h"
#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <set>
#include <sys/stat.h>

using namespace lispier;
using namespace lispier::test;

namespace {
/// The bytes of a shard as llm.c writes it.
template <typename Token>
std::string shard(const std::vector<Token> &tokens, int32_t magic = 20240520, int32_t version = 1) {
  std::vector<int32_t> header(256);
  header[0] = magic;
  header[1] = version;
  header[2] = static_cast<int32_t>(tokens.size());
  return bytesOf(header) + bytesOf(tokens);
}

template <typename Token> std::vector<Token> counted(Token first, size_t count) {
  std::vector<Token> tokens(count);
  std::iota(tokens.begin(), tokens.end(), first);
  return tokens;
}

/// The next step, or its error as one number.
std::vector<int32_t> next(lispier_tokens *tokens, int64_t rows, int64_t length, int64_t rank = 0, int64_t ranks = 1) {
  const int32_t *read = lispier_tokens_next(tokens, rows, length, rank, ranks);
  EXPECT_NE(read, nullptr) << lispier_tokens_error(tokens);
  return read ? std::vector<int32_t>(read, read + rows * (length + 1)) : std::vector<int32_t>{-1};
}

std::string rejection(const std::string &pattern, int64_t vocabulary = 1000) {
  lispier_tokens *tokens = lispier_tokens_open(pattern.c_str(), vocabulary);
  std::string error = lispier_tokens_error(tokens) ? lispier_tokens_error(tokens) : "";
  EXPECT_EQ(error.find('\n'), std::string::npos);
  lispier_tokens_close(tokens);
  return error;
}
} // namespace

TEST(TokenShards, FollowsLlmC) {
  Folder folder;
  folder.write("train_2.bin", shard(counted<uint16_t>(100, 9)));
  folder.write("train_1.bin", shard(counted<uint16_t>(0, 13)));
  folder.write("val_1.bin", "not a shard");
  lispier_tokens *tokens = lispier_tokens_open(folder.file("train_*.bin").c_str(), 1000);
  ASSERT_EQ(lispier_tokens_error(tokens), nullptr);
  EXPECT_EQ(lispier_tokens_count(tokens), 22);
  // Three steps of four tokens in the first shard, whose last token is a target only; two in the second.
  EXPECT_EQ(lispier_tokens_steps(tokens, 2, 2, 1), 5);
  EXPECT_EQ(next(tokens, 2, 2), (std::vector<int32_t>{0, 1, 2, 2, 3, 4}));
  EXPECT_EQ(next(tokens, 2, 2), (std::vector<int32_t>{4, 5, 6, 6, 7, 8}));
  EXPECT_EQ(lispier_tokens_place(tokens), 8);
  EXPECT_EQ(next(tokens, 2, 2), (std::vector<int32_t>{8, 9, 10, 10, 11, 12}));
  EXPECT_EQ(next(tokens, 2, 2), (std::vector<int32_t>{100, 101, 102, 102, 103, 104}));
  EXPECT_EQ(next(tokens, 2, 2).front(), 104);
  EXPECT_EQ(next(tokens, 2, 2).front(), 0); // The next epoch.
  lispier_tokens_seek(tokens, 12);
  EXPECT_EQ(next(tokens, 2, 2).front(), 100);
  // Two processes take two parts of a step that is twice as large.
  lispier_tokens_seek(tokens, 8);
  EXPECT_EQ(next(tokens, 2, 2, 1, 2), (std::vector<int32_t>{104, 105, 106, 106, 107, 108}));
  lispier_tokens_close(tokens);
}

TEST(TokenShards, ReadsTokensOf32Bits) {
  Folder folder;
  std::string path = folder.write("a.bin", shard(counted<uint32_t>(127990, 9), 20240801, 7));
  lispier_tokens *tokens = lispier_tokens_open(path.c_str(), 128256);
  EXPECT_EQ(next(tokens, 1, 3), (std::vector<int32_t>{127990, 127991, 127992, 127993}));
  lispier_tokens_close(tokens);
}

// Every row of every shard once in an epoch, another order in the next, the same for the same seed.
TEST(TokenShards, ShufflesRows) {
  Folder folder;
  for (int i = 0; i < 3; ++i)
    folder.write("s" + std::to_string(i) + ".bin", shard(counted<uint16_t>(static_cast<uint16_t>(100 * i), 61)));
  std::vector<int32_t> epochs[3];
  lispier_tokens *tokens = nullptr;
  for (int64_t i : {0, 1, 2}) {
    if (i != 1) { // The third is the first again.
      lispier_tokens_close(tokens);
      tokens = lispier_tokens_open(folder.file("s?.bin").c_str(), 1000);
      lispier_tokens_shuffle(tokens, 42);
    }
    EXPECT_EQ(lispier_tokens_steps(tokens, 2, 3, 1), 30);
    for (int step = 0; step < 30; ++step) {
      std::vector<int32_t> batch = next(tokens, 2, 3);
      for (int row : {0, 4}) {
        EXPECT_EQ(batch[row] + 3, batch[row + 3]);
        EXPECT_EQ(batch[row] % 100 % 3, 0);
        epochs[i].push_back(batch[row]);
      }
    }
    EXPECT_EQ(std::set<int32_t>(epochs[i].begin(), epochs[i].end()).size(), 60u);
    EXPECT_FALSE(std::is_sorted(epochs[i].begin(), epochs[i].end()));
  }
  EXPECT_NE(epochs[0], epochs[1]);
  EXPECT_EQ(epochs[0], epochs[2]);
  lispier_tokens_close(tokens);
}

TEST(TokenShards, SaysWhatIsWrong) {
  Folder folder;
  EXPECT_HAS(rejection(folder.file("none.bin")), "none.bin: no such file");
  EXPECT_HAS(rejection(folder.file("*.bin")), "*.bin: no such file; no name matches");
  EXPECT_HAS(rejection(folder.write("a.bin", "text")), "a.bin: is 4 bytes long; a shard of tokens begins with 1024");
  EXPECT_HAS(rejection(folder.write("a.bin", std::string(2000, 'x'))),
             "begins with 2021161080; a shard of tokens begins with 20240520 or 20240801 (is it a text?)");
  std::vector<uint16_t> tokens = {1, 2, 3, 500, 4};
  EXPECT_HAS(rejection(folder.write("a.bin", shard(tokens, 20240520, 2))), "is version 2 of a shard; expected 1");
  std::string good = shard(tokens);
  EXPECT_HAS(rejection(folder.write("a.bin", good.substr(0, good.size() - 1))),
             "is 1033 bytes long, but its header says 5 tokens of 2 bytes, which makes 1034 (is it truncated?)");
  EXPECT_HAS(rejection(folder.write("a.bin", shard(tokens, 20240801, 7))), "5 tokens of 4 bytes, which makes 1044");

  auto failed = [&](int64_t vocabulary, int64_t rows, int64_t length) {
    lispier_tokens *opened = lispier_tokens_open(folder.write("a.bin", good).c_str(), vocabulary);
    EXPECT_EQ(lispier_tokens_next(opened, rows, length, 0, 1), nullptr);
    std::string error = lispier_tokens_error(opened) ? lispier_tokens_error(opened) : "";
    lispier_tokens_close(opened);
    return error;
  };
  EXPECT_HAS(failed(500, 2, 2), "a.bin: token 3, at byte 1030, is 500, but the vocabulary has 500");
  EXPECT_HAS(failed(1000, 5, 1), "no shard has the 6 tokens of a step of 5 rows of 1; there are 5");
  EXPECT_HAS(failed(1000, 0, 1), "a step of 0 rows of 1 tokens for process 0 of 1 is not possible");
  EXPECT_HAS(failed(1000, INT64_MAX, 2), "is not possible");
}

TEST(TokenShards, EncodesATextOnce) {
  Folder folder;
  lispier_tokenizer *tokenizer = lispier_tokenizer_open(LISPIER_MINI, kGpt2Pattern, kEndOfText);
  ASSERT_EQ(lispier_tokenizer_error(tokenizer), nullptr);
  int64_t vocabulary = lispier_tokenizer_size(tokenizer);
  std::string text = folder.write("story[1].txt", "Once upon a time, there was a small dog. The dog was happy.");
  auto first = [&](const std::string &cache) {
    lispier_tokens *tokens = lispier_tokens_open_text(text.c_str(), tokenizer, cache.c_str(), vocabulary);
    std::vector<int32_t> batch = next(tokens, 1, 8);
    lispier_tokens_close(tokens);
    return batch;
  };
  std::vector<int32_t> batch = first("");
  EXPECT_TRUE(std::filesystem::exists(text + ".bin"));
  int64_t count = lispier_tokenizer_encode(tokenizer, "Once upon a time, there was a small dog.", 40);
  ASSERT_GE(count, 9);
  EXPECT_TRUE(std::equal(batch.begin(), batch.end(), lispier_tokenizer_ids(tokenizer)));
  // The shard is kept, and made again when the text is another one.
  auto made = std::filesystem::last_write_time(text + ".bin");
  EXPECT_EQ(first(""), batch);
  EXPECT_EQ(std::filesystem::last_write_time(text + ".bin"), made);
  folder.write("story[1].txt", "The dog was happy, and so was the cat, who had a big red ball.");
  EXPECT_NE(first(""), batch);
  lispier_tokens *none = lispier_tokens_open_text(folder.file("none").c_str(), tokenizer, "", vocabulary);
  EXPECT_HAS(lispier_tokens_error(none), "none: cannot be opened: ");
  lispier_tokens_close(none);
  lispier_tokenizer_close(tokenizer);
}
