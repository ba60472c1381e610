//===- DecoderConfig.cpp - config.json of Llama's family ------------------===//
#include "lispier/Checkpoint/DecoderConfig.h"
#include "JsonFile.h"
#include "lispier/Checkpoint/Quoted.h"
#include <cmath>
#include <filesystem>
#include <limits>

using namespace lispier;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {
constexpr int64_t kMost = 1 << 24; ///< Of sizes, so that products of two stay far from 2^63.
constexpr int64_t kMostLayers = 1 << 12;

/// What transformers assumes for a model_type where config.json says nothing (transformers 5.23, configuration_*.py),
/// and what the type alone decides.
struct Family {
  const char *type, *architecture;
  int64_t vocabulary, hidden, inner, layers, heads, keyHeads; ///< keyHeads 0: as many as heads.
  int64_t headSize;                                           ///< 0: hidden / heads.
  int64_t positions, window;                                  ///< window 0: none.
  int64_t begin, end;                                         ///< -1: none.
  bool tied, qkvBias, headNorms, gemma;
};
constexpr Family kFamilies[] = {
    {"llama", "LlamaForCausalLM", 32000, 4096, 11008, 32, 32, 0, 0, 2048, 0, 1, 2, false, false, false, false},
    {"mistral", "MistralForCausalLM", 32000, 4096, 14336, 32, 32, 8, 0, 131072, 4096, 1, 2, false, false, false, false},
    {"qwen2", "Qwen2ForCausalLM", 151936, 4096, 22016, 32, 32, 32, 0, 32768, 4096, -1, -1, false, true, false, false},
    {"qwen3", "Qwen3ForCausalLM", 151936, 4096, 22016, 32, 32, 32, 128, 32768, 4096, -1, -1, false, false, true, false},
    {"gemma3_text", "Gemma3ForCausalLM", 262208, 2304, 9216, 26, 8, 4, 256, 131072, 4096, 2, 1, true, false, true,
     true},
};

/// Reads one model's configuration; errors stay with the file's values.
class DecoderReader {
public:
  DecoderReader(JsonValue root, DecoderConfig &config) : root(root), config(config) {}

  void read() {
    const Family *family = readFamily();
    if (!family)
      return;
    checkFields(*family);
    readSizes(*family);
    readFlags(*family);
    readWindows(*family);
    if (family->gemma)
      readBothRotary();
    else
      config.rotary = config.localRotary = readRotary();
    readTokens(*family);
  }

  /// The tokens that end a text, a number or a list; `missing` for an absent value.
  static std::vector<int64_t> readEnds(JsonValue value, int64_t vocabulary, std::vector<int64_t> missing) {
    if (value.absent())
      return missing;
    std::vector<int64_t> ends;
    for (JsonValue item : value.isArray() ? value.items() : std::vector<JsonValue>{value})
      ends.push_back(item.integer(0, vocabulary - 1));
    return ends;
  }

private:
  const Family *readFamily();
  void checkFields(const Family &family);
  void readSizes(const Family &family);
  void readFlags(const Family &family);
  void readWindows(const Family &family);
  RotaryConfig readRotary();
  void readBothRotary();
  RotaryConfig readRotaryFields(JsonValue fields, double theta);
  void readTokens(const Family &family);
  double positive(JsonValue value, double missing);
  /// A flag that must have its usual value.
  void expectFlag(const char *name, bool usual);

  JsonValue root;
  DecoderConfig &config;
};
} // namespace

const Family *DecoderReader::readFamily() {
  std::string type = root["model_type"].text(), known;
  for (const Family &family : kFamilies) {
    if (type == family.type)
      return &family;
    known += (known.empty() ? "'" : ", '") + std::string(family.type) + "'";
  }
  root["model_type"].fail("is " + inQuotes(type) + "; expected one of " + known);
  return nullptr;
}

