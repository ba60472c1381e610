//===- InterfaceTest.cpp - the C ABI over the bundled model ---------------===//
#include "ModelFiles.h"
#include "lispier/Checkpoint/CheckpointAbi.h"
#include <gtest/gtest.h>

using namespace lispier::test;

TEST(Interface, BundledModel) {
  lispier_checkpoint *files = lispier_checkpoint_open(LISPIER_MINI, nullptr);
  ASSERT_EQ(lispier_checkpoint_error(files), nullptr);
  EXPECT_HAS(lispier_checkpoint_path(files), "mini/model.safetensors");
  EXPECT_STREQ(lispier_checkpoint_directory(files), LISPIER_MINI);
  EXPECT_HAS(lispier_checkpoint_config(files), "mini/config.json");
  EXPECT_STREQ(lispier_checkpoint_format(files), "safetensors");
  EXPECT_EQ(lispier_checkpoint_tensors(files), 8 * 12 + 4);
  EXPECT_EQ(lispier_checkpoint_count(files, "transformer.h."), 8);
  int64_t table = lispier_checkpoint_find(files, "transformer.wte.weight");
  ASSERT_GE(table, 0);
  EXPECT_STREQ(lispier_checkpoint_name(files, table), "transformer.wte.weight");
  EXPECT_STREQ(lispier_checkpoint_type(files, table), "BF16");
  EXPECT_EQ(lispier_checkpoint_rank(files, table), 2);
  EXPECT_EQ(lispier_checkpoint_size(files, table, 0), 8192);
  EXPECT_EQ(lispier_checkpoint_size(files, table, 1), 256);
  EXPECT_EQ(lispier_checkpoint_size(files, table, 2), -1);
  EXPECT_EQ(lispier_checkpoint_bytes(files, table), 2 * 8192 * 256);
  EXPECT_EQ(lispier_checkpoint_same(files, table, table), 1);
  EXPECT_EQ(lispier_checkpoint_same(files, table, table - 1), 0);
  EXPECT_EQ(lispier_checkpoint_find(files, "none"), -1);
  EXPECT_EQ(lispier_checkpoint_name(files, -1), nullptr);
  EXPECT_EQ(lispier_checkpoint_data(files, lispier_checkpoint_tensors(files)), nullptr);
  EXPECT_EQ(lispier_checkpoint_integer(files, "n_head", 0), 4);
  EXPECT_EQ(lispier_checkpoint_number(files, "layer_norm_epsilon", 0), 1e-5);
  EXPECT_EQ(lispier_checkpoint_flag(files, "tie_word_embeddings", 0), 1);
  EXPECT_STREQ(lispier_checkpoint_text(files, "activation_function", ""), "gelu_new");

  lispier_block *block = lispier_block_new(files, "BF16");
  EXPECT_EQ(lispier_block_add(block, "transformer.ln_f.bias", 0, 256, 0), 0);
  EXPECT_EQ(lispier_block_add(block, "transformer.wte.weight", 8192, 256, 0), 256);
  EXPECT_EQ(lispier_block_elements(block), 256 + 8192 * 256);
  std::string stored(static_cast<const char *>(lispier_checkpoint_data(files, table)), 2 * 8192 * 256);
  auto *numbers = static_cast<const uint16_t *>(lispier_block_read(block));
  ASSERT_EQ(lispier_checkpoint_error(files), nullptr);
  lispier_checkpoint_close(files);
  EXPECT_EQ(std::memcmp(numbers + 256, stored.data(), stored.size()), 0);
  lispier_block_close(block);
}

// The first reason stays, whatever is asked afterwards.
TEST(Interface, ErrorsStayWithTheHandle) {
  lispier_checkpoint *files = lispier_checkpoint_open("/none", nullptr);
  EXPECT_HAS(lispier_checkpoint_error(files), "/none: no such file");
  EXPECT_EQ(lispier_checkpoint_tensors(files), 0);
  EXPECT_EQ(lispier_checkpoint_find(files, "a"), -1);
  EXPECT_EQ(lispier_checkpoint_integer(files, "n", 5), 5);
  EXPECT_EQ(lispier_checkpoint_config(files), nullptr);
  lispier_block *block = lispier_block_new(files, "BF16");
  EXPECT_EQ(lispier_block_add(block, "a", 1, 1, 0), -1);
  EXPECT_EQ(lispier_block_read(block), nullptr);
  lispier_block_close(block);
  lispier_checkpoint_close(files);

  files = lispier_checkpoint_open(nullptr, nullptr);
  EXPECT_HAS(lispier_checkpoint_error(files), "the model's path is empty");
  lispier_checkpoint_close(files);

  files = lispier_checkpoint_open(LISPIER_MINI, nullptr);
  EXPECT_EQ(lispier_checkpoint_integer(files, "activation_function", 3), 3);
  block = lispier_block_new(files, "BF16");
  EXPECT_EQ(lispier_block_add(block, "none", 0, 1, 0), -1);
  EXPECT_EQ(lispier_block_add(block, "transformer.ln_f.bias", 0, 256, 0), 0);
  EXPECT_EQ(lispier_block_read(block), nullptr);
  EXPECT_HAS(lispier_checkpoint_error(files), "'activation_function' is not an integer");
  lispier_block_close(block);
  lispier_checkpoint_close(files);

  files = lispier_checkpoint_open(LISPIER_MINI, nullptr);
  block = lispier_block_new(files, "I8");
  EXPECT_HAS(lispier_checkpoint_error(files), "a block of weights holds BF16 or F32, not I8");
  EXPECT_EQ(lispier_block_elements(block), 0);
  lispier_block_close(block);
  lispier_checkpoint_close(files);

  lispier_tokenizer *tokenizer = lispier_tokenizer_open("/none", kGpt2Pattern, nullptr);
  EXPECT_HAS(lispier_tokenizer_error(tokenizer), "/none: no such file");
  EXPECT_EQ(lispier_tokenizer_encode(tokenizer, "a", 1), 0);
  EXPECT_EQ(lispier_tokenizer_push(tokenizer, 1), 0);
  lispier_tokenizer_close(tokenizer);
}

TEST(Interface, Tokenizer) {
  lispier_tokenizer *tokenizer = lispier_tokenizer_open(LISPIER_MINI, kGpt2Pattern, kEndOfText);
  ASSERT_EQ(lispier_tokenizer_error(tokenizer), nullptr);
  EXPECT_HAS(lispier_tokenizer_path(tokenizer), "mini/vocab.json");
  EXPECT_EQ(lispier_tokenizer_size(tokenizer), 8192);
  EXPECT_EQ(lispier_tokenizer_find(tokenizer, kEndOfText), 8191);
  ASSERT_EQ(lispier_tokenizer_encode(tokenizer, "caf\u00e9", 5), 3);
  EXPECT_EQ(lispier_tokenizer_ids(tokenizer)[0], 66);
  std::string text;
  for (int32_t id : {66, 64, 69, 127, 102, -1, 8192, 127}) { // c a f <two bytes of e-acute> nothing nothing <half>
    int64_t bytes = lispier_tokenizer_push(tokenizer, id);
    text.append(lispier_tokenizer_text(tokenizer), bytes);
  }
  EXPECT_EQ(text, "caf\u00e9");
  EXPECT_EQ(lispier_tokenizer_finish(tokenizer), 3);
  lispier_tokenizer_close(tokenizer);
}
