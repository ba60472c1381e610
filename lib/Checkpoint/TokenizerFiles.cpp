//===- TokenizerFiles.cpp - vocab.json + merges.txt, *tokenizer.bin -------===//
#include "ByteAlphabet.h"
#include "JsonFile.h"
#include "SpecialTokens.h"
#include "lispier/Checkpoint/Quoted.h"
#include "lispier/Checkpoint/Tokenizer.h"
#include <algorithm>
#include <cstring>
#include <filesystem>

using namespace lispier;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {
constexpr uint32_t kLlmCMagic = 20240328;
constexpr size_t kLlmCHeaderBytes = 256 * 4;
constexpr int64_t kMostTokens = 1 << 24;
/// Ids without a token that tokens added to a vocabulary may leave.
constexpr int64_t kMostUnused = 1 << 16;

Failure atLine(const MappedFile &file, int64_t line, const std::string &message) {
  return {file.path() + ":" + std::to_string(line) + ": " + message};
}

/// Maps the spelling of each token to its id, 0 to n - 1.
Result<std::unordered_map<std::string, int32_t>> readVocabulary(const MappedFile &file) {
  auto content = parseJson(file);
  if (!content)
    return content.failure();
  if (!content->is_object() || content->empty())
    return file.fail("is not a JSON object from token to id");
  int64_t size = static_cast<int64_t>(content->size());
  std::unordered_map<std::string, int32_t> ids;
  std::vector<bool> taken(content->size());
  for (auto &[token, id] : content->items()) {
    if (!id.is_number_unsigned() || id.get<uint64_t>() >= uint64_t(size))
      return file.fail("token " + inQuotes(token) + " has no id from 0 to " + std::to_string(size - 1));
    int32_t number = id.get<int32_t>();
    if (taken[number])
      return file.fail("token " + inQuotes(token) + " has the id " + std::to_string(number) + " of another");
    taken[number] = true;
    ids.emplace(token, number);
  }
  return ids;
}

/// Paths of a tokenizer's files.
struct Located {
  std::string json;          ///< Either tokenizer.json,
  std::string vocab, merges; ///< or both of these,
  std::string llmC;          ///< or this one.
};

Result<Located> locateIn(const fs::path &folder, bool hasPattern) {
  std::error_code error;
  auto has = [&](const char *name) { return fs::exists(folder / name, error); };
  if (hasPattern && has("vocab.json") && has("merges.txt"))
    return Located{"", (folder / "vocab.json").string(), (folder / "merges.txt").string(), ""};
  if (has("tokenizer.json"))
    return Located{(folder / "tokenizer.json").string(), "", "", ""};
  std::vector<std::string> found;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (std::string name = entry->path().filename().string(); name.ends_with("tokenizer.bin"))
      found.push_back(name);
  std::sort(found.begin(), found.end());
  if (found.size() > 1)
    return Failure{folder.string() + ": holds more than one tokenizer, " + found[0] + " and " + found[1] +
                   "; name the file"};
  if (found.size() == 1)
    return Located{"", "", "", (folder / found[0]).string()};
  if (has("tokenizer.model"))
    return Failure{(folder / "tokenizer.model").string() +
                   ": is a tokenizer of SentencePiece or tiktoken, which is not read; expected tokenizer.json, which "
                   "AutoTokenizer.from_pretrained(FOLDER).save_pretrained(FOLDER) of transformers writes"};
  return Failure{folder.string() + (hasPattern ? ": holds no tokenizer, neither tokenizer.json, nor vocab.json with "
                                                 "merges.txt, nor a *tokenizer.bin"
                                               : ": holds no tokenizer.json")};
}

Result<Located> locate(const std::string &path, bool hasPattern) {
  std::error_code error;
  if (path.empty())
    return Failure{
        "the tokenizer's path is empty; expected tokenizer.json, vocab.json, a *tokenizer.bin or a directory "
        "with one"};
  if (!fs::exists(path, error))
    return Failure{path + ": no such file or directory; expected a tokenizer"};
  if (fs::is_directory(path, error))
    return locateIn(path, hasPattern);
  fs::path file = path;
  if (file.filename() == "tokenizer.json")
    return Located{path, "", "", ""};
  if (file.extension() == ".bin")
    return Located{"", "", "", path};
  if (file.extension() == ".json")
    return Located{"", path, (file.parent_path() / "merges.txt").string(), ""};
  if (file.extension() == ".txt")
    return Located{"", (file.parent_path() / "vocab.json").string(), path, ""};
  return Failure{path + ": is neither tokenizer.json, vocab.json, merges.txt nor a .bin tokenizer"};
}
/// The model of a file that lists no merges: two tokens merge to the one that is spelled like both, whose id is the
/// rank.
Bpe mergesOf(const std::unordered_map<std::string, int32_t> &made) {
  Bpe bpe;
  std::string left, right;
  for (auto &[spelling, id] : made) {
    if (spelling.size() == 1)
      bpe.byteTokens[static_cast<uint8_t>(spelling[0])] = id;
    for (size_t length = 1; length < spelling.size(); ++length) {
      left.assign(spelling, 0, length);
      right.assign(spelling, length);
      auto leftId = made.find(left), rightId = made.find(right);
      if (leftId != made.end() && rightId != made.end())
        bpe.addMerge(leftId->second, rightId->second, id, id);
    }
  }
  return bpe;
}
} // namespace