void DecoderReader::checkFields(const Family &family) {
  root.allowKeys({// Read below.
                  "model_type", "architectures", "vocab_size", "hidden_size", "intermediate_size", "num_hidden_layers",
                  "num_attention_heads", "num_key_value_heads", "head_dim", "max_position_embeddings", "rms_norm_eps",
                  "hidden_act", "hidden_activation", "tie_word_embeddings", "attention_bias", "mlp_bias", "rope_theta",
                  "rope_scaling", "rope_parameters", "rope_local_base_freq", "rope_interleaved",
                  "partial_rotary_factor", "layer_types", "sliding_window", "sliding_window_pattern",
                  "_sliding_window_pattern", "use_sliding_window", "max_window_layers", "query_pre_attn_scalar",
                  "attn_logit_softcapping", "final_logit_softcapping", "use_bidirectional_attention", "bos_token_id",
                  "eos_token_id", "is_decoder", "is_encoder_decoder", "add_cross_attention",
                  // Without effect on what a model computes from its weights.
                  "torch_dtype", "dtype", "transformers_version", "attention_dropout", "initializer_range", "use_cache",
                  "pretraining_tp", "pad_token_id", "cache_implementation", "_name_or_path", "return_dict",
                  "output_attentions", "output_hidden_states", "is_llama_config", "transformers.js_config",
                  "_attn_implementation", "unsloth_version", "unsloth_fixed"});
  if (JsonValue architectures = root["architectures"]; !architectures.absent())
    for (JsonValue name : architectures.items())
      name.choice({family.architecture});
  expectFlag("rope_interleaved", false);
  expectFlag("use_bidirectional_attention", false);
  expectFlag("is_encoder_decoder", false);
  expectFlag("add_cross_attention", false);
  for (const char *name : {"attn_logit_softcapping", "final_logit_softcapping"})
    if (!root[name].absent())
      root[name].fail("is not supported; expected null");
}

void DecoderReader::readSizes(const Family &family) {
  auto size = [&](const char *name, int64_t missing, int64_t most = kMost) {
    return root[name].integer(1, most, missing);
  };
  config.modelType = family.type;
  config.vocabulary = size("vocab_size", family.vocabulary);
  config.hidden = size("hidden_size", family.hidden);
  config.inner = size("intermediate_size", family.inner);
  config.layers = size("num_hidden_layers", family.layers, kMostLayers);
  config.heads = size("num_attention_heads", family.heads);
  // Where the number is missing the type's default holds; null means as many as heads.
  JsonValue keyHeads = root["num_key_value_heads"];
  config.keyHeads = keyHeads.integer(1, kMost, keyHeads.missing() && family.keyHeads ? family.keyHeads : config.heads);
  config.headSize = size("head_dim", family.headSize ? family.headSize : config.hidden / config.heads);
  config.positions = size("max_position_embeddings", family.positions, int64_t(1) << 40);
  config.epsilon = positive(root["rms_norm_eps"], 1e-6);
  if (config.heads % config.keyHeads)
    keyHeads.fail("is " + std::to_string(config.keyHeads) + ", which does not divide the " +
                  std::to_string(config.heads) + " attention heads");
  if (config.headSize < 2 || config.headSize % 2)
    root["head_dim"].fail("is " + std::to_string(config.headSize) + "; expected an even number");
}

void DecoderReader::readFlags(const Family &family) {
  JsonValue activation = root[family.gemma ? "hidden_activation" : "hidden_act"];
  config.activation = family.gemma ? "gelu_pytorch_tanh" : "silu";
  if (!activation.absent())
    activation.choice({config.activation.c_str()});
  config.tied = root["tie_word_embeddings"].flag(family.tied);
  bool bias = root["attention_bias"].flag(family.qkvBias);
  if (family.qkvBias && !bias)
    root["attention_bias"].fail("is false, which is not supported for '" + config.modelType + "'");
  config.qkvBias = bias;
  config.outputBias = bias && !family.qkvBias;
  config.mlpBias = root["mlp_bias"].flag(false);
  config.headNorms = family.headNorms;
  config.postNorms = family.gemma;
  config.normOffset = family.gemma ? 1 : 0;
  config.embeddingScale = family.gemma ? std::sqrt(double(config.hidden)) : 1;
  double scale = family.gemma ? positive(root["query_pre_attn_scalar"], 256) : double(config.headSize);
  config.attentionScale = 1 / std::sqrt(scale);
}

