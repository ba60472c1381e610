//===- DecoderConfig.h - config.json of Llama's family ---------*- C++ -*-===//
//
// Decoder-only transformers that differ in a few numbers and flags: Llama, Mistral,
// Qwen 2 and 3, Gemma 3 (text). Reads config.json in both spellings that are in use
// (torch_dtype, rope_theta, rope_scaling; dtype, rope_parameters, layer_types), with
// the defaults that transformers has for each model_type.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_CHECKPOINT_DECODERCONFIG_H
#define LISPIER_CHECKPOINT_DECODERCONFIG_H

#include "lispier/Checkpoint/Config.h"
#include <vector>

namespace lispier {
/// Rotary embedding of pairs (i, i + headSize / 2): frequency theta^(-2i / headSize), then scaled by `type`.
struct RotaryConfig {
  double theta = 10000;
  std::string type = "default"; ///< Or "linear": frequencies divided by `factor`; or "llama3": see `lowFrequency`.
  double factor = 1;
  /// llama3: with n = originalPositions, frequencies whose wavelengths are above n / lowFrequency are divided by
  /// `factor`, those of wavelengths below n / highFrequency are kept, those between are interpolated.
  double lowFrequency = 0, highFrequency = 0;
  int64_t originalPositions = 0;
};

/// All numbers of a model, complete and checked. Comments give the name of the key in `keys()` where it differs.
struct DecoderConfig {
  std::string modelType;
  int64_t vocabulary;                ///< vocab_size, rows of the embedding.
  int64_t hidden;                    ///< hidden_size
  int64_t inner;                     ///< intermediate_size
  int64_t layers;                    ///< num_hidden_layers
  int64_t heads;                     ///< num_attention_heads
  int64_t keyHeads;                  ///< num_key_value_heads; divides `heads`.
  int64_t headSize;                  ///< head_dim, even; heads * headSize need not be `hidden`.
  int64_t positions;                 ///< max_position_embeddings
  double epsilon;                    ///< rms_norm_eps
  std::string activation;            ///< hidden_act: silu or gelu_pytorch_tanh, of the MLP's gate.
  bool tied;                         ///< tie_word_embeddings: the output matrix is the embedding.
  bool qkvBias, outputBias, mlpBias; ///< qkv_bias, output_bias (of attention), mlp_bias
  bool headNorms;                    ///< head_norms: RMS norms of q and k before the rotary embedding.
  bool postNorms;                    ///< post_norms: norms of the results of attention and MLP, too (four a layer).
  double normOffset;                 ///< norm_offset: norms multiply by offset + weight.
  double embeddingScale;             ///< embedding_scale
  double attentionScale;             ///< attention_scale: of q.k
  /// rope_theta, rope_type, rope_factor, rope_low_freq_factor, rope_high_freq_factor, rope_original_positions; of the
  /// layers with a window: rope_local_theta, rope_local_type ...
  RotaryConfig rotary, localRotary;
  std::vector<int64_t> windows; ///< windows.N: layer N sees keys i - window < j <= i; 0: all j <= i.
  int64_t begin = -1;           ///< bos_token_id; -1: none.
  std::vector<int64_t> ends;    ///< eos_token_ids and their number, eos_token_ids.N: each ends a text.

  /// Reads config.json, and generation_config.json beside it if it exists, for the tokens that end a text. `path`: the
  /// file or its directory. Fails for a field that is not known to have no effect, and for a value that is not
  /// supported, with its name.
  static Result<DecoderConfig> read(const std::string &path);

  /// The values by name, for programs.
  Config keys() const;
};
} // namespace lispier
#endif