Result<Tokenizer> Tokenizer::open(const std::string &path, std::string_view pattern, const Specials &specials) {
  auto located = locate(path, !pattern.empty());
  if (!located)
    return located.failure();
  Tokenizer tokenizer;
  if (!located->json.empty()) {
    auto read = tokenizer.readJson(located->json);
    return read ? Result<Tokenizer>(std::move(tokenizer)) : read.failure();
  }
  if (pattern.empty())
    return Failure{path + ": is no tokenizer.json, and the program gives no pattern to split the text by"};
  auto preTokenizer = PreTokenizer::compile(pattern);
  if (!preTokenizer)
    return preTokenizer.failure();
  tokenizer.preTokenizer = std::move(*preTokenizer);
  auto read = located->llmC.empty() ? tokenizer.readHuggingFace(located->vocab, located->merges, specials)
                                    : tokenizer.readLlmC(located->llmC, specials);
  if (!read)
    return read.failure();
  const ByteTokens &bytes = std::get<Bpe>(tokenizer.model).byteTokens;
  if (auto missing = std::find(bytes.begin(), bytes.end(), -1); missing != bytes.end())
    return Failure{tokenizer.source + ": has no token for byte " + std::to_string(missing - bytes.begin()) +
                   "; a byte-level tokenizer has all 256"};
  return tokenizer;
}

Result<Done> Tokenizer::readHuggingFace(const std::string &vocabPath, const std::string &mergesPath,
                                        const Specials &specials) {
  auto vocabFile = MappedFile::open(vocabPath), mergesFile = MappedFile::open(mergesPath);
  if (!vocabFile)
    return vocabFile.failure();
  if (!mergesFile)
    return mergesFile.failure();
  auto ids = readVocabulary(*vocabFile);
  if (!ids)
    return ids.failure();

  auto named = readSpecialTokens(fs::path(vocabPath).parent_path().string(), specials);
  if (!named)
    return named.failure();

  source = vocabPath;
  Bpe bpe;
  tokens.resize(ids->size());
  std::vector<bool> made(ids->size()); // The token is a byte, added, or the result of a merge.
  ByteAlphabet alphabet;
  for (auto &[spelling, id] : *ids) {
    auto extra = named->find(spelling);
    bool isAdded = extra != named->end();
    std::optional<std::string> bytes = isAdded ? spelling : alphabet.decode(spelling);
    if (!bytes || bytes->empty())
      return vocabFile->fail("token " + inQuotes(spelling) + " (" + std::to_string(id) +
                             ") is not spelled in the alphabet of byte-level BPE");
    made[id] = isAdded || bytes->size() == 1;
    if (bytes->size() == 1)
      bpe.byteTokens[static_cast<uint8_t>((*bytes)[0])] = id;
    tokens[id] = {std::move(*bytes), isAdded && extra->second.isSpecial};
  }

  std::string_view rest = mergesFile->text();
  int32_t rank = 0;
  for (int64_t line = 1; !rest.empty(); ++line) {
    size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view text = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (text.ends_with('\r'))
      text.remove_suffix(1);
    if (text.empty() || (line == 1 && text.starts_with("#version")))
      continue;
    size_t space = text.find(' ');
    if (space == std::string_view::npos || text.find(' ', space + 1) != std::string_view::npos)
      return atLine(*mergesFile, line, "expected two tokens with a space between them");
    std::string left(text.substr(0, space)), right(text.substr(space + 1));
    auto leftId = ids->find(left), rightId = ids->find(right), merged = ids->find(left + right);
    if (leftId == ids->end() || rightId == ids->end() || merged == ids->end())
      return atLine(*mergesFile, line,
                    "merges " + inQuotes(left) + " and " + inQuotes(right) + ", which with " + inQuotes(left + right) +
                        " are not all in " + vocabPath);
    made[merged->second] = true;
    bpe.addMerge(leftId->second, rightId->second, rank++, merged->second);
  }
  if (auto missing = std::find(made.begin(), made.end(), false); missing != made.end())
    return mergesFile->fail("has " + std::to_string(rank) + " merges, but " +
                            std::to_string(std::count(made.begin(), made.end(), false)) + " tokens of " + vocabPath +
                            " are made by none, " + inQuotes(tokens[missing - made.begin()].bytes) +
                            " for one (is it truncated?)");
  model = std::move(bpe);
  for (auto &[spelling, token] : *named) {
    auto known = ids->find(spelling);
    if (auto fits = addToken(token, known == ids->end() ? -1 : known->second); !fits)
      return vocabFile->fail(fits.failure().message);
  }
  return Done();
}