void DecoderReader::readWindows(const Family &family) {
  std::string type(family.type);
  JsonValue sliding = root["sliding_window"], kinds = root["layer_types"];
  int64_t window = sliding.missing() ? family.window : sliding.integer(1, int64_t(1) << 40, 0);
  bool optional = type == "qwen2" || type == "qwen3"; // The window counts only if another field says so.
  if (optional && !root["use_sliding_window"].flag(false))
    window = 0;
  if (type == "llama")
    window = 0;
  int64_t first = root["max_window_layers"].integer(0, kMost, 28);
  JsonValue given = root["sliding_window_pattern"], older = root["_sliding_window_pattern"];
  int64_t pattern = (given.absent() ? older : given).integer(1, kMost, 6);
  for (int64_t layer = 0; layer < config.layers; ++layer) {
    bool full = window == 0 || (optional && layer < first) || (family.gemma && (layer + 1) % pattern == 0);
    config.windows.push_back(full ? 0 : window);
  }
  if (kinds.absent())
    return;
  std::vector<JsonValue> items = kinds.items();
  if (items.size() != size_t(config.layers))
    return kinds.fail("has " + std::to_string(items.size()) + " items; expected one for each of the " +
                      std::to_string(config.layers) + " layers");
  for (size_t layer = 0; layer < items.size(); ++layer) {
    bool full = items[layer].choice({"sliding_attention", "full_attention"}) == 1;
    if (!full && window == 0)
      items[layer].fail("is 'sliding_attention', but there is no window");
    config.windows[layer] = full ? 0 : window;
  }
}

RotaryConfig DecoderReader::readRotaryFields(JsonValue fields, double theta) {
  RotaryConfig rotary;
  rotary.theta = theta;
  if (fields.absent())
    return rotary;
  fields.allowKeys({"rope_type", "type", "rope_theta", "factor", "low_freq_factor", "high_freq_factor",
                    "original_max_position_embeddings", "partial_rotary_factor"});
  rotary.theta = positive(fields["rope_theta"], theta);
  if (fields["partial_rotary_factor"].number(1) != 1)
    fields["partial_rotary_factor"].fail("is not 1, which is not supported");
  JsonValue type = fields[fields["rope_type"].absent() ? "type" : "rope_type"];
  if (type.absent())
    return rotary;
  size_t kind = type.choice({"default", "linear", "llama3"});
  rotary.type = kind == 0 ? "default" : kind == 1 ? "linear" : "llama3";
  if (kind > 0)
    rotary.factor = positive(fields["factor"], std::numeric_limits<double>::quiet_NaN());
  if (kind < 2)
    return rotary;
  rotary.lowFrequency = positive(fields["low_freq_factor"], std::numeric_limits<double>::quiet_NaN());
  rotary.highFrequency = positive(fields["high_freq_factor"], std::numeric_limits<double>::quiet_NaN());
  rotary.originalPositions = fields["original_max_position_embeddings"].integer(1, int64_t(1) << 40, config.positions);
  if (rotary.highFrequency <= rotary.lowFrequency)
    fields["high_freq_factor"].fail("is not larger than low_freq_factor");
  return rotary;
}

RotaryConfig DecoderReader::readRotary() {
  if (root["partial_rotary_factor"].number(1) != 1)
    root["partial_rotary_factor"].fail("is not 1, which is not supported");
  double theta = positive(root["rope_theta"], 10000);
  bool older = !root["rope_scaling"].absent();
  return readRotaryFields(root[older ? "rope_scaling" : "rope_parameters"], theta);
}

void DecoderReader::readBothRotary() {
  JsonValue both = root["rope_parameters"];
  if (!both.absent())
    both.allowKeys({"full_attention", "sliding_attention"});
  config.rotary = readRotaryFields(root["rope_scaling"].absent() ? both["full_attention"] : root["rope_scaling"],
                                   positive(root["rope_theta"], 1000000));
  config.localRotary = readRotaryFields(both["sliding_attention"], positive(root["rope_local_base_freq"], 10000));
}

