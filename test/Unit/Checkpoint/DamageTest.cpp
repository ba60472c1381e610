//===- DamageTest.cpp - damaged files are rejected or read, never worse ---===//
//
// A good small file of each kind, with bytes overwritten, cut off or doubled at
// random: the reader gives a value or a message. (Sanitizers make it count.)
//
//===----------------------------------------------------------------------===//
#include "ModelFiles.h"
#include "lispier/Checkpoint/CharacterMap.h"
#include "lispier/Checkpoint/Checkpoint.h"
#include "lispier/Checkpoint/CheckpointAbi.h"
#include "lispier/Checkpoint/Safetensors.h"
#include "lispier/Checkpoint/Tokenizer.h"
#include "lispier/Checkpoint/Utf8.h"
#include <functional>
#include <nlohmann/json.hpp>
#include <random>

using namespace lispier;
using namespace lispier::test;

namespace {
constexpr int kRounds = 400;

std::string damaged(std::string bytes, std::mt19937 &random) {
  static constexpr char kTelling[] = "{}[]\",:0123456789-.eE \x00\x7F\x80\xFF";
  for (unsigned changes = 1 + random() % 4; changes && !bytes.empty(); --changes) {
    size_t at = random() % std::min<size_t>(bytes.size(), 1500); // where the headers are
    switch (random() % 4) {
    case 0:
      bytes[at] = kTelling[random() % (sizeof kTelling - 1)];
      break;
    case 1:
      bytes[at] = static_cast<char>(random());
      break;
    case 2:
      bytes.erase(at, 1 + random() % 16);
      break;
    case 3:
      bytes.insert(at, bytes.substr(at, 1 + random() % 16));
      break;
    }
  }
  return bytes;
}

/// Changes values of a JSON file, which stays JSON.
std::string altered(const std::string &text, std::mt19937 &random) {
  using nlohmann::ordered_json;
  ordered_json root = ordered_json::parse(text);
  for (unsigned changes = 1 + random() % 2; changes; --changes) {
    ordered_json *parent = nullptr, *at = &root;
    while (at->is_structured() && !at->empty() && (!parent || random() % 4)) {
      parent = at;
      at = &*std::next(at->begin(), static_cast<long>(random() % at->size()));
    }
    static const ordered_json kValues[] = {nullptr,
                                           true,
                                           -1,
                                           0,
                                           4000000000,
                                           1e308,
                                           "",
                                           "a\nb",
                                           ordered_json::array(),
                                           ordered_json::object(),
                                           ordered_json::array({1, "x"}),
                                           {{"type", "Sequence"}}};
    switch (random() % 3) {
    case 0:
      *at = kValues[random() % std::size(kValues)];
      break;
    case 1:
      if (at->is_number())
        *at = at->get<double>() * (random() % 2 ? -1 : 1000);
      else if (at->is_string())
        *at = at->get<std::string>() + "?";
      else
        *at = nullptr;
      break;
    case 2:
      if (at->is_structured() && !at->empty())
        at->erase(std::next(at->begin(), static_cast<long>(random() % at->size())));
      else
        *at = false;
      break;
    }
  }
  return root.dump();
}

/// The error of a handle of the C ABI, which is one line.
std::string oneLineOf(const char *error) {
  std::string message = error ? error : "";
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  EXPECT_TRUE(message.empty() || message.starts_with("/")) << message << " names no file";
  return message;
}

std::string read(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Reads 300 altered and 300 damaged copies of a JSON file; none may do worse than be rejected.
void alter(const std::string &name, const std::string &good,
           const std::function<std::string(const std::string &)> &open) {
  Folder folder;
  std::mt19937 random(11);
  ASSERT_EQ(open(folder.write(name, good)), "");
  int rejected = 0;
  for (int round = 0; round < 300; ++round) {
    rejected += !open(folder.write(name, altered(good, random))).empty();
    rejected += !open(folder.write(name, damaged(good, random))).empty();
  }
  EXPECT_GT(rejected, 200);
}

/// Reads many damaged copies of `good`; `read` returns the message of a rejection, or nothing. Both must occur.
void damage(const std::string &name, const std::string &good,
            const std::function<std::string(const std::string &)> &read) {
  Folder folder;
  std::mt19937 random(7);
  ASSERT_EQ(read(folder.write(name, good)), "");
  int rejected = 0;
  for (int round = 0; round < kRounds; ++round)
    rejected += !read(folder.write(name, damaged(good, random))).empty();
  EXPECT_GT(rejected, kRounds / 2);
}
} // namespace

TEST(Damage, Safetensors) {
  std::string good =
      safetensors({{"a", "F32", {2, 1}, "abcdefgh"}, {"b", "BF16", {3}, "ijklmn"}, {"c", "I64", {}, "12345678"}});
  damage("m.safetensors", good, [](const std::string &path) {
    auto file = MappedFile::open(path);
    if (!file)
      return file.failure().message;
    auto entries = readSafetensors(*file);
    if (!entries)
      return entries.failure().message;
    // What is accepted can be read.
    unsigned sum = 0;
    for (auto &[name, entry] : *entries)
      for (uint64_t i = 0; i < entry.bytes; ++i)
        sum += entry.data[i];
    return std::string(sum == ~0u ? "never" : "");
  });
}

TEST(Damage, LlmCTokenizer) {
  std::vector<uint32_t> header(256);
  header[0] = 20240328, header[1] = 2, header[2] = 258, header[3] = 257;
  std::string good = bytesOf(header);
  for (int byte = 0; byte < 256; ++byte)
    good += std::string("\1") + static_cast<char>(byte);
  good += "\2ab\3end";
  damage("gpt2_tokenizer.bin", good, [](const std::string &path) {
    auto tokenizer = Tokenizer::open(path, kGpt2Pattern, {});
    if (!tokenizer)
      return tokenizer.failure().message;
    std::string text = "some ab text", back;
    for (int32_t id : tokenizer->encode(text))
      back += tokenizer->bytes(id);
    EXPECT_EQ(back, text);
    return std::string();
  });
}

TEST(Damage, LlmCCheckpoint) {
  constexpr const char *kLayout = "magic 20240326\nheader p v l c\nw 3*v c\nh.{l}.b c\nq p\n";
  std::vector<int32_t> header(256);
  header[0] = 20240326, header[1] = 5, header[2] = 2, header[3] = 3, header[4] = 4, header[5] = 5;
  std::string good = bytesOf(header) + std::string(2 * (45 + 20 + 2), '\x3F');
  damage("m.bin", good, [](const std::string &path) {
    auto checkpoint = Checkpoint::open(path, kLayout);
    return checkpoint ? "" : checkpoint.failure().message;
  });
}

TEST(Damage, Index) {
  std::string good = R"({"metadata": {"size": 8}, "weight_map": {"a": "1.safetensors", "b": "1.safetensors"}})";
  damage("model.safetensors.index.json", good, [](const std::string &path) {
    std::ofstream(std::filesystem::path(path).parent_path() / "1.safetensors", std::ios::binary)
        << safetensors({{"a", "F32", {1}, "abcd"}, {"b", "F32", {1}, "efgh"}});
    auto checkpoint = Checkpoint::open(path, "");
    return checkpoint ? "" : checkpoint.failure().message;
  });
}

TEST(Damage, Config) {
  std::string good = R"({"n": 3, "x": 1e-5, "s": [1, {"t": "u"}], "f": true, "z": null})";
  damage("config.json", good, [](const std::string &path) {
    auto config = Config::read(path);
    if (!config)
      return config.failure().message;
    if (auto n = config->integer("n", 0); !n)
      return n.failure().message;
    auto x = config->number("x", 0);
    return x ? "" : x.failure().message;
  });
}

TEST(Damage, TokenizerJson) {
  for (const char *family :
       {"qwen", "llama3", "gemma", "flags", "metaspace", "nfkc", "lower", "spelled", "t5", "scores", "bert", "cased"})
    alter("tokenizer.json", read(std::string(LISPIER_TOKENIZERS "/") + family + "/tokenizer.json"),
          [](const std::string &path) {
            lispier_tokenizer *tokenizer = lispier_tokenizer_open(path.c_str(), nullptr, nullptr);
            std::string message = oneLineOf(lispier_tokenizer_error(tokenizer)), text = "Hi e\u0301 <|im_end|>12\n\xFF";
            int64_t count = lispier_tokenizer_encode(tokenizer, text.data(), static_cast<int64_t>(text.size()));
            for (int64_t i = 0; i < count; ++i)
              lispier_tokenizer_push(tokenizer, lispier_tokenizer_ids(tokenizer)[i]);
            for (int32_t id = -1; id <= lispier_tokenizer_size(tokenizer); ++id)
              lispier_tokenizer_push(tokenizer, id);
            lispier_tokenizer_finish(tokenizer);
            lispier_tokenizer_close(tokenizer);
            return message;
          });
}

// Base64 that stays base64: what is wrong with the table is found when it is read, or does no harm.
TEST(Damage, CharacterMap) {
  auto root = nlohmann::json::parse(read(LISPIER_TOKENIZERS "/t5/tokenizer.json"));
  std::string good = root["normalizer"]["precompiled_charsmap"];
  std::mt19937 random(5);
  int rejected = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string bad = good;
    for (unsigned changes = 1 + random() % 8; changes; --changes)
      bad[random() % (random() % 4 ? good.size() - 4 : 64)] =
          "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef0123456789+/"[random() % 44];
    auto map = CharacterMap::read(bad);
    rejected += !map;
    for (uint32_t code = 0; map && code < 0x3000; code += 1 + random() % 64) {
      std::string text = "e\u0301\r\n";
      appendUtf8(code, text);
      std::string changed = (*map)(text);
      EXPECT_EQ(toValidUtf8(changed), changed);
      EXPECT_LE(double(changed.size()), map->growth() * double(text.size()));
    }
  }
  EXPECT_GT(rejected, 100);
  EXPECT_LT(rejected, 2900);
}

