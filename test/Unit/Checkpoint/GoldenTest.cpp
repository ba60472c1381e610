//===- GoldenTest.cpp - texts, ids and chats of whole tokenizers ----------===//
//
// Each folder has a tokenizer.json and, in tokenizer-golden.json, what the library
// `tokenizers` makes of many texts (Inputs/tokenizers/make.py made them). With
// LISPIER_GOLDEN_MODELS=<folder> the model folders in it are checked instead
// (tools/dev/check-tokenizers).
//
//===----------------------------------------------------------------------===//
#include "ModelFiles.h"
#include "lispier/Checkpoint/ChatTemplate.h"
#include "lispier/Checkpoint/Checkpoint.h"
#include "lispier/Checkpoint/DecoderConfig.h"
#include "lispier/Checkpoint/Tokenizer.h"
#include <nlohmann/json.hpp>

using namespace lispier;
using nlohmann::ordered_json;
using Ids = std::vector<int32_t>;

namespace {
std::vector<std::filesystem::path> goldenFolders() {
  const char *chosen = std::getenv("LISPIER_GOLDEN_MODELS");
  std::vector<std::filesystem::path> folders;
  for (auto &entry : std::filesystem::directory_iterator(chosen ? chosen : LISPIER_TOKENIZERS))
    if (std::filesystem::exists(entry.path() / "tokenizer-golden.json"))
      folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  return folders;
}

class Golden : public testing::TestWithParam<std::filesystem::path> {
protected:
  void SetUp() override {
    golden = ordered_json::parse(std::ifstream(GetParam() / "tokenizer-golden.json"));
    auto opened = Tokenizer::open(GetParam().string(), "", {});
    ASSERT_TRUE(opened) << opened.failure().message;
    tokenizer.emplace(std::move(*opened));
  }
  std::string decodeInSteps(const Ids &ids) const {
    Tokenizer::Stream stream;
    std::string text;
    for (int32_t id : ids)
      text += stream.push(*tokenizer, id);
    return text + stream.finish(*tokenizer);
  }

  ordered_json golden;
  std::optional<Tokenizer> tokenizer;
};

std::string bytesOfHex(const std::string &hex) {
  std::string bytes;
  for (size_t i = 0; i < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return bytes;
}
} // namespace

TEST_P(Golden, Strings) {
  for (auto &item : golden["strings"]) {
    std::string text = item["text"];
    Ids ids = item["ids"];
    EXPECT_EQ(tokenizer->encode(text), ids) << item["text"];
    EXPECT_EQ(tokenizer->encode(text, /*withSpecial=*/false), item["ids_without_special"].get<Ids>()) << item["text"];
    if (item.contains("bytes_hex")) {
      EXPECT_EQ(tokenizer->encode(bytesOfHex(item["bytes_hex"])), ids) << item["bytes_hex"];
    }
    EXPECT_EQ(tokenizer->decode(ids, false), item["decoded"].get<std::string>());
    EXPECT_EQ(tokenizer->decode(ids, true), item["decoded_skip_special"].get<std::string>());
  }
}

TEST_P(Golden, Decode) {
  for (auto &item : golden["decode"]) {
    Ids ids = item["ids"];
    EXPECT_EQ(decodeInSteps(ids), item["decoded"].get<std::string>()) << item["ids"];
    EXPECT_EQ(tokenizer->decode(ids, true), item["decoded_skip_special"].get<std::string>()) << item["ids"];
  }
}

TEST_P(Golden, Chats) {
  if (golden["chats"].empty())
    return;
  auto chat = ChatTemplate::read(GetParam().string());
  ASSERT_TRUE(chat) << chat.failure().message;
  for (auto &item : golden["chats"]) {
    ordered_json variables = item["arguments"];
    variables["messages"] = item["messages"];
    auto text = chat->render(variables.dump());
    ASSERT_TRUE(text) << text.failure().message;
    EXPECT_EQ(*text, item["text"].get<std::string>()) << item["name"];
    EXPECT_EQ(tokenizer->encode(*text, /*withSpecial=*/false), item["ids"].get<Ids>()) << item["name"];
  }
  for (auto &item : golden["chat_errors"]) {
    auto text = chat->render(ordered_json{{"messages", item["messages"]}}.dump());
    ASSERT_FALSE(text) << *text;
    EXPECT_TRUE(text.failure().message.ends_with(": " + item["error"].get<std::string>())) << text.failure().message;
  }
}

// Both spellings of a configuration, where a model has them, say the same.
TEST_P(Golden, Configurations) {
  if (!std::filesystem::exists(GetParam() / "config.v5.json"))
    return;
  auto older = DecoderConfig::read(GetParam().string(), lispier::test::llamaFamilies());
  auto newer = DecoderConfig::read((GetParam() / "config.v5.json").string(), lispier::test::llamaFamilies());
  ASSERT_TRUE(older) << older.failure().message;
  ASSERT_TRUE(newer) << newer.failure().message;
  for (const char *key : {"vocab_size", "hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads",
                          "num_key_value_heads", "head_dim", "max_position_embeddings", "rope_original_positions",
                          "windows", "windows.0", "windows.1", "windows.2", "bos_token_id", "eos_token_ids"})
    EXPECT_EQ(*older->keys().integer(key, -2), *newer->keys().integer(key, -3)) << key;
  for (const char *key : {"rms_norm_eps", "rope_theta", "rope_factor", "rope_low_freq_factor", "rope_high_freq_factor",
                          "rope_local_theta", "attention_scale", "embedding_scale"})
    EXPECT_EQ(*older->keys().number(key, -2), *newer->keys().number(key, -3)) << key;
  EXPECT_EQ(older->tied, newer->tied);
  EXPECT_EQ(older->rotary.type, newer->rotary.type);
  // The sizes are those of the weights.
  auto files = Checkpoint::open(GetParam().string(), "");
  ASSERT_TRUE(files) << files.failure().message;
  EXPECT_EQ(files->countNumbered("model.layers."), older->layers);
  const TensorEntry *embedding = files->find("model.embed_tokens.weight");
  const TensorEntry *query = files->find("model.layers.0.self_attn.q_proj.weight");
  ASSERT_TRUE(embedding && query);
  EXPECT_EQ(embedding->shape, (std::vector<uint64_t>{uint64_t(older->vocabulary), uint64_t(older->hidden)}));
  EXPECT_EQ(query->shape, (std::vector<uint64_t>{uint64_t(older->heads * older->headSize), uint64_t(older->hidden)}));
  EXPECT_EQ(!files->find("lm_head.weight"), older->tied);
  EXPECT_EQ(!files->find("model.layers.0.self_attn.q_proj.bias"), !older->qkvBias);
  EXPECT_EQ(!files->find("model.layers.0.self_attn.q_norm.weight"), !older->headNorms);
}

INSTANTIATE_TEST_SUITE_P(Checkpoint, Golden, testing::ValuesIn(goldenFolders()), [](const auto &info) {
  std::string name = info.param.filename().string();
  std::replace_if(name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
});
