//===- TokenizerJson.cpp - Hugging Face's tokenizer.json ------------------===//
//
// Reads the model of a tokenizer as the library `tokenizers` writes it, its
// vocabulary and its added tokens; TokenizerSteps.cpp reads what is around it.
//
//===----------------------------------------------------------------------===//
#include "TokenizerReader.h"
#include "lispier/Checkpoint/Quoted.h"
#include <algorithm>

using namespace lispier;
using nlohmann::json;

namespace {
/// A file may leave ids unused, but the table of tokens must stay in proportion to the file.
constexpr int64_t kMostUnused = 1 << 16;

} // namespace

namespace lispier {
/// Takes model.vocab and model.merges, nearly all of the file, out of the JSON parser's stream, which is several times
/// faster than as a tree of values.
class LargeFields {
public:
  std::vector<std::pair<std::string, int64_t>> vocabulary; ///< An object from token to id,
  Unigram::Vocabulary scored;                              ///< or an array of tokens with their scores.
  std::vector<std::pair<std::string, std::string>> merges;
  bool hasVocabulary = false, hasScores = false, hasMerges = false;
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
    if (event == Event::array_start && depth == 2 && field == Vocabulary)
      hasScores = true;
    return field == Merges ? mergesEvent(depth, event, value)
           : hasScores     ? scoresEvent(depth, event, value)
                           : vocabularyEvent(depth, event, value);
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

  bool scoresEvent(int depth, json::parse_event_t event, json &value) {
    using Event = json::parse_event_t;
    if (event == Event::array_start && depth == 3) {
      items = 0;
    } else if (event == Event::value && depth == 4 && items == 0 && value.is_string()) {
      key = std::move(value.get_ref<std::string &>());
      ++items;
    } else if (event == Event::value && depth == 4 && items == 1 && value.is_number()) {
      scored.emplace_back(std::move(key), value.get<double>());
      ++items;
    } else if (event == Event::value || event == Event::object_start ||
               (event == Event::array_end && depth == 3 && items != 2)) {
      note("entry " + std::to_string(scored.size()) + " of the vocabulary is not [\"token\", score]");
    }
    return depth <= 2 || event == Event::array_start;
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
  int items = 0; ///< Of an array in `scored`.
  std::string key;
  std::vector<std::string> pair;
};
} // namespace lispier

Tokenizer::Token TokenizerReader::tokenOf(const std::string &spelling) const {
  return {byteLevel ? alphabet.decode(spelling).value_or(spelling) : spelling};
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
    tokenizer.tokens[id] = tokenOf(spelling);
  }
}

void TokenizerReader::readMerges(JsonValue value, Bpe &bpe) {
  if (!large.hasMerges)
    return value["merges"].fail("is not an array of merges");
  bpe.reserveMerges(large.merges.size());
  int32_t rank = 0;
  for (auto &[left, right] : large.merges) {
    auto leftId = vocabulary.find(left), rightId = vocabulary.find(right), merged = vocabulary.find(left + right);
    if (leftId == vocabulary.end() || rightId == vocabulary.end() || merged == vocabulary.end())
      return value.fail("has merge " + std::to_string(rank) + " of " + inQuotes(left) + " and " + inQuotes(right) +
                        ", which with " + inQuotes(left + right) + " are not all in the vocabulary");
    bpe.addMerge(leftId->second, rightId->second, rank++, merged->second);
  }
}

int32_t TokenizerReader::idOf(JsonValue token) {
  auto found = vocabulary.find(token.text());
  if (found != vocabulary.end())
    return found->second;
  token.fail("is not in the vocabulary");
  return 0;
}