TEST(Damage, DecoderConfig) {
  for (
      const char *good : {
          R"({"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_attention_heads": 4,
               "num_hidden_layers": 2, "vocab_size": 100, "rms_norm_eps": 1e-5, "eos_token_id": [1, 2], "rope_scaling":
               {"rope_type": "llama3", "factor": 8, "low_freq_factor": 1, "high_freq_factor": 4}})",
          R"({"model_type": "gemma3_text", "hidden_size": 64, "num_hidden_layers": 2, "layer_types": ["full_attention",
               "sliding_attention"], "sliding_window": 8, "rope_parameters": {"full_attention": {"rope_theta": 1e6},
               "sliding_attention": {"rope_type": "default", "rope_theta": 1e4}}})",
          R"({"model_type": "gemma2", "hidden_size": 64, "num_hidden_layers": 2, "sliding_window": 8,
               "attn_logit_softcapping": 50.0, "final_logit_softcapping": 30.0, "query_pre_attn_scalar": 24,
               "layer_types": ["full_attention", "sliding_attention"], "architectures": ["Gemma2ForCausalLM"]})",
          R"({"model_type": "smollm3", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
               "no_rope_layers": [1, 0], "no_rope_layer_interval": 4, "use_sliding_window": false, "rope_scaling":
               {"rope_type": "yarn", "factor": 4, "original_max_position_embeddings": 16, "beta_fast": 32,
               "beta_slow": 1, "attention_factor": 1.2, "truncate": true}})",
          R"({"model_type": "phi3", "hidden_size": 16, "num_attention_heads": 4, "num_hidden_layers": 1,
               "max_position_embeddings": 64, "original_max_position_embeddings": 16, "rope_scaling": {"type": "longrope",
               "short_factor": [1.0, 1.1], "long_factor": [1.0, 2.5]}, "sliding_window": 5})",
          R"({"model_type": "olmo2", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
               "vocab_size": 100, "eos_token_id": 3, "rms_norm_eps": 1e-6, "rope_scaling": {"type": "dynamic",
               "factor": 2.0}})"})
    alter("config.json", good, [](const std::string &path) {
      lispier_decoder *decoder = lispier_decoder_open(path.c_str(), llamaFamilies().c_str());
      std::string message = oneLineOf(lispier_decoder_error(decoder));
      lispier_decoder_close(decoder);
      return message;
    });
}

