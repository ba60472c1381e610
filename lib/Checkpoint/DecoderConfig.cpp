//===- DecoderConfig.cpp - config.json of decoders ------------------------===//
#include "lispier/Checkpoint/DecoderConfig.h"
#include "DecoderFamilies.h"
#include "JsonFile.h"
#include "lispier/Checkpoint/Quoted.h"
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

using namespace lispier;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {
constexpr int64_t kMost = 1 << 24; ///< Of sizes, so that products of two stay far from 2^63.
constexpr int64_t kMostLayers = 1 << 12;

/// Reads one model's configuration; errors stay with the file's values.
class DecoderReader {
public:
  DecoderReader(JsonValue root, const DecoderFamilies &known, DecoderConfig &config)
      : root(root), known(known), config(config) {}

  void read() {
    const DecoderFamily *family = readFamily();
    if (!family)
      return;
    checkFields(*family);
    readSizes(*family);
    readFlags(*family);
    readWindows(*family);
    readRotaries(*family);
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
  const DecoderFamily *readFamily();
  void checkFields(const DecoderFamily &family);
  void readSizes(const DecoderFamily &family);
  void readFlags(const DecoderFamily &family);
  void readWindows(const DecoderFamily &family);
  int64_t readWindow(const DecoderFamily &family);
  void readRotaries(const DecoderFamily &family);
  void readUnrotated(const DecoderFamily &family);
  std::vector<JsonValue> itemsByLayer(JsonValue list);
  int64_t readRotated(const DecoderFamily &family);
  std::vector<double> readDivisors(JsonValue list);
  RotaryConfig readRotaryFields(JsonValue fields, double theta);
  void readTokens(const DecoderFamily &family);
  double positive(JsonValue value, double missing);

  JsonValue root;
  const DecoderFamilies &known;
  DecoderConfig &config;
};
} // namespace

const DecoderFamily *DecoderReader::readFamily() {
  std::string type = root["model_type"].text(), types;
  for (const DecoderFamily &family : known.families) {
    if (type == family.type)
      return &family;
    types += (types.empty() ? "'" : ", '") + family.type + "'";
  }
  root["model_type"].fail("is " + inQuotes(type) + "; expected one of " + types);
  return nullptr;
}

void DecoderReader::checkFields(const DecoderFamily &family) {
  if (JsonValue architectures = root["architectures"]; !architectures.absent())
    for (JsonValue name : architectures.items())
      name.choice({family.architecture.c_str()});
  for (const NeutralField &each : known.neutral)
    if (!family.has(each.unless))
      root[each.field.c_str()].expectNeutral(each.value.c_str());
}

void DecoderReader::readSizes(const DecoderFamily &family) {
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
  config.epsilon = positive(root["rms_norm_eps"], family.epsilon);
  if (config.heads % config.keyHeads)
    keyHeads.fail("is " + std::to_string(config.keyHeads) + ", which does not divide the " +
                  std::to_string(config.heads) + " attention heads");
  if (config.headSize < 2 || config.headSize % 2)
    root["head_dim"].fail("is " + std::to_string(config.headSize) + "; expected an even number");
}

void DecoderReader::readFlags(const DecoderFamily &family) {
  JsonValue activation = root[family.activationField.c_str()];
  config.activation = family.activation;
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
  config.wideHeadNorms = family.wideHeadNorms;
  config.preNorms = !family.onlyPostNorms;
  config.postNorms = family.postNorms;
  config.normOffset = family.normOffset;
  config.embeddingScale = family.scaledEmbedding ? std::sqrt(double(config.hidden)) : 1;
  double scale =
      family.queryScalar ? positive(root["query_pre_attn_scalar"], family.queryScalar) : double(config.headSize);
  config.attentionScale = 1 / std::sqrt(scale);
  if (family.capped) {
    config.scoreCap = positive(root["attn_logit_softcapping"], family.scoreCap);
    config.logitCap = positive(root["final_logit_softcapping"], family.logitCap);
  }
}

/// The window of those layers that have one; 0: none.
int64_t DecoderReader::readWindow(const DecoderFamily &family) {
  JsonValue sliding = root["sliding_window"];
  if (family.unrotated) // Windows on some of the layers without a rotary embedding are not supported.
    root["use_sliding_window"].expectNeutral("false");
  if (family.windows == Windows::None)
    return 0;
  if (family.windows == Windows::Last && !root["use_sliding_window"].flag(false))
    return 0;
  return sliding.missing() ? family.window : sliding.integer(1, int64_t(1) << 40, 0);
}

void DecoderReader::readWindows(const DecoderFamily &family) {
  JsonValue kinds = root["layer_types"];
  int64_t window = readWindow(family), first = root["max_window_layers"].integer(0, kMost, family.firstWindow),
          period = family.period;
  if (family.givenPeriod) {
    JsonValue given = root["sliding_window_pattern"], older = root["_sliding_window_pattern"];
    period = (given.absent() ? older : given).integer(1, kMost, period);
  }
  for (int64_t layer = 0; layer < config.layers; ++layer) {
    bool seesAll = (family.windows == Windows::Last && layer < first) ||
                   (family.windows == Windows::Between && (layer + 1) % period == 0);
    config.windows.push_back(seesAll ? 0 : window);
  }
  if (kinds.absent())
    return;
  std::vector<JsonValue> items = itemsByLayer(kinds);
  for (size_t layer = 0; layer < items.size(); ++layer) {
    bool full = items[layer].choice({"sliding_attention", "full_attention"}) == 1;
    if (!full && window == 0)
      items[layer].fail("is 'sliding_attention', but there is no window");
    config.windows[layer] = full ? 0 : window;
  }
}

/// The items of a list that has one for each layer; none, and an error, if it has not.
std::vector<JsonValue> DecoderReader::itemsByLayer(JsonValue list) {
  std::vector<JsonValue> items = list.items();
  if (items.size() == size_t(config.layers))
    return items;
  list.fail("has " + std::to_string(items.size()) + " items; expected one for each of the " +
            std::to_string(config.layers) + " layers");
  return {};
}

RotaryConfig DecoderReader::readRotaryFields(JsonValue fields, double theta) {
  RotaryConfig rotary;
  rotary.theta = theta;
  if (fields.absent())
    return rotary;
  fields.allowKeys({"rope_type", "type", "rope_theta", "factor", "low_freq_factor", "high_freq_factor",
                    "original_max_position_embeddings", "partial_rotary_factor", "attention_factor", "beta_fast",
                    "beta_slow", "truncate", "mscale", "mscale_all_dim", "short_factor", "long_factor"});
  rotary.theta = positive(fields["rope_theta"], theta);
  JsonValue type = fields[fields["rope_type"].absent() ? "type" : "rope_type"];
  if (type.absent())
    return rotary;
  static constexpr const char *kinds[] = {"default", "dynamic", "linear", "llama3", "yarn", "longrope"};
  size_t kind = type.choice({kinds[0], kinds[1], kinds[2], kinds[3], kinds[4], kinds[5]});
  rotary.type = kinds[kind];
  if (rotary.type == "dynamic") // Changes where a text is longer than the model's positions, which is an error here.
    rotary.type = "default";
  if (rotary.type == "default")
    return rotary;
  constexpr double kRequired = std::numeric_limits<double>::quiet_NaN();
  const char *original = "original_max_position_embeddings"; // Where it is outside, that counts.
  rotary.originalPositions =
      (root[original].absent() ? fields : root)[original].integer(1, int64_t(1) << 40, config.positions);
  double ratio = double(config.positions) / double(rotary.originalPositions);
  rotary.factor = positive(fields["factor"], rotary.type == "longrope" ? ratio : kRequired);
  double growth = std::log(std::max(rotary.factor, 1.0));
  if (rotary.type == "llama3") {
    rotary.lowFrequency = positive(fields["low_freq_factor"], kRequired);
    rotary.highFrequency = positive(fields["high_freq_factor"], kRequired);
    if (rotary.highFrequency <= rotary.lowFrequency)
      fields["high_freq_factor"].fail("is not larger than low_freq_factor");
  } else if (rotary.type == "yarn") {
    rotary.fastTurns = positive(fields["beta_fast"], 32);
    rotary.slowTurns = positive(fields["beta_slow"], 1);
    // Both or none count, and 0 is none.
    double scale = fields["mscale"].number(0), scaleOfAll = fields["mscale_all_dim"].number(0);
    double usual =
        scale && scaleOfAll ? (0.1 * scale * growth + 1) / (0.1 * scaleOfAll * growth + 1) : 0.1 * growth + 1;
    rotary.magnitude = positive(fields["attention_factor"], usual);
    fields["truncate"].expectNeutral("true");
  } else if (rotary.type == "longrope") {
    rotary.shortDivisors = readDivisors(fields["short_factor"]);
    rotary.longDivisors = readDivisors(fields["long_factor"]);
    double usual =
        growth ? std::sqrt(1 + growth / std::log(double(std::max<int64_t>(2, rotary.originalPositions)))) : 1;
    rotary.magnitude = positive(fields["attention_factor"], usual);
    rotary.factor = 1; // Which only the magnitude follows from.
  }
  return rotary;
}

/// One number for each pair of channels.
std::vector<double> DecoderReader::readDivisors(JsonValue list) {
  std::vector<double> divisors;
  for (JsonValue item : list.items())
    divisors.push_back(positive(item, std::numeric_limits<double>::quiet_NaN()));
  if (int64_t(divisors.size()) != config.rotated / 2)
    list.fail("has " + std::to_string(divisors.size()) + " items; expected one for each of the " +
              std::to_string(config.rotated / 2) + " pairs of a head's channels");
  return divisors;
}

/// How many channels of a head are rotated, by the share of them.
int64_t DecoderReader::readRotated(const DecoderFamily &family) {
  JsonValue share = root["partial_rotary_factor"];
  for (const char *name : {"rope_parameters", "rope_scaling"})
    if (JsonValue inner = root[name]["partial_rotary_factor"]; share.absent() && !inner.absent())
      share = inner;
  if (!family.partial)
    share.expectNeutral("1");
  int64_t channels = static_cast<int64_t>(double(config.headSize) * std::clamp(share.number(1), 0.0, 2.0));
  if (channels >= 2 && channels <= config.headSize && channels % 2 == 0)
    return channels;
  share.fail("makes " + std::to_string(channels) + " of a head's " + std::to_string(config.headSize) +
             " channels rotate; expected an even number of them");
  return config.headSize;
}

void DecoderReader::readRotaries(const DecoderFamily &family) {
  config.rotated = readRotated(family);
  double theta = positive(root["rope_theta"], family.theta);
  JsonValue older = root["rope_scaling"], newer = root["rope_parameters"];
  if (family.twoRotaries) {
    if (!newer.absent())
      newer.allowKeys({"full_attention", "sliding_attention"});
    config.rotary = readRotaryFields(older.absent() ? newer["full_attention"] : older, theta);
    config.localRotary =
        readRotaryFields(newer["sliding_attention"],
                         family.localTheta ? positive(root["rope_local_base_freq"], family.localTheta) : theta);
    for (int64_t window : config.windows)
      config.local.push_back(window != 0);
    return;
  }
  config.rotary = config.localRotary = readRotaryFields(older.absent() ? newer : older, theta);
  config.local.assign(config.layers, 0);
  if (family.unrotated)
    readUnrotated(family);
}

/// Layers without a rotary embedding have one whose frequencies are 0.
void DecoderReader::readUnrotated(const DecoderFamily &family) {
  config.localRotary = {.theta = config.rotary.theta, .type = "none"};
  int64_t period = root["no_rope_layer_interval"].integer(1, kMost, family.period);
  for (int64_t layer = 0; layer < config.layers; ++layer)
    config.local[layer] = (layer + 1) % period == 0;
  if (JsonValue rotated = root["no_rope_layers"]; !rotated.absent()) {
    std::vector<JsonValue> items = itemsByLayer(rotated);
    for (size_t layer = 0; layer < items.size(); ++layer)
      config.local[layer] = items[layer].integer(0, 1) == 0;
  }
}

void DecoderReader::readTokens(const DecoderFamily &family) {
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

Result<DecoderConfig> DecoderConfig::read(const std::string &path, std::string_view table) {
  Result<DecoderFamilies> families = DecoderFamilies::parse(table);
  if (!families)
    return families.failure();
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
  DecoderReader(JsonValue(*mapped, *root, failure), *families, config).read();
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
  auto listKeys = [&](const std::string &name, const auto &values) {
    keys.set(name, static_cast<int64_t>(values.size()));
    for (size_t i = 0; i < values.size(); ++i)
      keys.set(name + "." + std::to_string(i), values[i]);
  };
  auto rotaryKeys = [&](const std::string &prefix, const RotaryConfig &rotary) {
    keys.set(prefix + "theta", rotary.theta);
    keys.set(prefix + "type", rotary.type);
    keys.set(prefix + "factor", rotary.factor);
    keys.set(prefix + "low_freq_factor", rotary.lowFrequency);
    keys.set(prefix + "high_freq_factor", rotary.highFrequency);
    keys.set(prefix + "original_positions", rotary.originalPositions);
    keys.set(prefix + "fast_turns", rotary.fastTurns);
    keys.set(prefix + "slow_turns", rotary.slowTurns);
    keys.set(prefix + "magnitude", rotary.magnitude);
    listKeys(prefix + "short_divisors", rotary.shortDivisors);
    listKeys(prefix + "long_divisors", rotary.longDivisors);
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
  keys.set("wide_head_norms", wideHeadNorms);
  keys.set("pre_norms", preNorms);
  keys.set("post_norms", postNorms);
  keys.set("norm_offset", normOffset);
  keys.set("embedding_scale", embeddingScale);
  keys.set("attention_scale", attentionScale);
  keys.set("score_cap", scoreCap);
  keys.set("logit_cap", logitCap);
  rotaryKeys("rope_", rotary);
  rotaryKeys("rope_local_", localRotary);
  keys.set("rotary_dim", rotated);
  listKeys("windows", windows);
  listKeys("local", local);
  bool plain = rotated == headSize && rotary.magnitude == 1 &&
               std::all_of(windows.begin(), windows.end(), [](int64_t n) { return n == 0; }) &&
               std::all_of(local.begin(), local.end(), [](int64_t flag) { return flag == 0; });
  keys.set("layers_differ", !plain);
  keys.set("bos_token_id", begin);
  listKeys("eos_token_ids", ends);
  return keys;
}
