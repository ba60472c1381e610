//===- DecoderConfigTest.cpp - config.json of Llama's family --------------===//
#include "lispier/Checkpoint/DecoderConfig.h"
#include "ModelFiles.h"
#include "lispier/Checkpoint/CheckpointAbi.h"
#include <nlohmann/json.hpp>

using namespace lispier;
using namespace lispier::test;
using nlohmann::json;
using Numbers = std::vector<int64_t>;

namespace {
Result<DecoderConfig> read(const json &config, const json &generation = nullptr) {
  Folder folder;
  if (!generation.is_null())
    folder.write("generation_config.json", generation.dump());
  return DecoderConfig::read(folder.write("config.json", config.dump(1)), llamaFamilies());
}

std::string rejection(const json &config, const json &generation = nullptr) {
  auto result = read(config, generation);
  return result ? "" : result.failure().message;
}

json with(json config, const std::string &key, const json &value) {
  config[key] = value;
  return config;
}

const json kLlama = {{"model_type", "llama"},
                     {"hidden_size", 192},
                     {"num_hidden_layers", 4},
                     {"num_attention_heads", 6},
                     {"num_key_value_heads", 2},
                     {"intermediate_size", 512},
                     {"rope_theta", 500000.0},
                     {"vocab_size", 4096},
                     {"tie_word_embeddings", true},
                     {"rms_norm_eps", 1e-5},
                     {"torch_dtype", "bfloat16"},
                     {"eos_token_id", {5, 6}},
                     {"rope_scaling",
                      {{"rope_type", "llama3"},
                       {"factor", 32.0},
                       {"low_freq_factor", 1.0},
                       {"high_freq_factor", 4.0},
                       {"original_max_position_embeddings", 64}}}};
const json kGemma = {
    {"model_type", "gemma3_text"},   {"hidden_size", 160},   {"num_hidden_layers", 7},
    {"num_attention_heads", 4},      {"head_dim", 64},       {"rope_theta", 1000000},
    {"rope_local_base_freq", 10000}, {"sliding_window", 32}, {"sliding_window_pattern", 6},
    {"query_pre_attn_scalar", 48},   {"vocab_size", 4096},   {"hidden_activation", "gelu_pytorch_tanh"}};
const json kQwen2 = {{"model_type", "qwen2"},  {"hidden_size", 224},       {"num_attention_heads", 7},
                     {"num_hidden_layers", 3}, {"num_key_value_heads", 1}, {"sliding_window", 32},
                     {"max_window_layers", 1}};
} // namespace

TEST(DecoderConfig, Llama) {
  auto config = read(kLlama);
  ASSERT_TRUE(config) << config.failure().message;
  EXPECT_EQ(config->headSize, 32);
  EXPECT_EQ(config->keyHeads, 2);
  EXPECT_EQ(config->epsilon, 1e-5);
  EXPECT_TRUE(config->tied);
  EXPECT_FALSE(config->qkvBias || config->outputBias || config->mlpBias || config->headNorms || config->postNorms);
  EXPECT_EQ(config->rotary.type, "llama3");
  EXPECT_EQ(config->rotary.theta, 500000);
  EXPECT_EQ(config->rotary.factor, 32);
  EXPECT_EQ(config->rotary.originalPositions, 64);
  EXPECT_EQ(config->windows, (Numbers{0, 0, 0, 0}));
  EXPECT_EQ(config->begin, 1);
  EXPECT_EQ(config->ends, (Numbers{5, 6}));
  EXPECT_EQ(read(kLlama, {{"eos_token_id", 7}, {"do_sample", true}})->ends, (Numbers{7}));
  EXPECT_EQ(read(kLlama, json::object())->ends, (Numbers{5, 6}));
}

// The newer spelling says the same.
TEST(DecoderConfig, NewerNames) {
  json newer = kLlama;
  newer["rope_parameters"] = newer["rope_scaling"];
  newer["rope_parameters"]["rope_theta"] = newer["rope_theta"];
  newer["dtype"] = "bfloat16";
  for (const char *old : {"rope_scaling", "rope_theta", "torch_dtype"})
    newer.erase(old);
  auto config = read(newer);
  ASSERT_TRUE(config) << config.failure().message;
  EXPECT_EQ(config->rotary.theta, 500000);
  EXPECT_EQ(config->rotary.highFrequency, 4);

  json gemma = kGemma;
  for (const char *old : {"rope_theta", "rope_local_base_freq", "sliding_window_pattern"})
    gemma.erase(old);
  gemma["rope_parameters"] = {{"full_attention", {{"rope_type", "linear"}, {"factor", 8}, {"rope_theta", 3}}},
                              {"sliding_attention", {{"rope_type", "default"}, {"rope_theta", 4}}}};
  gemma["layer_types"] = {"full_attention",    "sliding_attention", "full_attention", "sliding_attention",
                          "sliding_attention", "sliding_attention", "full_attention"};
  config = read(gemma);
  ASSERT_TRUE(config) << config.failure().message;
  EXPECT_EQ(config->rotary.theta, 3);
  EXPECT_EQ(config->rotary.type, "linear");
  EXPECT_EQ(config->localRotary.theta, 4);
  EXPECT_EQ(config->windows, (Numbers{0, 32, 0, 32, 32, 32, 0}));
}

