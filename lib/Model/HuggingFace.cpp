//===- HuggingFace.cpp - GPT-2 as model.safetensors and config.json --------===//
//
// Names are those of GPT2LMHeadModel (`transformer.h.0...`) or GPT2Model
// (`h.0...`); projections are stored (in, out), so they are transposed. The
// causal masks of older files (attn.bias, attn.masked_bias) are no weights.
//
//===----------------------------------------------------------------------===//
#include "lispier/Model/Checkpoint.h"
#include "lispier/Model/Safetensors.h"
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

using namespace lispier;
using nlohmann::json;
using Entries = std::map<std::string, TensorEntry>;

namespace {
struct NamedTensor {
  lispier_tensor kind;
  const char *name; ///< Within `h.N.` for a tensor of a layer.
  bool transposed = false;
};
constexpr NamedTensor kTensors[] = {{LISPIER_TOKEN_EMBEDDING, "wte.weight"},
                                    {LISPIER_POSITION_EMBEDDING, "wpe.weight"},
                                    {LISPIER_NORM1_WEIGHT, "ln_1.weight"},
                                    {LISPIER_NORM1_BIAS, "ln_1.bias"},
                                    {LISPIER_QKV_WEIGHT, "attn.c_attn.weight", true},
                                    {LISPIER_QKV_BIAS, "attn.c_attn.bias"},
                                    {LISPIER_ATTENTION_WEIGHT, "attn.c_proj.weight", true},
                                    {LISPIER_ATTENTION_BIAS, "attn.c_proj.bias"},
                                    {LISPIER_NORM2_WEIGHT, "ln_2.weight"},
                                    {LISPIER_NORM2_BIAS, "ln_2.bias"},
                                    {LISPIER_EXPAND_WEIGHT, "mlp.c_fc.weight", true},
                                    {LISPIER_EXPAND_BIAS, "mlp.c_fc.bias"},
                                    {LISPIER_CONTRACT_WEIGHT, "mlp.c_proj.weight", true},
                                    {LISPIER_CONTRACT_BIAS, "mlp.c_proj.bias"},
                                    {LISPIER_FINAL_NORM_WEIGHT, "ln_f.weight"},
                                    {LISPIER_FINAL_NORM_BIAS, "ln_f.bias"},
                                    {LISPIER_OUTPUT_WEIGHT, "lm_head.weight"}};

/// The same entries without the `transformer.` prefix.
Result<Entries> withoutPrefix(const MappedFile &file, Entries entries) {
  constexpr std::string_view prefix = "transformer.";
  Entries plain;
  for (auto &[name, entry] : entries) {
    std::string bare = name.starts_with(prefix) ? name.substr(prefix.size()) : name;
    if (!plain.emplace(bare, std::move(entry)).second)
      return file.fail("holds tensor '" + bare + "' both with and without the prefix 'transformer.'");
  }
  return plain;
}

/// One more than the largest N of the names `h.N.*`.
int64_t countLayers(const Entries &entries) {
  int64_t layers = 0;
  for (auto &[name, entry] : entries) {
    if (!name.starts_with("h."))
      continue;
    int64_t layer = 0;
    auto [end, error] = std::from_chars(name.data() + 2, name.data() + name.size(), layer);
    if (error == std::errc() && *end == '.' && layer >= 0 && layer < INT32_MAX)
      layers = std::max(layers, layer + 1);
  }
  return layers;
}

/// What config.json says; a missing key leaves the value as it was.
class Config {
public:
  static Result<Config> read(const std::string &path) {
    auto file = MappedFile::open(path);
    if (!file)
      return file.failure();
    Config config;
    config.path = path;
    config.content = json::parse(file->text(), nullptr, /*allow_exceptions=*/false);
    if (!config.content.is_object())
      return file->fail("is not a JSON object");
    return config;
  }

  Result<Done> integer(const char *key, int64_t &value) const {
    auto found = content.find(key);
    if (found == content.end() || found->is_null())
      return Done();
    if (!found->is_number_integer() || found->get<int64_t>() < 0)
      return Failure{path + ": '" + key + "' is not a non-negative integer"};
    value = found->get<int64_t>();
    return Done();
  }