TEST(Damage, ChatTemplateFile) {
  std::string good =
      R"({"chat_template": [{"name": "default", "template": "{% macro f(x) %}{{ x | trim }}{% endmacro %}{% for m
               in messages %}{{ f(m.content) }}{% generation %}{{ m }}{% endgeneration %}{% endfor %}{{ 2 ** 3 }}"}]})";
  std::erase(good, '\n');
  alter("chat_template.json", good, [](const std::string &path) {
    std::string folder = std::filesystem::path(path).parent_path();
    std::ofstream(folder + "/tokenizer_config.json") << "{}";
    lispier_chat *chat = lispier_chat_open(folder.c_str());
    lispier_chat_add(chat, "user", "Hi", 2);
    lispier_chat_render(chat, 1);
    std::string message = oneLineOf(lispier_chat_error(chat));
    lispier_chat_close(chat);
    return message;
  });
}

TEST(Damage, IndexValues) {
  std::string index = R"({"metadata": {"size": 8}, "weight_map": {"a": "1.safetensors", "b": "1.safetensors"}})";
  auto open = [](const std::string &path) {
    auto directory = std::filesystem::path(path).parent_path();
    std::ofstream(directory / "1.safetensors", std::ios::binary)
        << safetensors({{"a", "F32", {1}, "abcd"}, {"b", "F32", {1}, "efgh"}});
    lispier_checkpoint *files = lispier_checkpoint_open(path.c_str(), nullptr);
    std::string message = oneLineOf(lispier_checkpoint_error(files));
    lispier_checkpoint_close(files);
    return message;
  };
  alter("model.safetensors.index.json", index, open);
}