TEST(DecoderConfig, DefaultsOfEachType) {
  auto of = [](const char *type) { return *read({{"model_type", type}}); };
  EXPECT_EQ(of("llama").keyHeads, 32);
  EXPECT_EQ(of("llama").headSize, 128);
  EXPECT_EQ(of("llama").rotary.theta, 10000);
  EXPECT_EQ(of("llama").ends, (Numbers{2}));
  EXPECT_EQ(of("mistral").keyHeads, 8);
  EXPECT_EQ(of("mistral").windows, Numbers(32, 4096));
  EXPECT_EQ(read({{"model_type", "mistral"}, {"sliding_window", nullptr}})->windows, Numbers(32, 0));
  EXPECT_EQ(read({{"model_type", "mistral"}, {"num_key_value_heads", nullptr}})->keyHeads, 32);
  EXPECT_TRUE(of("qwen2").qkvBias);
  EXPECT_FALSE(of("qwen2").outputBias);
  EXPECT_EQ(of("qwen2").ends, Numbers());
  EXPECT_EQ(of("qwen3").headSize, 128);
  EXPECT_TRUE(of("qwen3").headNorms);
  EXPECT_FALSE(of("qwen3").tied);
  auto gemma = *read(kGemma);
  EXPECT_TRUE(gemma.tied && gemma.headNorms && gemma.postNorms);
  EXPECT_EQ(gemma.keyHeads, 4);
  EXPECT_EQ(gemma.normOffset, 1);
  EXPECT_DOUBLE_EQ(gemma.embeddingScale, std::sqrt(160.0));
  EXPECT_DOUBLE_EQ(gemma.attentionScale, 1 / std::sqrt(48.0));
  EXPECT_EQ(gemma.windows, (Numbers{32, 32, 32, 32, 32, 0, 32}));
  EXPECT_EQ(gemma.ends, (Numbers{1}));
  EXPECT_EQ(gemma.localRotary.theta, 10000);
}

TEST(DecoderConfig, WindowsCountWhereTheyAreUsed) {
  EXPECT_EQ(read(kQwen2)->windows, (Numbers{0, 0, 0}));
  EXPECT_EQ(read(with(kQwen2, "use_sliding_window", true))->windows, (Numbers{0, 32, 32}));
}

// Each kind of family that is not like Llama.
TEST(DecoderConfig, Families) {
  auto gemma2 = *read({{"model_type", "gemma2"}, {"num_hidden_layers", 3}, {"sliding_window", 8}});
  EXPECT_EQ(gemma2.windows, (Numbers{8, 0, 8}));
  EXPECT_EQ(gemma2.local, (Numbers{0, 0, 0}));
  EXPECT_EQ(gemma2.scoreCap, 50);
  EXPECT_EQ(gemma2.logitCap, 30);
  EXPECT_TRUE(gemma2.tied && gemma2.preNorms && gemma2.postNorms && !gemma2.headNorms);
  auto olmo2 = *read({{"model_type", "olmo2"}});
  EXPECT_TRUE(olmo2.headNorms && olmo2.wideHeadNorms && olmo2.postNorms && !olmo2.preNorms);
  EXPECT_EQ(olmo2.epsilon, 1e-5);
  auto phi3 = *read({{"model_type", "phi3"}, {"num_hidden_layers", 2}, {"sliding_window", 5}});
  EXPECT_EQ(phi3.windows, (Numbers{5, 5}));
  EXPECT_EQ(read({{"model_type", "phi3"}})->windows, Numbers(32, 0));
  json smollm3 = {{"model_type", "smollm3"}, {"num_hidden_layers", 5}};
  EXPECT_EQ(read(smollm3)->local, (Numbers{0, 0, 0, 1, 0}));
  EXPECT_EQ(read(smollm3)->localRotary.type, "none");
  EXPECT_EQ(read(smollm3)->rotary.theta, 2000000);
  EXPECT_EQ(read(with(smollm3, "no_rope_layers", {1, 0, 1, 1, 0}))->local, (Numbers{0, 1, 0, 0, 1}));
  EXPECT_HAS(rejection(with(smollm3, "no_rope_layers", {1, 0})), "'no_rope_layers' has 2 items; expected one for each");
  EXPECT_HAS(rejection(with(smollm3, "use_sliding_window", true)), "'use_sliding_window' is true, which is not");
}

