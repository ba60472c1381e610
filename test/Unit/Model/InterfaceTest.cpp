//===- InterfaceTest.cpp - the C interface over the bundled model ----------===//
#include "Files.h"
#include "lispier/Model/Model.h"
#include <gtest/gtest.h>

using namespace lispier::test;

TEST(Interface, BundledModel) {
  for (const char *path : {static_cast<const char *>(nullptr), ""}) {
    lispier_model *model = lispier_model_open(path, LISPIER_MINI);
    ASSERT_EQ(lispier_model_error(model), nullptr);
    EXPECT_HAS(lispier_model_path(model), "mini/model.safetensors");
    EXPECT_EQ(lispier_model_layers(model), 8);
    EXPECT_EQ(lispier_model_heads(model), 4);
    EXPECT_EQ(lispier_model_channels(model), 256);
    EXPECT_EQ(lispier_model_positions(model), 512);
    EXPECT_EQ(lispier_model_vocabulary(model), 8192);
    EXPECT_EQ(lispier_model_padded_vocabulary(model), 8192);
    EXPECT_EQ(lispier_model_end_of_text(model), 8191);
    EXPECT_EQ(lispier_model_epsilon(model), 1e-5f);
    EXPECT_NE(lispier_model_tensor(model, LISPIER_QKV_WEIGHT, 7), nullptr);
    EXPECT_EQ(lispier_model_tensor(model, LISPIER_QKV_WEIGHT, 8), nullptr);
    EXPECT_EQ(lispier_model_tensor(model, 17, 0), nullptr);
    // Every tensor lies inside the block, the last at its end.
    EXPECT_EQ(lispier_model_tensor(model, LISPIER_QKV_WEIGHT, 7),
              lispier_model_block(model) + lispier_model_offset(model, LISPIER_QKV_WEIGHT, 7));
    EXPECT_EQ(lispier_model_offset(model, LISPIER_FINAL_NORM_BIAS, 0) + 256, lispier_model_block_elements(model));
    EXPECT_EQ(lispier_model_offset(model, LISPIER_QKV_WEIGHT, -1), -1);
    lispier_model_close(model);
  }
}

TEST(Interface, ErrorsStayWithTheHandle) {
  lispier_model *model = lispier_model_open("/none", LISPIER_MINI);
  EXPECT_HAS(lispier_model_error(model), "/none: no such file");
  EXPECT_EQ(lispier_model_layers(model), 0);
  EXPECT_EQ(lispier_model_tensor(model, LISPIER_TOKEN_EMBEDDING, 0), nullptr);
  lispier_model_close(model);
  model = lispier_model_open(nullptr, nullptr);
  EXPECT_HAS(lispier_model_error(model), "no model is named");
  lispier_model_close(model);
  lispier_tokenizer *tokenizer = lispier_tokenizer_open("/none", nullptr);
  EXPECT_HAS(lispier_tokenizer_error(tokenizer), "/none: no such file");
  EXPECT_EQ(lispier_tokenizer_encode(tokenizer, "a", 1), 0);
  EXPECT_EQ(lispier_tokenizer_push(tokenizer, 1), 0);
  lispier_tokenizer_close(tokenizer);
}

TEST(Interface, TokenizerBesideTheModel) {
  lispier_model *model = lispier_model_open(LISPIER_MINI, nullptr);
  lispier_tokenizer *tokenizer = lispier_tokenizer_open(nullptr, model);
  ASSERT_EQ(lispier_tokenizer_error(tokenizer), nullptr);
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
  lispier_model_close(model);
}

// 8193 tokens for 8192 rows, and a tokenizer of another model.
TEST(Interface, TokenizerMustFit) {
  Folder folder;
  std::vector<uint32_t> header(256);
  header[0] = 20240328, header[1] = 2, header[2] = 8193;
  std::string file = bytesOf(header), small;
  for (int i = 0; i < 8193; ++i)
    file += i < 256 ? std::string("\1") + static_cast<char>(i) : std::string("\2ab");
  lispier_model *model = lispier_model_open(LISPIER_MINI, nullptr);
  lispier_tokenizer *tokenizer = lispier_tokenizer_open(folder.write("big.bin", file).c_str(), model);
  EXPECT_HAS(lispier_tokenizer_error(tokenizer), "has 8193 tokens, but the model");
  EXPECT_HAS(lispier_tokenizer_error(tokenizer), "vocabulary of 8192");
  lispier_tokenizer_close(tokenizer);
  header[2] = 256;
  file = bytesOf(header) + file.substr(1024, 512);
  tokenizer = lispier_tokenizer_open(folder.write("small.bin", file).c_str(), model);
  EXPECT_HAS(lispier_tokenizer_error(tokenizer), "has 256 tokens, but the model");
  lispier_tokenizer_close(tokenizer);
  lispier_model_close(model);
}
