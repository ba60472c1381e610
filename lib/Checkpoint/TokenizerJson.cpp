//===- TokenizerJson.cpp - Hugging Face's tokenizer.json ------------------===//
//
// Reads the components of a tokenizer as the library `tokenizers` writes them. A
// component or field whose effect is not supported is an error: the ids would
// silently be others.
//
//===----------------------------------------------------------------------===//
#include "ByteAlphabet.h"
#include "JsonFile.h"
#include "lispier/Checkpoint/Quoted.h"
#include "lispier/Checkpoint/Tokenizer.h"
#include <algorithm>

using namespace lispier;
using nlohmann::json;

namespace {
constexpr const char *kGpt2Pattern = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
/// A file may leave ids unused, but the table of tokens must stay in proportion to the file.
constexpr int64_t kMostUnused = 1 << 16;
/// Replacements one after the other may make text so many times as long, at most: published tokenizers, which replace a
/// space by one character, stay below 4.
constexpr double kMostGrowth = 64;

/// Takes model.vocab and model.merges, nearly all of the file, out of the JSON parser's stream, which is several times
/// faster than as a tree of values.
class LargeFields {
public:
  std::vector<std::pair<std::string, int64_t>> vocabulary;
  std::vector<std::pair<std::string, std::string>> merges;
  bool hasVocabulary = false, hasMerges = false;
  std::string error; ///< The first; about one of the two.

  /// nlohmann's parser callback.
  bool operator()(int depth, json::parse_event_t event, json &value) {
    using Event = json::parse_event_t;
    if (event == Event::key) {
      if (depth == 1)
        inModel = value == "model";
      else if (depth == 2)
        field = !inModel ? Other : value == "vocab" ? Vocabulary : value == "merges" ? Merges : Other;
      else if (depth == 3 && field == Vocabulary)
        key = std::move(value.get_ref<std::string &>());
      return !(depth == 3 && field == Vocabulary);
    }
    if (!inModel || field == Other || depth < 2)
      return true;
    return field == Vocabulary ? vocabularyEvent(depth, event, value) : mergesEvent(depth, event, value);
  }

private:
  void note(const std::string &message) { error = error.empty() ? message : error; }

  bool vocabularyEvent(int depth, json::parse_event_t event, json &value) {
    if (event == json::parse_event_t::object_start && depth == 2)
      hasVocabulary = true;
    if (event != json::parse_event_t::value || depth != 3)
      return true;
    if (!value.is_number_unsigned() || value.get<uint64_t>() > uint64_t(INT32_MAX))
      note("token " + inQuotes(key) + " has no id from 0 on");
    else
      vocabulary.emplace_back(std::move(key), value.get<int64_t>());
    return true;
  }

  bool mergesEvent(int depth, json::parse_event_t event, json &value) {
    if (event == json::parse_event_t::array_start && depth == 2)
      hasMerges = true;
    if (event == json::parse_event_t::array_start && depth == 3)
      pair.clear();
    else if (event == json::parse_event_t::array_end && depth == 3)
      addPair();
    else if (event == json::parse_event_t::value && depth == 3)
      addText(value);
    else if (event == json::parse_event_t::value && depth == 4 && value.is_string())
      pair.push_back(std::move(value.get_ref<std::string &>()));
    else if (event == json::parse_event_t::value || event == json::parse_event_t::object_start)
      note(wrongMerge());
    // The parser does not report what is in an array that is dropped at its start.
    return depth <= 2 || event == json::parse_event_t::array_start;
  }

  void addText(json &value) {
    pair.clear();
    if (value.is_string()) {
      const std::string &text = value.get_ref<const std::string &>();
      size_t space = text.find(' ');
      if (space != std::string::npos)
        pair = {text.substr(0, space), text.substr(space + 1)};
      if (space != std::string::npos && pair[1].find(' ') != std::string::npos)
        pair.clear();
    }
    addPair();
  }