void TokenizerReader::readBpe(JsonValue value) {
  value.allowKeys({"type", "dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix", "fuse_unk",
                   "byte_fallback", "ignore_merges", "vocab", "merges"});
  if (value["dropout"].number(0) != 0)
    value["dropout"].fail("is not 0, which is not supported");
  for (const char *affix : {"continuing_subword_prefix", "end_of_word_suffix"})
    if (!value[affix].text("").empty())
      value[affix].fail("is not empty, which is not supported");
  Bpe bpe;
  bpe.byteLevel = byteLevel;
  bpe.fusesUnknown = value["fuse_unk"].flag(false);
  bpe.byteFallback = value["byte_fallback"].flag(false);
  bpe.wholePieces = value["ignore_merges"].flag(false);
  readVocabulary(value);
  // Only units of text are looked up: bytes, and characters or whole pieces by what the vocabulary spells.
  for (auto &[spelling, id] : vocabulary) {
    const std::string &bytes = tokenizer.tokens[id].bytes;
    if (byteLevel && bytes.size() == 1)
      bpe.byteTokens[static_cast<uint8_t>(bytes[0])] = id;
    if (std::optional<char> byte = byteOfToken(spelling); byte && !byteLevel)
      bpe.byteTokens[static_cast<uint8_t>(*byte)] = id;
    if (bpe.wholePieces || (!byteLevel && !spelling.empty() && nextUtf8(spelling).length == spelling.size()))
      bpe.addUnit(bytes, id);
  }
  readMerges(value, bpe);
  if (JsonValue unknown = value["unk_token"]; !unknown.absent())
    bpe.unknown = idOf(unknown);
  tokenizer.model = std::move(bpe);
}

void TokenizerReader::readUnigram(JsonValue value) {
  value.allowKeys({"type", "unk_id", "vocab", "byte_fallback"});
  if (!large.hasScores || large.scored.empty())
    return value["vocab"].fail("is not an array of tokens with their scores");
  for (auto &[spelling, score] : large.scored) { // Of equal tokens the last is found, but each can be decoded.
    vocabulary[spelling] = static_cast<int32_t>(tokenizer.tokens.size());
    tokenizer.tokens.push_back({spelling});
  }
  auto unknown = static_cast<int32_t>(value["unk_id"].integer(0, tokenizer.size() - 1));
  tokenizer.model = Unigram(large.scored, unknown, value["byte_fallback"].flag(false));
}

void TokenizerReader::readWordPiece(JsonValue value) {
  value.allowKeys({"type", "unk_token", "continuing_subword_prefix", "max_input_chars_per_word", "vocab"});
  readVocabulary(value);
  int32_t unknown = idOf(value["unk_token"]);
  tokenizer.model = WordPiece(vocabulary, value["continuing_subword_prefix"].text(),
                              value["max_input_chars_per_word"].integer(0, INT32_MAX), unknown);
}

void TokenizerReader::readModel(JsonValue value) {
  // Older files do not have the type.
  size_t kind = !value["type"].absent()                       ? value["type"].choice({"BPE", "Unigram", "WordPiece"})
                : large.hasScores                             ? 1
                : !value["max_input_chars_per_word"].absent() ? 2
                                                              : 0;
  if (!large.error.empty())
    value.fail("is wrong: " + large.error);
  if (kind != 0 && byteLevel)
    value["type"].fail("is not 'BPE', but the pre-tokenizer is 'ByteLevel', which is not supported");
  kind == 0 ? readBpe(value) : kind == 1 ? readUnigram(value) : readWordPiece(value);
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
      token.content = tokenizer.normalizer(token.content);
    entry = tokenOf(token.content);
    entry.special = special;
    (normalized ? tokenizer.addedNormalized : tokenizer.added).add(std::move(token));
  }
}

void TokenizerReader::read(JsonValue root) {
  root.allowKeys({"version", "truncation", "padding", "added_tokens", "normalizer", "pre_tokenizer", "post_processor",
                  "decoder", "model"});
  readNormalizer(root["normalizer"]);
  for (JsonValue step : steps(root["pre_tokenizer"], "pretokenizers"))
    readPreTokenizer(step);
  tokenizer.keepsBytes = false;
  tokenizer.byteLevel = byteLevel;
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