TEST(DecoderConfig, LongContext) {
  json yarn = {{"type", "yarn"}, {"factor", 4.0}, {"original_max_position_embeddings", 32}};
  auto config = *read(with(kQwen2, "rope_scaling", yarn));
  EXPECT_EQ(config.rotary.originalPositions, 32);
  EXPECT_EQ(config.rotary.fastTurns, 32);
  EXPECT_EQ(config.rotary.slowTurns, 1);
  EXPECT_DOUBLE_EQ(config.rotary.magnitude, 0.1 * std::log(4.0) + 1);
  EXPECT_EQ(*config.keys().flag("layers_differ", false), true);
  EXPECT_EQ(read(with(kQwen2, "rope_scaling", with(yarn, "attention_factor", 2)))->rotary.magnitude, 2);
  EXPECT_HAS(rejection(with(kQwen2, "rope_scaling", with(yarn, "truncate", false))),
             "'rope_scaling.truncate' is false");
  // As DeepSeek has them: both scale the growth, of which the ratio counts; one alone does not.
  auto scaled = [&](const json &fields) { return read(with(kQwen2, "rope_scaling", fields))->rotary.magnitude; };
  EXPECT_DOUBLE_EQ(scaled(with(with(yarn, "mscale", 0.707), "mscale_all_dim", 0.5)),
                   (0.0707 * std::log(4.0) + 1) / (0.05 * std::log(4.0) + 1));
  EXPECT_DOUBLE_EQ(scaled(with(yarn, "mscale", 0.707)), 0.1 * std::log(4.0) + 1);
  EXPECT_EQ(scaled(with(with(with(yarn, "mscale", 1), "mscale_all_dim", 1), "attention_factor", 2)), 2);
  EXPECT_HAS(rejection(with(kQwen2, "rope_scaling", with(yarn, "mscale", "a"))), "'rope_scaling.mscale' is 'a'");
  json phi3 = {{"model_type", "phi3"},
               {"hidden_size", 16},
               {"num_attention_heads", 4},
               {"num_hidden_layers", 1},
               {"max_position_embeddings", 64},
               {"original_max_position_embeddings", 16},
               {"rope_scaling", {{"type", "longrope"}, {"short_factor", {1, 1.5}}, {"long_factor", {2, 3}}}}};
  EXPECT_EQ(read(phi3)->rotary.longDivisors, (std::vector<double>{2, 3}));
  EXPECT_EQ(*read(phi3)->keys().number("rope_short_divisors.1", 0), 1.5);
  EXPECT_DOUBLE_EQ(read(phi3)->rotary.magnitude, std::sqrt(1 + std::log(4.0) / std::log(16.0)));
  phi3["rope_scaling"]["long_factor"] = {1, 2, 3};
  EXPECT_HAS(rejection(phi3), "'rope_scaling.long_factor' has 3 items; expected one for each of the 2 pairs");
  phi3["rope_scaling"] = nullptr;
  EXPECT_EQ(read(with(phi3, "head_dim", 8))->rotated, 8);
  EXPECT_EQ(read(with(with(phi3, "head_dim", 8), "partial_rotary_factor", 0.75))->rotated, 6);
  EXPECT_EQ(*read(with(phi3, "partial_rotary_factor", 0.5))->keys().flag("layers_differ", false), true);
  EXPECT_HAS(rejection(with(phi3, "partial_rotary_factor", 0.75)),
             "'partial_rotary_factor' makes 3 of a head's 4 channels rotate; expected an even number of them");
  EXPECT_HAS(rejection(with(phi3, "partial_rotary_factor", -1e300)), "channels rotate; expected an even number");
  json olmo3 = {{"model_type", "olmo3"}, {"num_hidden_layers", 4}, {"rope_theta", 7}, {"rope_scaling", yarn}};
  EXPECT_EQ(read(olmo3)->windows, (Numbers{4096, 4096, 4096, 0}));
  EXPECT_EQ(read(olmo3)->local, (Numbers{1, 1, 1, 0}));
  EXPECT_EQ(read(olmo3)->localRotary.theta, 7);
  EXPECT_EQ(read(olmo3)->localRotary.type, "default");
  // Texts end at max_position_embeddings, up to which this type changes nothing.
  auto dynamic = *read(with(kQwen2, "rope_scaling", {{"type", "dynamic"}, {"factor", 2}}));
  EXPECT_EQ(dynamic.rotary.factor, 1);
  EXPECT_EQ(*dynamic.keys().flag("layers_differ", true), false);
}

