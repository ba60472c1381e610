//===- DecoderConfig.h - config.json of decoders ---------------*- C++ -*-===//
//
// Decoder-only transformers that differ from Llama in a few numbers and flags. Which
// there are, with the defaults of each, a program says in a table (families.lisp of
// examples/llama). Reads config.json in both spellings that are in use (torch_dtype,
// rope_theta, rope_scaling; dtype, rope_parameters, layer_types).
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_CHECKPOINT_DECODERCONFIG_H
#define LISPIER_CHECKPOINT_DECODERCONFIG_H

#include "lispier/Checkpoint/Config.h"
#include <string_view>
#include <vector>

namespace lispier {
/// Rotary embedding of pairs (i, i + n / 2) of the first n = `rotated` channels: frequency theta^(-2i / n), then scaled
/// by `type`.
struct RotaryConfig {
  double theta = 10000;
  /// Or "linear": frequencies divided by `factor`; "llama3": see `lowFrequency`; "yarn": see `fastTurns`;
  /// "longrope": see `shortDivisors`; or "none": all frequencies are 0.
  std::string type = "default";
  double factor = 1;
  /// llama3: with n = originalPositions, frequencies whose wavelengths are above n / lowFrequency are divided by
  /// `factor`, those of wavelengths below n / highFrequency are kept, those between are interpolated.
  double lowFrequency = 0, highFrequency = 0;
  int64_t originalPositions = 0;
  /// yarn: the frequencies of pairs that turn at least `fastTurns` times in originalPositions are kept, those of pairs
  /// that turn at most `slowTurns` times are divided by `factor`, those between are interpolated by the pair's index.
  double fastTurns = 0, slowTurns = 0;
  /// longrope: what the frequency of each pair is divided by, in texts of up to originalPositions and in longer ones.
  std::vector<double> shortDivisors = {}, longDivisors = {};
  double magnitude = 1; ///< yarn, longrope: what sine and cosine are multiplied by.
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
  int64_t rotated;                   ///< rotary_dim: how many channels of a head are rotated, even.
  int64_t positions;                 ///< max_position_embeddings
  double epsilon;                    ///< rms_norm_eps
  std::string activation;            ///< hidden_act: silu or gelu_pytorch_tanh, of the MLP's gate.
  bool tied;                         ///< tie_word_embeddings: the output matrix is the embedding.
  bool qkvBias, outputBias, mlpBias; ///< qkv_bias, output_bias (of attention), mlp_bias
  bool headNorms;                    ///< head_norms: RMS norms of q and k before the rotary embedding.
  bool wideHeadNorms;                ///< wide_head_norms: these are one norm of all heads of a token.
  bool preNorms;                     ///< pre_norms: norms before attention and MLP.
  bool postNorms;                    ///< post_norms: norms of the results of attention and MLP.
  double normOffset;                 ///< norm_offset: norms multiply by offset + weight.
  double embeddingScale;             ///< embedding_scale
  double attentionScale;             ///< attention_scale: of q.k
  double scoreCap = 0, logitCap = 0; ///< score_cap, logit_cap: x becomes cap * tanh(x / cap); 0: it does not.
  /// rope_theta, rope_type, rope_factor, rope_low_freq_factor, rope_high_freq_factor, rope_original_positions,
  /// rope_fast_turns, rope_slow_turns, rope_short_divisors.N, rope_long_divisors.N, rope_magnitude; of the layers of
  /// `local`: rope_local_theta, rope_local_type ...
  RotaryConfig rotary, localRotary;
  std::vector<int64_t> windows; ///< windows.N: layer N sees keys i - window < j <= i; 0: all j <= i.
  std::vector<int64_t> local;   ///< local.N: 1 if layer N has `localRotary`, else 0.
  int64_t begin = -1;           ///< bos_token_id; -1: none.
  std::vector<int64_t> ends;    ///< eos_token_ids and their number, eos_token_ids.N: each ends a text.

  /// Reads config.json, and generation_config.json beside it if it exists, for the tokens that end a text. `path`: the
  /// file or its directory; `families`: the table of model types
  /// (lib/Checkpoint/DecoderFamilies.h). Fails for a value that is not supported, of a field that is read or that would
  /// change the result, with its name; fields without effect are not looked at.
  static Result<DecoderConfig> read(const std::string &path, std::string_view families);

  /// The values by name, for programs; and layers_differ: whether some layer has a window or `localRotary`, or a
  /// rotary embedding a magnitude or channels that it leaves.
  Config keys() const;
};
} // namespace lispier
#endif