  void addPair() {
    if (pair.size() == 2)
      merges.emplace_back(std::move(pair[0]), std::move(pair[1]));
    else
      note(wrongMerge());
    pair.clear();
  }
  std::string wrongMerge() const {
    return "merge " + std::to_string(merges.size()) + " is neither \"a b\" nor [\"a\", \"b\"]";
  }

  enum Field { Other, Vocabulary, Merges } field = Other;
  bool inModel = false;
  std::string key;
  std::vector<std::string> pair;
};
} // namespace

namespace lispier {
/// Fills a tokenizer from the fields of a file; errors stay with the file's values.
class TokenizerReader {
public:
  TokenizerReader(Tokenizer &tokenizer, LargeFields &large) : tokenizer(tokenizer), large(large) {}
  void read(JsonValue root);

private:
  using Behavior = PreTokenizer::Behavior;
  void readNormalizer(JsonValue value);
  void readPreTokenizer(JsonValue value, bool isLast);
  void readSplit(JsonValue value);
  void readPostProcessor(JsonValue value);
  void readTemplate(JsonValue value);
  /// Adds a `Replace` step, unless it is wrong or makes text too long after those before it.
  void addReplacement(JsonValue step, std::vector<Tokenizer::Replacement> &all);
  void readDecoder(JsonValue value);
  void readModel(JsonValue value);
  void readVocabulary(JsonValue value);
  void readMerges(JsonValue value);
  void readAddedTokens(JsonValue value);
  /// The steps of a `Sequence`, its `member`, or the one that `value` is; none if it is absent.
  std::vector<JsonValue> steps(JsonValue value, const char *member);
  /// The token that a spelling stands for.
  Tokenizer::Token tokenOf(const std::string &spelling) const;

  Tokenizer &tokenizer;
  LargeFields &large;
  ByteAlphabet alphabet;
  bool byteLevel = false, decodesBytes = false, decodesFallback = false;
  std::vector<Tokenizer::Replacement> decoded; ///< The decoder's.
  std::unordered_map<std::string, int32_t> vocabulary;
};
} // namespace lispier

std::vector<JsonValue> TokenizerReader::steps(JsonValue value, const char *member) {
  if (value.absent())
    return {};
  if (value["type"].text("") != "Sequence")
    return {value};
  value.allowKeys({"type", member});
  return value[member].items();
}

void TokenizerReader::addReplacement(JsonValue step, std::vector<Tokenizer::Replacement> &all) {
  step.allowKeys({"type", "pattern", "content"});
  step["pattern"].allowKeys({"String"});
  Tokenizer::Replacement added{step["pattern"]["String"].text(), step["content"].text()};
  if (added.from.empty())
    return step["pattern"].fail("is empty");
  auto growthOf = [](const Tokenizer::Replacement &each) {
    return each.from.empty() ? 1.0 : std::max(1.0, double(each.to.size()) / double(each.from.size()));
  };
  double growth = growthOf(added);
  for (const Tokenizer::Replacement &each : all)
    growth *= growthOf(each);
  if (growth > kMostGrowth)
    return step.fail("and the replacements before it could make text " + std::to_string(int64_t(growth)) +
                     " times as long; expected at most " + std::to_string(int64_t(kMostGrowth)) + " times");
  all.push_back(std::move(added));
}

void TokenizerReader::readNormalizer(JsonValue value) {
  for (JsonValue step : steps(value, "normalizers")) {
    switch (step["type"].choice({"NFC", "Replace", "Prepend"})) {
    case 0:
      step.allowKeys({"type"});
      if (!tokenizer.replacements.empty())
        step.fail("stands after a replacement, which is not supported");
      tokenizer.composes = true;
      break;
    case 1:
      addReplacement(step, tokenizer.replacements);
      break;
    case 2:
      step.allowKeys({"type", "prepend"});
      tokenizer.replacements.push_back({"", step["prepend"].text()});
      break;
    }
  }
}