// Published files have fields of training, of other tasks and of code beside them.
TEST(DecoderConfig, FieldsWithoutEffect) {
  for (const json &field :
       {json{"use_mrope", false}, json{"max_sequence_length", 1024}, json{"gradient_checkpointing", false},
        json{"id2label", {{"0", "LABEL_0"}}}, json{"label2id", {{"LABEL_0", 0}}}, json{"do_sample", true},
        json{"temperature", 0.7}, json{"auto_map", {{"AutoModel", "modeling.Model"}}}, json{"hidden_dropout", 0.1},
        json{"pruned_heads", json::object()}, json{"quantization_config", nullptr}, json{"partial_rotary_factor", 1.0},
        json{"use_sliding_window", true}, json{"rope_interleaved", false}, json{"attn_logit_softcapping", nullptr}})
    EXPECT_EQ(rejection(with(kLlama, field[0], field[1])), "") << field;
}

TEST(DecoderConfig, FieldsThatWouldHaveAnEffect) {
  for (const json &field :
       {json{"use_mrope", true, "true", "false"}, json{"rope_interleaved", true, "true", "false"},
        json{"use_bidirectional_attention", true, "true", "false"}, json{"is_encoder_decoder", true, "true", "false"},
        json{"add_cross_attention", 1, "1", "false"}, json{"pruned_heads", {{"0", {1}}}, "an object", "{}"},
        json{"quantization_config", {{"bits", 4}}, "an object", "null"}, json{"clip_qkv", 8.0, "8.0", "null"},
        json{"partial_rotary_factor", 0.75, "0.75", "1"}, json{"attn_logit_softcapping", 50.0, "50.0", "null"}})
    EXPECT_HAS(rejection(with(kLlama, field[0], field[1])),
               "config.json: '" + std::string(field[0]) + "' is " + std::string(field[2]) +
                   ", which is not supported; expected " + std::string(field[3]));
}

TEST(DecoderConfig, NamesWhatIsWrong) {
  EXPECT_HAS(rejection(json::array()), "config.json: 'model_type' is missing; expected a string");
  EXPECT_HAS(rejection({{"model_type", "gpt2"}}),
             "'model_type' is 'gpt2'; expected one of 'llama', 'mistral', 'qwen2'");
  EXPECT_HAS(rejection(with(kLlama, "hidden_size", "a")),
             "'hidden_size' is 'a'; expected an integer from 1 to 16777216");
  EXPECT_HAS(rejection(with(kLlama, "hidden_size", 0)), "'hidden_size' is 0; expected");
  EXPECT_HAS(rejection(with(kLlama, "hidden_size", 1e300)), "'hidden_size' is 1e+300; expected an integer");
  EXPECT_HAS(rejection(with(kLlama, "hidden_act", "gelu")), "'hidden_act' is 'gelu'; expected 'silu'");
  EXPECT_HAS(rejection(with(kLlama, "rms_norm_eps", 0)), "'rms_norm_eps' is not a positive number");
  EXPECT_HAS(rejection(with(kLlama, "num_key_value_heads", 4)), "is 4, which does not divide the 6 attention heads");
  EXPECT_HAS(rejection(with(kLlama, "head_dim", 3)), "'head_dim' is 3; expected an even number");
  EXPECT_HAS(rejection(with(kLlama, "rope_interleaved", true)), "'rope_interleaved' is true, which is not supported");
  EXPECT_HAS(rejection(with(kLlama, "partial_rotary_factor", 0.5)),
             "'partial_rotary_factor' is 0.5, which is not supported; expected 1");
  EXPECT_HAS(
      rejection(with(kLlama, "rope_scaling", {{"type", "su"}})),
      "'rope_scaling.type' is 'su'; expected one of 'default', 'dynamic', 'linear', 'llama3', 'yarn', 'longrope'");
  EXPECT_HAS(rejection(with(kLlama, "rope_scaling", {{"type", "linear"}})), "'rope_scaling.factor' is missing");
  EXPECT_HAS(rejection(with(kLlama, "rope_scaling", {{"scale", 1}})), "'rope_scaling.scale' is not supported");
  EXPECT_HAS(rejection(with(kLlama, "eos_token_id", 4096)),
             "'eos_token_id' is 4096; expected an integer from 0 to 4095");
  EXPECT_HAS(rejection(with(kLlama, "architectures", {"LlamaModel"})), "'architectures[0]' is 'LlamaModel'");
  EXPECT_HAS(rejection(with(kLlama, "layer_types", {"full_attention"})), "has 1 items; expected one for each of the 4");
  EXPECT_HAS(rejection(with(kLlama, "layer_types", json::array({1, 2, 3, 4}))),
             "'layer_types[0]' is 1; expected one of");
  EXPECT_HAS(rejection(with(kGemma, "final_logit_softcapping", 30)),
             "'final_logit_softcapping' is 30, which is not supported; expected null");
  EXPECT_HAS(rejection(with(kQwen2, "attention_bias", false)), "'attention_bias' is false, which is not supported");
  EXPECT_HAS(rejection(kLlama, {{"eos_token_id", {1, "x"}}}),
             "generation_config.json: 'eos_token_id[1]' is 'x'; expected an integer from 0 to 4095");
  EXPECT_HAS(rejection(kLlama, json::array()), "generation_config.json: is an array; expected an object");
  EXPECT_HAS(DecoderConfig::read("/none", llamaFamilies()).failure().message, "/none: cannot be opened");
}

