//===- DecoderFamilies.cpp - read a table of model types ------------------===//
#include "DecoderFamilies.h"
#include "lispier/Checkpoint/Quoted.h"
#include <algorithm>
#include <charconv>
#include <optional>

using namespace lispier;

namespace {
template <typename T> struct FamilyField {
  std::string_view name;
  T DecoderFamily::*member;
};
constexpr FamilyField<int64_t> kIntegers[] = {
    {"vocab_size", &DecoderFamily::vocabulary},     {"hidden_size", &DecoderFamily::hidden},
    {"intermediate_size", &DecoderFamily::inner},   {"num_hidden_layers", &DecoderFamily::layers},
    {"num_attention_heads", &DecoderFamily::heads}, {"num_key_value_heads", &DecoderFamily::keyHeads},
    {"head_dim", &DecoderFamily::headSize},         {"max_position_embeddings", &DecoderFamily::positions},
    {"bos_token_id", &DecoderFamily::begin},        {"eos_token_id", &DecoderFamily::end},
    {"sliding_window", &DecoderFamily::window},     {"period", &DecoderFamily::period},
    {"norm-offset", &DecoderFamily::normOffset},    {"max_window_layers", &DecoderFamily::firstWindow},
};
constexpr FamilyField<double> kNumbers[] = {
    {"rms_norm_eps", &DecoderFamily::epsilon},
    {"rope_theta", &DecoderFamily::theta},
    {"rope_local_base_freq", &DecoderFamily::localTheta},
    {"query_pre_attn_scalar", &DecoderFamily::queryScalar},
    {"attn_logit_softcapping", &DecoderFamily::scoreCap},
    {"final_logit_softcapping", &DecoderFamily::logitCap},
};
constexpr FamilyField<std::string> kTexts[] = {{"activation", &DecoderFamily::activation},
                                               {"activation-field", &DecoderFamily::activationField}};
constexpr FamilyField<bool> kTraits[] = {
    {"tied", &DecoderFamily::tied},
    {"qkv-bias", &DecoderFamily::qkvBias},
    {"head-norms", &DecoderFamily::headNorms},
    {"scaled-embedding", &DecoderFamily::scaledEmbedding},
    {"given-period", &DecoderFamily::givenPeriod},
    {"two-rotaries", &DecoderFamily::twoRotaries},
    {"unrotated", &DecoderFamily::unrotated},
    {"capped", &DecoderFamily::capped},
    {"partial", &DecoderFamily::partial},
    {"post-norms", &DecoderFamily::postNorms},
    {"only-post-norms", &DecoderFamily::onlyPostNorms},
    {"wide-head-norms", &DecoderFamily::wideHeadNorms},
};
constexpr std::pair<std::string_view, Windows> kWindows[] = {
    {"windows-all", Windows::All}, {"windows-last", Windows::Last}, {"windows-between", Windows::Between}};

template <typename Table> auto findRow(const Table &table, std::string_view name) {
  return std::find_if(std::begin(table), std::end(table), [&](const auto &row) { return row.name == name; });
}

/// Takes the next word of a line; empty at its end.
std::string_view takeFamilyWord(std::string_view &line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  std::string_view word = line.substr(0, std::min(line.find_first_of(" \t"), line.size()));
  line.remove_prefix(word.size());
  return word;
}

template <typename T> bool setNumber(T &number, std::string_view text) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

/// Whether the family has what the word says.
bool setWord(DecoderFamily &family, std::string_view word) {
  if (auto *trait = findRow(kTraits, word); trait != std::end(kTraits)) {
    family.*trait->member = true;
    return true;
  }
  for (auto [name, windows] : kWindows)
    if (word == name) {
      family.windows = windows;
      return true;
    }
  size_t equals = word.find('=');
  if (equals == std::string_view::npos)
    return false;
  std::string_view name = word.substr(0, equals), value = word.substr(equals + 1);
  if (auto *field = findRow(kIntegers, name); field != std::end(kIntegers))
    return setNumber(family.*field->member, value);
  if (auto *field = findRow(kTexts, name); field != std::end(kTexts)) {
    family.*field->member = value;
    return !value.empty();
  }
  auto *field = findRow(kNumbers, name);
  return field != std::end(kNumbers) && setNumber(family.*field->member, value);
}

/// Returns the word that is wrong.
std::optional<std::string_view> readWords(std::string_view line, DecoderFamily &family) {
  for (std::string_view word = takeFamilyWord(line); !word.empty(); word = takeFamilyWord(line))
    if (!setWord(family, word))
      return word;
  return std::nullopt;
}

/// Reads one line, and returns the word that is wrong.
std::optional<std::string_view> readLine(std::string_view line, DecoderFamilies &all) {
  if (line.starts_with(' ') && !all.families.empty())
    return readWords(line, all.families.back());
  std::string_view kind = takeFamilyWord(line);
  if (kind.empty() || kind.starts_with('#'))
    return std::nullopt;
  if (kind == "neutral") {
    std::string_view field = takeFamilyWord(line), value = takeFamilyWord(line), unless = takeFamilyWord(line);
    if (value.empty() || (!unless.empty() && findRow(kTraits, unless) == std::end(kTraits)))
      return value.empty() ? field : unless;
    all.neutral.push_back({std::string(field), std::string(value), std::string(unless)});
    return std::nullopt;
  }
  if (kind != "family")
    return kind;
  DecoderFamily &family = all.families.emplace_back();
  family.type = takeFamilyWord(line);
  family.architecture = takeFamilyWord(line);
  return family.architecture.empty() ? std::optional(kind) : readWords(line, family);
}
} // namespace

bool DecoderFamily::has(std::string_view trait) const {
  auto *row = findRow(kTraits, trait);
  return row != std::end(kTraits) && this->*row->member;
}

Result<DecoderFamilies> DecoderFamilies::parse(std::string_view table) {
  DecoderFamilies all;
  for (size_t number = 1; !table.empty(); ++number) {
    std::string_view line = table.substr(0, std::min(table.find('\n'), table.size()));
    table.remove_prefix(std::min(line.size() + 1, table.size()));
    if (std::optional<std::string_view> wrong = readLine(line, all))
      return Failure{"the table of model types, line " + std::to_string(number) + ": " + inQuotes(std::string(*wrong)) +
                     " is neither a field with a number nor a trait"};
  }
  if (all.families.empty())
    return Failure{"the table of model types has no family"};
  return all;
}