void TokenizerReader::readSplit(JsonValue value) {
  value.allowKeys({"type", "pattern", "behavior", "invert"});
  static constexpr Behavior behaviors[] = {Behavior::Isolated, Behavior::Removed, Behavior::Contiguous,
                                           Behavior::MergedWithPrevious, Behavior::MergedWithNext};
  size_t behavior =
      value["behavior"].choice({"Isolated", "Removed", "Contiguous", "MergedWithPrevious", "MergedWithNext"});
  JsonValue pattern = value["pattern"];
  pattern.allowKeys({"Regex", "String"});
  bool isText = !pattern["String"].absent();
  std::string text = pattern[isText ? "String" : "Regex"].text();
  auto compiled = isText ? Pattern::literal(text) : Pattern::compile(text);
  if (!compiled)
    pattern.fail("cannot be used: " + compiled.failure().message);
  else
    tokenizer.preTokenizer.add(std::move(*compiled), behaviors[behavior], value["invert"].flag(false));
}

void TokenizerReader::readPreTokenizer(JsonValue value, bool isLast) {
  auto add = [&](const char *pattern, Behavior behavior) {
    if (auto compiled = Pattern::compile(pattern))
      tokenizer.preTokenizer.add(std::move(*compiled), behavior, /*inverted=*/false);
  };
  switch (value["type"].choice({"Split", "Digits", "ByteLevel"})) {
  case 0:
    readSplit(value);
    break;
  case 1:
    value.allowKeys({"type", "individual_digits"});
    add("\\p{N}", value["individual_digits"].flag() ? Behavior::Isolated : Behavior::Contiguous);
    break;
  case 2:
    value.allowKeys({"type", "add_prefix_space", "trim_offsets", "use_regex"});
    if (value["add_prefix_space"].flag())
      value["add_prefix_space"].fail("is true, which is not supported; expected false");
    if (!isLast)
      value.fail("is not the last step, which is not supported");
    if (value["use_regex"].flag(true))
      add(kGpt2Pattern, Behavior::Isolated);
    byteLevel = true;
    break;
  }
}

void TokenizerReader::readTemplate(JsonValue value) {
  value.allowKeys({"type", "single", "pair", "special_tokens"});
  std::vector<int32_t> before, after;
  bool seen = false;
  for (JsonValue part : value["single"].items()) {
    part.allowKeys({"SpecialToken", "Sequence"});
    if (JsonValue sequence = part["Sequence"]; !sequence.absent()) {
      if (sequence["id"].text() != "A" || seen)
        sequence.fail("is not the only text, 'A', of the template");
      seen = true;
      continue;
    }
    std::string name = part["SpecialToken"]["id"].text();
    for (JsonValue id : value["special_tokens"][name]["ids"].items())
      (seen ? after : before).push_back(static_cast<int32_t>(id.integer(0, tokenizer.size() - 1)));
  }
  if (!seen)
    value["single"].fail("does not contain the text, 'A'");
  tokenizer.before.insert(tokenizer.before.begin(), before.begin(), before.end());
  tokenizer.after.insert(tokenizer.after.end(), after.begin(), after.end());
}

void TokenizerReader::readPostProcessor(JsonValue value) {
  for (JsonValue step : steps(value, "processors"))
    if (step["type"].choice({"ByteLevel", "TemplateProcessing"}) == 1)
      readTemplate(step);
    else // Concerns offsets in the text, which are not computed.
      step.allowKeys({"type", "add_prefix_space", "trim_offsets", "use_regex"});
}

void TokenizerReader::readDecoder(JsonValue value) {
  if (value.absent())
    value.fail("is missing; expected 'ByteLevel' or a 'Sequence'");
  for (JsonValue step : steps(value, "decoders")) {
    switch (step["type"].choice({"ByteLevel", "Replace", "ByteFallback", "Fuse", "Strip"})) {
    case 0:
      step.allowKeys({"type", "add_prefix_space", "trim_offsets", "use_regex"});
      decodesBytes = true;
      break;
    case 1:
      addReplacement(step, decoded);
      break;
    case 2:
      step.allowKeys({"type"});
      decodesFallback = true;
      break;
    case 3:
      step.allowKeys({"type"});
      break;
    case 4:
      step.allowKeys({"type", "content", "start", "stop"});
      if (step["content"].text() != " " || step["stop"].integer(0, INT32_MAX) != 0)
        step.fail("is supported for leading spaces only, content ' ' and stop 0");
      tokenizer.stripsSpaces = step["start"].integer(0, INT32_MAX);
      break;
    }
  }
  if (decodesBytes != byteLevel || (decodesBytes && (decodesFallback || !decoded.empty())))
    value.fail(byteLevel ? "is not just 'ByteLevel', but the pre-tokenizer is"
                         : "is 'ByteLevel', but the pre-tokenizer is not");
}