  Result<Done> number(const char *key, float &value) const {
    auto found = content.find(key);
    if (found == content.end())
      return Done();
    if (!found->is_number() || !(found->get<double>() > 0) || !std::isfinite(found->get<float>()))
      return Failure{path + ": '" + key + "' is not a positive number"};
    value = found->get<float>();
    return Done();
  }

  /// What would make the same weights compute something else than GPT-2.
  Result<Done> checkMeaning(int64_t channels) const {
    std::string activation = "gelu_new";
    if (auto found = content.find("activation_function"); found != content.end() && found->is_string())
      activation = found->get<std::string>();
    if (activation != "gelu_new" && activation != "gelu_pytorch_tanh")
      return Failure{path + ": activation_function is '" + activation + "'; GPT-2's is 'gelu_new'"};
    for (auto [key, usual] : {std::pair("scale_attn_weights", true),
                              {"scale_attn_by_inverse_layer_idx", false},
                              {"add_cross_attention", false}})
      if (auto found = content.find(key); found != content.end() && found->is_boolean() && found->get<bool>() != usual)
        return Failure{path + ": '" + key + "' is " + (usual ? "false" : "true") + ", which is not supported"};
    int64_t inner = 4 * channels;
    if (auto read = integer("n_inner", inner); !read)
      return read;
    if (inner != 4 * channels)
      return Failure{path + ": n_inner is " + std::to_string(inner) + "; 4 * n_embd = " + std::to_string(4 * channels) +
                     " is supported"};
    return Done();
  }

  std::string path;

private:
  json content;
};

/// Checks what config.json says against the tensors, and takes from it what the tensors cannot tell.
Result<Done> applyConfig(const Config &config, Gpt2Shape &shape) {
  Gpt2Shape said = shape;
  said.endOfText = -1;
  struct Key {
    const char *name;
    int64_t &value;
  } keys[] = {{"n_layer", said.layers},        {"n_head", said.heads},          {"n_embd", said.channels},
              {"n_positions", said.positions}, {"vocab_size", said.vocabulary}, {"eos_token_id", said.endOfText}};
  for (Key &key : keys)
    if (auto read = config.integer(key.name, key.value); !read)
      return read;
  struct Pair {
    const char *name;
    int64_t said, held;
  } pairs[] = {{"n_layer", said.layers, shape.layers},
               {"n_embd", said.channels, shape.channels},
               {"n_positions", said.positions, shape.positions}};
  for (const Pair &pair : pairs)
    if (pair.said != pair.held)
      return Failure{config.path + ": " + pair.name + " is " + std::to_string(pair.said) + ", but the weights have " +
                     std::to_string(pair.held)};
  shape.heads = said.heads;
  shape.vocabulary = said.vocabulary;
  shape.endOfText = said.endOfText >= 0 && said.endOfText < said.vocabulary ? said.endOfText : said.vocabulary - 1;
  if (auto read = config.number("layer_norm_epsilon", shape.epsilon); !read)
    return read;
  return config.checkMeaning(shape.channels);
}

/// The sizes, from the tensors' own shapes and config.json beside the file.
Result<Gpt2Shape> findShape(const MappedFile &file, const Entries &entries) {
  auto matrix = [&](const char *name) -> Result<const TensorEntry *> {
    auto found = entries.find(name);
    if (found == entries.end())
      return file.fail(std::string("has no tensor '") + name + "'; is this a GPT-2?");
    if (found->second.shape.size() != 2 || found->second.shape[0] > INT32_MAX || found->second.shape[1] > INT32_MAX)
      return file.fail(std::string("tensor '") + name + "' has not the two dimensions of an embedding");
    return &found->second;
  };
  auto tokens = matrix("wte.weight"), positions = matrix("wpe.weight");
  if (!tokens)
    return tokens.failure();
  if (!positions)
    return positions.failure();
  Gpt2Shape shape;
  shape.paddedVocabulary = shape.vocabulary = static_cast<int64_t>((*tokens)->shape[0]);
  shape.channels = static_cast<int64_t>((*tokens)->shape[1]);
  shape.positions = static_cast<int64_t>((*positions)->shape[0]);
  shape.layers = countLayers(entries);
  shape.heads = shape.channels / 64; // all of OpenAI's have heads of 64
  shape.endOfText = shape.vocabulary - 1;
  std::string configPath = (std::filesystem::path(file.path()).parent_path() / "config.json").string();
  std::error_code error;
  if (std::filesystem::exists(configPath, error)) {
    auto config = Config::read(configPath);
    if (!config)
      return config.failure();
    if (auto applied = applyConfig(*config, shape); !applied)
      return applied.failure();
  } else if (shape.channels % 64 != 0) {
    return file.fail("has " + std::to_string(shape.channels) +
                     " channels, not a multiple of 64, and no config.json beside it tells the number of heads");
  }
  if (auto checked = checkShape(file, shape); !checked)
    return checked.failure();
  return shape;
}

/// Finds one tensor and checks its type and shape.
Result<const TensorEntry *> findTensor(const MappedFile &file, const Entries &entries, const std::string &name,
                                       TensorShape shape, bool transposed, bool vector) {
  auto found = entries.find(name);
  if (found == entries.end())
    return file.fail("has no tensor '" + name + "'");
  const TensorEntry &entry = found->second;
  if (entry.dtype != "F32" && entry.dtype != "F16" && entry.dtype != "BF16")
    return file.fail("tensor '" + name + "' is stored as " + entry.dtype + "; F32, F16 and BF16 can be read");
  std::vector<uint64_t> expected;
  if (vector)
    expected = {uint64_t(shape.columns)};
  else if (transposed)
    expected = {uint64_t(shape.columns), uint64_t(shape.rows)};
  else
    expected = {uint64_t(shape.rows), uint64_t(shape.columns)};
  if (entry.shape != expected) {
    auto text = [](const std::vector<uint64_t> &sizes) {
      std::string list;
      for (uint64_t size : sizes)
        list += (list.empty() ? "" : ", ") + std::to_string(size);
      return "[" + list + "]";
    };
    return file.fail("tensor '" + name + "' has shape " + text(entry.shape) + ", expected " + text(expected));
  }
  return &entry;
}

/// The output weight counts as the model's own only when its numbers differ from the token embedding's.
bool hasOwnOutput(const Entries &entries) {
  auto head = entries.find("lm_head.weight");
  if (head == entries.end())
    return false;
  const TensorEntry &own = head->second, &tied = entries.at("wte.weight");
  return own.dtype != tied.dtype || own.shape != tied.shape || own.bytes != tied.bytes ||
         std::memcmp(own.data, tied.data, own.bytes) != 0;
}
} // namespace