// The header of a safetensors file, altered as JSON.
TEST(Damage, SafetensorsHeader) {
  std::string header =
      R"({"__metadata__": {"format": "pt"}, "a": {"dtype": "F32", "shape": [2, 1], "data_offsets": [0, 8]},
                           "b": {"dtype": "BF16", "shape": [3], "data_offsets": [8, 14]}})";
  alter("header.json", header, [](const std::string &path) {
    std::string file = path + ".safetensors";
    std::ofstream(file, std::ios::binary) << safetensors(read(path), "abcdefghijklmn");
    lispier_checkpoint *files = lispier_checkpoint_open(file.c_str(), nullptr);
    std::string message = oneLineOf(lispier_checkpoint_error(files));
    lispier_checkpoint_close(files);
    return message;
  });
}

TEST(Damage, TokenShards) {
  std::vector<int32_t> header(256), words(50, 7);
  header[0] = 20240801;
  header[1] = 7;
  header[2] = 50;
  std::string good = bytesOf(header) + bytesOf(words);
  damage("a.bin", good, [](const std::string &path) {
    lispier_tokens *tokens = lispier_tokens_open(path.c_str(), 1000);
    for (int step = 0; step < 20; ++step)
      lispier_tokens_next(tokens, 2, 3, 0, 1);
    std::string error = oneLineOf(lispier_tokens_error(tokens));
    lispier_tokens_close(tokens);
    return error;
  });
}

// Each file of a checkpoint that was written here.
TEST(Damage, SavedStep) {
  Folder folder;
  lispier_saver *saver = lispier_saver_open(folder.file("run").c_str(), 3);
  std::vector<float> numbers(20, 1.5f);
  int64_t sizes[] = {4, 5};
  lispier_saver_tensor(saver, "h.0.w", "F32", 2, sizes, numbers.data());
  lispier_saver_tensor(saver, "h.0.b", "F32", 1, sizes, numbers.data());
  lispier_saver_write(saver, "model.safetensors");
  lispier_saver_set_integer(saver, "place", 77);
  lispier_saver_set_number(saver, "loss", 2.5);
  ASSERT_EQ(lispier_saver_commit(saver, 3), 1);
  lispier_saver_close(saver);
  damage("model.safetensors", read(folder.file("run/step-3/model.safetensors")), [](const std::string &path) {
    lispier_checkpoint *files = lispier_checkpoint_open(path.c_str(), nullptr);
    std::string error = oneLineOf(lispier_checkpoint_error(files));
    bool known = lispier_checkpoint_find(files, "h.0.w") >= 0 && lispier_checkpoint_find(files, "h.0.b") >= 0;
    lispier_checkpoint_close(files);
    return error.empty() && !known ? "other names" : error;
  });
  damage("state.json", read(folder.file("run/step-3/state.json")), [](const std::string &path) {
    lispier_state *state = lispier_state_open(std::filesystem::path(path).parent_path().c_str());
    lispier_state_integer(state, "place");
    lispier_state_number(state, "loss");
    std::string error = oneLineOf(lispier_state_error(state));
    lispier_state_close(state);
    return error;
  });
}