/// Adds a token that is found in text whole; `known` is its id in the vocabulary, or -1.
Result<Done> Tokenizer::addToken(const NamedToken &named, int32_t known) {
  AddedToken token = named.token;
  auto wrong = [&](const std::string &what) {
    return Failure{"does not fit the token " + inQuotes(token.content) + " of the files beside it, whose id is " +
                   std::to_string(token.id) + "; " + what};
  };
  if (known >= 0 && token.id >= 0 && token.id != known)
    return wrong("expected " + std::to_string(known));
  token.id = known >= 0 ? known : token.id;
  if (token.id < 0) // A role, such as that of padding, that no token of the model has.
    return Done();
  if (token.id >= size() + kMostUnused)
    return wrong("expected one below " + std::to_string(size() + kMostUnused));
  if (token.id >= size())
    tokens.resize(token.id + 1);
  if (known < 0 && !tokens[token.id].bytes.empty())
    return wrong("that is the id of " + inQuotes(tokens[token.id].bytes));
  tokens[token.id] = {token.content, named.isSpecial};
  added.add(std::move(token));
  return Done();
}

Result<Done> Tokenizer::readLlmC(const std::string &path, const Specials &specials) {
  auto file = MappedFile::open(path);
  if (!file)
    return file.failure();
  auto word = [&](size_t index) {
    uint32_t value;
    std::memcpy(&value, file->data() + 4 * index, sizeof value);
    return value;
  };
  if (file->size() < kLlmCHeaderBytes)
    return file->fail("is " + std::to_string(file->size()) + " bytes long; an llm.c tokenizer begins with " +
                      std::to_string(kLlmCHeaderBytes) + " bytes of header");
  if (word(0) != kLlmCMagic)
    return file->fail("begins with magic " + std::to_string(word(0)) + ", an llm.c tokenizer with " +
                      std::to_string(kLlmCMagic));
  uint32_t version = word(1), count = word(2);
  if (version != 2)
    return file->fail("is an llm.c tokenizer of version " + std::to_string(version) + "; version 2 can be read");
  if (count < 256 || count > kMostTokens)
    return file->fail("says it has " + std::to_string(count) + " tokens; expected 256 to " +
                      std::to_string(kMostTokens));
  if (word(3) >= count)
    return file->fail("says that token " + std::to_string(word(3)) + " ends a text, but has only " +
                      std::to_string(count) + " tokens");

  source = path;
  std::unordered_map<std::string, int32_t> made; // By merging; bytes, and all but special tokens.
  std::string_view rest = file->text().substr(kLlmCHeaderBytes);
  for (uint32_t id = 0; id < count; ++id) {
    size_t length = rest.empty() ? 0 : static_cast<uint8_t>(rest[0]);
    if (rest.size() < 1 + length)
      return file->fail("is truncated in token " + std::to_string(id) + " of " + std::to_string(count));
    if (length == 0)
      return file->fail("token " + std::to_string(id) + " has no bytes");
    std::string spelling(rest.substr(1, length));
    rest.remove_prefix(1 + length);
    bool special = id == word(3) || std::find(specials.begin(), specials.end(), spelling) != specials.end();
    if (special)
      added.add({static_cast<int32_t>(id), spelling});
    if (!special || length == 1)
      made.emplace(spelling, static_cast<int32_t>(id));
    tokens.push_back({std::move(spelling), special});
  }
  if (!rest.empty())
    return file->fail("has " + std::to_string(rest.size()) + " bytes after its last token");
  model = mergesOf(made);
  return Done();
}