Tokenizer::Token TokenizerReader::tokenOf(const std::string &spelling) const {
  if (byteLevel)
    return {alphabet.decode(spelling).value_or(spelling)};
  if (decodesFallback && spelling.size() == 6 && spelling.starts_with("<0x") && spelling.ends_with('>') &&
      std::isxdigit(static_cast<uint8_t>(spelling[3])) && std::isxdigit(static_cast<uint8_t>(spelling[4])))
    return {std::string(1, static_cast<char>(std::stoi(spelling.substr(3, 2), nullptr, 16))), false, true};
  std::string bytes = spelling;
  for (const Tokenizer::Replacement &replacement : decoded)
    bytes = Tokenizer::replace(bytes, replacement);
  return {bytes};
}

void TokenizerReader::readVocabulary(JsonValue value) {
  int64_t most = static_cast<int64_t>(large.vocabulary.size()) + kMostUnused;
  if (!large.hasVocabulary || large.vocabulary.empty())
    return value["vocab"].fail("is not an object from token to id");
  vocabulary.reserve(large.vocabulary.size());
  tokenizer.tokens.reserve(large.vocabulary.size());
  std::vector<bool> taken;
  for (auto &[spelling, id] : large.vocabulary) {
    if (id >= most)
      return value.fail("gives token " + inQuotes(spelling) + " the id " + std::to_string(id) + "; expected 0 to " +
                        std::to_string(most - 1));
    size_t size = std::max(tokenizer.tokens.size(), size_t(id) + 1);
    tokenizer.tokens.resize(size);
    taken.resize(size);
    if (taken[id] || !vocabulary.emplace(spelling, id).second)
      return value.fail("gives token " + inQuotes(spelling) + " the id " + std::to_string(id) +
                        (taken[id] ? " of another" : " and another"));
    taken[id] = true;
    Tokenizer::Token token = tokenOf(spelling);
    // Only units of text are looked up: bytes, and characters or whole pieces by what the vocabulary spells.
    if (token.bytes.size() == 1 && (byteLevel || token.fallback))
      tokenizer.byteTokens[static_cast<uint8_t>(token.bytes[0])] = static_cast<int32_t>(id);
    if (tokenizer.wholePieces && byteLevel)
      tokenizer.ids.emplace(token.bytes, id);
    else if (!byteLevel &&
             (tokenizer.wholePieces || (!spelling.empty() && nextUtf8(spelling).length == spelling.size())))
      tokenizer.ids.emplace(spelling, id);
    tokenizer.tokens[id] = std::move(token);
  }
}

void TokenizerReader::readMerges(JsonValue value) {
  if (!large.hasMerges)
    return value["merges"].fail("is not an array of merges");
  tokenizer.merges.reserve(large.merges.size());
  int32_t rank = 0;
  for (auto &[left, right] : large.merges) {
    auto leftId = vocabulary.find(left), rightId = vocabulary.find(right), merged = vocabulary.find(left + right);
    if (leftId == vocabulary.end() || rightId == vocabulary.end() || merged == vocabulary.end())
      return value.fail("has merge " + std::to_string(rank) + " of " + inQuotes(left) + " and " + inQuotes(right) +
                        ", which with " + inQuotes(left + right) + " are not all in the vocabulary");
    tokenizer.merges[Tokenizer::pairOf(leftId->second, rightId->second)] = {rank++, merged->second};
  }
}

