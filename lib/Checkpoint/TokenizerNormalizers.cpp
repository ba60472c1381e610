//===- TokenizerNormalizers.cpp - what tokenizer.json normalizes by -------===//
#include "CharacterSets.h"
#include "TokenizerReader.h"
#include "lispier/Checkpoint/CharacterMap.h"
#include <algorithm>

using namespace lispier;

namespace {
/// Steps one after the other may make text so many times as long, at most: published tokenizers stay below 200 (ALBERT:
/// NFKD, lower case, and a SentencePiece map).
constexpr double kMostGrowth = 256;
/// Bytes of an affix, such as of `Prepend`.
constexpr size_t kMostPrefix = 64;

std::shared_ptr<const Pattern> patternOf(const std::string &set) {
  auto pattern = Pattern::compile(set);
  return pattern ? std::make_shared<const Pattern>(std::move(*pattern)) : nullptr;
}

/// Replaces the characters of a set.
Replacement replacing(const std::string &set, std::string to) { return {"", std::move(to), patternOf(set)}; }
} // namespace

double TokenizerReader::growthOf(const Replacement &replacement) {
  size_t least = replacement.pattern ? 1 : std::max<size_t>(1, replacement.from.size()); // Of what is replaced.
  return std::max(1.0, double(replacement.to.size()) / double(least));
}

void TokenizerReader::checkGrowth(JsonValue step, double factor, double &growth) {
  growth *= factor;
  if (growth > kMostGrowth)
    step.fail("and the steps before it could make text " + std::to_string(int64_t(growth)) +
              " times as long; expected at most " + std::to_string(int64_t(kMostGrowth)) + " times");
}

Replacement TokenizerReader::readReplacement(JsonValue step) {
  step.allowKeys({"type", "pattern", "content"});
  JsonValue pattern = step["pattern"];
  pattern.allowKeys({"String", "Regex"});
  Replacement replacement{"", step["content"].text(), nullptr};
  if (pattern["Regex"].absent()) {
    replacement.from = pattern["String"].text();
    if (replacement.from.empty())
      pattern.fail("is empty");
    return replacement;
  }
  auto compiled = Pattern::compile(pattern["Regex"].text());
  if (!compiled)
    pattern.fail("cannot be used: " + compiled.failure().message);
  else if (compiled->matchesNothing())
    pattern.fail("matches a text without characters, which is not supported");
  else
    replacement.pattern = std::make_shared<const Pattern>(std::move(*compiled));
  return replacement;
}

void TokenizerReader::addNormalizer(JsonValue step, Normalizer::Step added, double factor) {
  checkGrowth(step, factor, growth);
  tokenizer.normalizer.add(std::move(added));
}

/// Texts without control characters, with spaces around ideographs, without accents and in lower case: what BERT does.
void TokenizerReader::readBertNormalizer(JsonValue step) {
  step.allowKeys({"type", "clean_text", "handle_chinese_chars", "strip_accents", "lowercase"});
  bool lowers = step["lowercase"].flag();
  if (step["clean_text"].flag()) {
    addNormalizer(step, replacing(CharacterSets::control(), ""), 1);
    addNormalizer(step, replacing(CharacterSets::kSpace, " "), 1);
  }
  if (step["handle_chinese_chars"].flag())
    addNormalizer(step, Normalizer::Spaced{patternOf(CharacterSets::kIdeographs)}, 5.0 / 3);
  if (step["strip_accents"].flag(lowers)) {
    addNormalizer(step, UnicodeForm::D, 3);
    addNormalizer(step, replacing(CharacterSets::accents(), ""), 1);
  }
  if (lowers)
    addNormalizer(step, Normalizer::Lowercase(), 1.5);
}

void TokenizerReader::readNormalizerStep(JsonValue step) {
  enum Kind { NFC, NFD, NFKC, NFKD, Lowercase, StripAccents, Nmt, Strip, Prepend, Replace, Precompiled, Bert };
  auto kind = static_cast<Kind>(step["type"].choice({"NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Nmt",
                                                     "Strip", "Prepend", "Replace", "Precompiled", "BertNormalizer"}));
  if (kind <= Nmt)
    step.allowKeys({"type"});
  switch (kind) {
  case NFC:
    return addNormalizer(step, UnicodeForm::C, 3);
  case NFD:
    return addNormalizer(step, UnicodeForm::D, 3);
  case NFKC:
    return addNormalizer(step, UnicodeForm::KC, 11);
  case NFKD:
    return addNormalizer(step, UnicodeForm::KD, 11);
  case Lowercase:
    return addNormalizer(step, Normalizer::Lowercase(), 1.5);
  case StripAccents:
    return addNormalizer(step, replacing(CharacterSets::marks(), ""), 1);
  case Nmt:
    addNormalizer(step, replacing(CharacterSets::kNmtControl, ""), 1);
    return addNormalizer(step, replacing(CharacterSets::kNmtSpace, " "), 1);
  case Strip:
    step.allowKeys({"type", "strip_left", "strip_right"});
    return addNormalizer(step, Normalizer::Strip{step["strip_left"].flag(), step["strip_right"].flag()}, 1);
  case Prepend: {
    step.allowKeys({"type", "prepend"});
    std::string prefix = step["prepend"].text();
    if (prefix.size() > kMostPrefix)
      step["prepend"].fail("has " + std::to_string(prefix.size()) + " bytes; expected at most " +
                           std::to_string(kMostPrefix));
    double factor = prefix.size() > 8 ? double(prefix.size()) : 1;
    return addNormalizer(step, Normalizer::Prepend{std::move(prefix)}, factor);
  }
  case Replace: {
    Replacement replacement = readReplacement(step);
    double factor = growthOf(replacement);
    return addNormalizer(step, std::move(replacement), factor);
  }
  case Precompiled: {
    step.allowKeys({"type", "precompiled_charsmap"});
    auto map = CharacterMap::read(step["precompiled_charsmap"].text());
    if (!map)
      return step["precompiled_charsmap"].fail(map.failure().message);
    double factor = map->growth();
    return addNormalizer(step, std::make_shared<const CharacterMap>(std::move(*map)), factor);
  }
  case Bert:
    return readBertNormalizer(step);
  }
}

void TokenizerReader::readNormalizer(JsonValue value) {
  for (JsonValue step : steps(value, "normalizers"))
    readNormalizerStep(step);
}
