//===- DecoderFamilies.h - the model types that a program knows -*- C++ -*-===//
//
// A program gives the table of its model types as text: of each the architecture, what
// is assumed where config.json says nothing, and what the type alone decides. Lines are
//
//     family TYPE ARCHITECTURE [FIELD=VALUE | TRAIT] ...
//     neutral FIELD JSON [TRAIT]
//
// FIELD is a field of config.json (kNumbers and kIntegers in the .cpp) or a quantity of a
// trait, such as period, or activation or activation-field; a line `neutral` is a field that would change the result
// and is not read, with the value that changes nothing; it does not hold for families that have the trait. A line that
// begins with a space goes on with the family. Empty lines and those that begin with # have no meaning.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_CHECKPOINT_DECODERFAMILIES_H
#define LISPIER_LIB_CHECKPOINT_DECODERFAMILIES_H

#include "lispier/Checkpoint/Result.h"
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lispier {
/// Which layers see the last tokens only.
enum class Windows {
  None,    ///< None, whatever the file says.
  All,     ///< All, if there is a sliding_window.
  Last,    ///< Those from max_window_layers on, if use_sliding_window.
  Between, ///< All but every `period`-th.
};

/// A model type. Without fields and traits it is like Llama.
struct DecoderFamily {
  std::string type, architecture;
  int64_t vocabulary = 32000, hidden = 4096, inner = 11008, layers = 32, heads = 32;
  int64_t keyHeads = 0; ///< 0: as many as heads.
  int64_t headSize = 0; ///< 0: hidden / heads.
  int64_t positions = 2048;
  double epsilon = 1e-6, theta = 10000;
  int64_t begin = 1, end = 2; ///< -1: none.
  bool tied = false;
  Windows windows = Windows::None;
  int64_t window = 0;       ///< 0: none.
  int64_t period = 0;       ///< Of layers that see all, or are not rotated.
  bool givenPeriod = false; ///< It may be sliding_window_pattern in the file.
  int64_t firstWindow = 0;  ///< For Windows::Last.
  bool qkvBias = false, headNorms = false;
  std::string activation = "silu", activationField = "hidden_act"; ///< Of the MLP; the field may say the same.
  int64_t normOffset = 0;                                          ///< Added to the weights of norms.
  bool scaledEmbedding = false;                                    ///< By the root of hidden_size.
  double queryScalar = 0;   ///< In place of head_dim for the scale of scores; 0: none.
  bool twoRotaries = false; ///< Layers with a window have a rotary embedding of their own.
  double localTheta = 0;    ///< Its; 0: that of the other.
  bool unrotated = false;   ///< Every `period`-th layer has no rotary embedding.
  bool capped = false;      ///< Scores and logits are bounded by a tanh, at these values.
  double scoreCap = 0, logitCap = 0;
  bool partial = false; ///< The rotary embedding may be of some channels only.
  bool postNorms = false;
  bool onlyPostNorms = false; ///< These, and no norms before attention and MLP.
  bool wideHeadNorms = false;

  /// Whether it has the trait of that name.
  bool has(std::string_view trait) const;
};

/// A field of config.json that no reader looks at, with the value, as JSON, that changes nothing.
struct NeutralField {
  std::string field, value;
  std::string unless; ///< A trait; empty: none.
};

struct DecoderFamilies {
  std::vector<DecoderFamily> families;
  std::vector<NeutralField> neutral;

  static Result<DecoderFamilies> parse(std::string_view table);
};
} // namespace lispier
#endif