void TokenizerReader::readModel(JsonValue value) {
  value.allowKeys({"type", "dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix", "fuse_unk",
                   "byte_fallback", "ignore_merges", "vocab", "merges"});
  if (!value["type"].absent()) // Older files do not have it.
    value["type"].choice({"BPE"});
  if (value["dropout"].number(0) != 0)
    value["dropout"].fail("is not 0, which is not supported");
  for (const char *affix : {"continuing_subword_prefix", "end_of_word_suffix"})
    if (!value[affix].text("").empty())
      value[affix].fail("is not empty, which is not supported");
  tokenizer.fusesUnknown = value["fuse_unk"].flag(false);
  tokenizer.byteFallback = value["byte_fallback"].flag(false);
  tokenizer.wholePieces = value["ignore_merges"].flag(false);
  if (tokenizer.byteFallback != decodesFallback)
    value["byte_fallback"].fail("and the decoder's ByteFallback do not agree");
  if (!large.error.empty())
    value.fail("is wrong: " + large.error);
  readVocabulary(value);
  readMerges(value);
  if (JsonValue unknown = value["unk_token"]; !unknown.absent()) {
    auto found = vocabulary.find(unknown.text());
    if (found == vocabulary.end())
      unknown.fail("is not in the vocabulary");
    else
      tokenizer.unknown = found->second;
  }
}

void TokenizerReader::readAddedTokens(JsonValue value) {
  if (value.absent())
    return;
  for (JsonValue item : value.items()) {
    item.allowKeys({"id", "content", "single_word", "lstrip", "rstrip", "normalized", "special"});
    AddedToken token{static_cast<int32_t>(item["id"].integer(0, tokenizer.size() + kMostUnused)),
                     item["content"].text(), item["single_word"].flag(false), item["lstrip"].flag(false),
                     item["rstrip"].flag(false)};
    bool special = item["special"].flag(false), normalized = item["normalized"].flag(!special);
    if (token.content.empty())
      return item["content"].fail("is empty");
    auto found = vocabulary.find(token.content);
    if (tokenizer.size() <= token.id)
      tokenizer.tokens.resize(token.id + 1);
    Tokenizer::Token &entry = tokenizer.tokens[token.id];
    if (found == vocabulary.end() ? !entry.bytes.empty() : found->second != token.id)
      return item["id"].fail("is " + std::to_string(token.id) + ", which is not the id that " +
                             inQuotes(token.content) + " has in the vocabulary, or that of another token");
    if (normalized) // It is found in the normalized text, and decodes to that too.
      token.content = tokenizer.normalize(token.content);
    entry = tokenOf(token.content);
    entry.special = special;
    (normalized ? tokenizer.addedNormalized : tokenizer.added).add(std::move(token));
  }
}

void TokenizerReader::read(JsonValue root) {
  root.allowKeys({"version", "truncation", "padding", "added_tokens", "normalizer", "pre_tokenizer", "post_processor",
                  "decoder", "model"});
  for (const char *name : {"truncation", "padding"})
    if (!root[name].absent())
      root[name].fail("is not supported; expected null");
  readNormalizer(root["normalizer"]);
  std::vector<JsonValue> splits = steps(root["pre_tokenizer"], "pretokenizers");
  for (size_t i = 0; i < splits.size(); ++i)
    readPreTokenizer(splits[i], i + 1 == splits.size());
  tokenizer.keepsBytes = false;
  tokenizer.byteLevel = byteLevel;
  tokenizer.byteTokens.fill(-1);
  readDecoder(root["decoder"]);
  readModel(root["model"]);
  readAddedTokens(root["added_tokens"]);
  readPostProcessor(root["post_processor"]);
}

Result<Done> Tokenizer::readJson(const std::string &path) {
  auto file = MappedFile::open(path);
  if (!file)
    return file.failure();
  LargeFields large;
  auto root = parseJson(*file, std::ref(large));
  if (!root)
    return root.failure();
  source = path;
  std::optional<Failure> error;
  TokenizerReader(*this, large).read(JsonValue(*file, *root, error));
  return error ? Result<Done>(*error) : Done();
}