Result<Checkpoint> lispier::readHuggingFace(const MappedFile &file) {
  auto raw = readSafetensors(file);
  if (!raw)
    return raw.failure();
  auto entries = withoutPrefix(file, std::move(*raw));
  if (!entries)
    return entries.failure();
  auto shape = findShape(file, *entries);
  if (!shape)
    return shape.failure();

  // Everything is checked before the block is asked for.
  bool ownOutput = hasOwnOutput(*entries);
  struct Found {
    const NamedTensor *tensor;
    int64_t layer;
    const TensorEntry *entry;
  };
  std::vector<Found> found;
  for (const NamedTensor &tensor : kTensors) {
    if (tensor.kind == LISPIER_OUTPUT_WEIGHT && !ownOutput)
      continue;
    TensorShape expected = tensorShape(*shape, tensor.kind);
    bool layered = isPerLayer(tensor.kind);
    bool vector = std::strstr(tensor.name, ".bias") || std::strstr(tensor.name, "ln_");
    for (int64_t layer = 0; layer < (layered ? shape->layers : 1); ++layer) {
      std::string name = (layered ? "h." + std::to_string(layer) + "." : std::string()) + tensor.name;
      auto entry = findTensor(file, *entries, name, expected, tensor.transposed, vector);
      if (!entry)
        return entry.failure();
      found.push_back({&tensor, layer, *entry});
    }
  }

  auto checkpoint = Checkpoint::allocate(file, *shape, ownOutput);
  if (!checkpoint)
    return checkpoint;
  for (const Found &item : found) {
    Storage storage = item.entry->dtype == "F32"   ? Storage::F32
                      : item.entry->dtype == "F16" ? Storage::F16
                                                   : Storage::BF16;
    checkpoint->fill(item.tensor->kind, item.layer, item.entry->data, storage, item.tensor->transposed);
  }
  return checkpoint;
}