// A program's own table: other types, other defaults, other fields that nothing reads.
TEST(DecoderConfig, TableOfFamilies) {
  Folder folder;
  std::string path = folder.write("config.json", R"({"model_type": "mine", "num_hidden_layers": 3, "warp": 1})");
  auto read = [&](const char *table) { return DecoderConfig::read(path, table); };
  auto config = read("# mine\nfamily mine MineForCausalLM hidden_size=64 rope_theta=5e5\n  windows-between period=2\n"
                     "  sliding_window=7 tied\n\nneutral warp 0 tied\n");
  ASSERT_TRUE(config) << config.failure().message;
  EXPECT_EQ(config->hidden, 64);
  EXPECT_EQ(config->rotary.theta, 5e5);
  EXPECT_EQ(config->windows, (Numbers{7, 0, 7}));
  EXPECT_TRUE(config->tied);
  EXPECT_HAS(read("family mine A\nneutral warp 0").failure().message,
             "'warp' is 1, which is not supported; expected 0");
  EXPECT_HAS(read("family other A").failure().message, "'model_type' is 'mine'; expected one of 'other'");
  for (const char *wrong : {"speed", "hidden_size=", "hidden_size=1x", "none=1", "rope_theta"})
    EXPECT_HAS(read(("\nfamily mine A " + std::string(wrong)).c_str()).failure().message,
               "the table of model types, line 2: '" + std::string(wrong) + "' is neither a field with a number nor");
  EXPECT_HAS(read("neutral warp 0 speed").failure().message, "line 1: 'speed'");
  EXPECT_HAS(read("neutral warp").failure().message, "line 1: 'warp'");
  EXPECT_HAS(read("family mine").failure().message, "line 1: 'family'");
  EXPECT_HAS(read("").failure().message, "the table of model types has no family");
}

TEST(DecoderConfig, Interface) {
  Folder folder;
  folder.write("config.json", kGemma.dump());
  lispier_decoder *decoder = lispier_decoder_open(folder.name().c_str(), llamaFamilies().c_str());
  ASSERT_EQ(lispier_decoder_error(decoder), nullptr);
  EXPECT_EQ(lispier_decoder_integer(decoder, "head_dim"), 64);
  EXPECT_EQ(lispier_decoder_integer(decoder, "windows.5"), 0);
  EXPECT_EQ(lispier_decoder_integer(decoder, "eos_token_ids"), 1);
  EXPECT_EQ(lispier_decoder_integer(decoder, "eos_token_ids.0"), 1);
  EXPECT_EQ(lispier_decoder_number(decoder, "rope_local_theta"), 10000);
  EXPECT_EQ(lispier_decoder_flag(decoder, "post_norms"), 1);
  EXPECT_STREQ(lispier_decoder_text(decoder, "hidden_act"), "gelu_pytorch_tanh");
  EXPECT_EQ(lispier_decoder_integer(decoder, "none"), 0);
  EXPECT_HAS(lispier_decoder_error(decoder), "has no 'none'");
  lispier_decoder_close(decoder);
  decoder = lispier_decoder_open(nullptr, nullptr);
  EXPECT_EQ(lispier_decoder_integer(decoder, "head_dim"), 0);
  EXPECT_NE(lispier_decoder_error(decoder), nullptr);
  lispier_decoder_close(decoder);
}