void DecoderReader::readTokens(const Family &family) {
  JsonValue begin = root["bos_token_id"], end = root["eos_token_id"];
  config.begin = begin.missing() ? family.begin : begin.integer(0, config.vocabulary - 1, -1);
  std::vector<int64_t> usual;
  if (end.missing() && family.end >= 0)
    usual.push_back(family.end);
  config.ends = readEnds(end, config.vocabulary, usual);
}

double DecoderReader::positive(JsonValue value, double missing) {
  double number = std::isnan(missing) ? value.number() : value.number(missing);
  if (!(number > 0))
    value.fail("is not a positive number");
  return number > 0 ? number : 1;
}

void DecoderReader::expectFlag(const char *name, bool usual) {
  if (root[name].flag(usual) != usual)
    root[name].fail(std::string("is ") + (usual ? "false" : "true") + ", which is not supported");
}

Result<DecoderConfig> DecoderConfig::read(const std::string &path) {
  std::error_code error;
  fs::path file = fs::is_directory(path, error) ? fs::path(path) / "config.json" : fs::path(path);
  std::optional<Failure> failure;
  DecoderConfig config;
  auto mapped = MappedFile::open(file.string());
  if (!mapped)
    return mapped.failure();
  auto root = parseJson(*mapped);
  if (!root)
    return root.failure();
  DecoderReader(JsonValue(*mapped, *root, failure), config).read();
  if (failure)
    return *failure;

  fs::path generation = file.parent_path() / "generation_config.json";
  if (!fs::exists(generation, error))
    return config;
  auto second = MappedFile::open(generation.string());
  if (!second)
    return second.failure();
  auto settings = parseJson(*second);
  if (!settings)
    return settings.failure();
  JsonValue value(*second, *settings, failure);
  value.keys(); // Fails unless it is an object.
  config.ends = DecoderReader::readEnds(value["eos_token_id"], config.vocabulary, config.ends);
  return failure ? Result<DecoderConfig>(*failure) : config;
}

Config DecoderConfig::keys() const {
  Config keys;
  auto rotaryKeys = [&](const std::string &prefix, const RotaryConfig &rotary) {
    keys.set(prefix + "theta", rotary.theta);
    keys.set(prefix + "type", rotary.type);
    keys.set(prefix + "factor", rotary.factor);
    keys.set(prefix + "low_freq_factor", rotary.lowFrequency);
    keys.set(prefix + "high_freq_factor", rotary.highFrequency);
    keys.set(prefix + "original_positions", rotary.originalPositions);
  };
  auto listKeys = [&](const std::string &name, const std::vector<int64_t> &values) {
    keys.set(name, static_cast<int64_t>(values.size()));
    for (size_t i = 0; i < values.size(); ++i)
      keys.set(name + "." + std::to_string(i), values[i]);
  };
  keys.set("model_type", modelType);
  keys.set("vocab_size", vocabulary);
  keys.set("hidden_size", hidden);
  keys.set("intermediate_size", inner);
  keys.set("num_hidden_layers", layers);
  keys.set("num_attention_heads", heads);
  keys.set("num_key_value_heads", keyHeads);
  keys.set("head_dim", headSize);
  keys.set("max_position_embeddings", positions);
  keys.set("rms_norm_eps", epsilon);
  keys.set("hidden_act", activation);
  keys.set("tie_word_embeddings", tied);
  keys.set("qkv_bias", qkvBias);
  keys.set("output_bias", outputBias);
  keys.set("mlp_bias", mlpBias);
  keys.set("head_norms", headNorms);
  keys.set("post_norms", postNorms);
  keys.set("norm_offset", normOffset);
  keys.set("embedding_scale", embeddingScale);
  keys.set("attention_scale", attentionScale);
  rotaryKeys("rope_", rotary);
  rotaryKeys("rope_local_", localRotary);
  listKeys("windows", windows);
  keys.set("bos_token_id", begin);
  listKeys("eos_token_ids", ends);
  return keys;
}
