//===- TokenShards.cpp - tokens of a data set, in llm.c's files -----------===//
#include "lispier/Checkpoint/TokenShards.h"
#include "NewFile.h"
#include "lispier/Checkpoint/Tokenizer.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <glob.h>
#include <numeric>
#include <unistd.h>

using namespace lispier;
namespace fs = std::filesystem;

namespace {
constexpr size_t kWords = 256, kHeader = kWords * sizeof(int32_t);
/// Where a shard keeps its note: words that llm.c writes as 0.
constexpr size_t kNote = 4;

struct ShardKind {
  int32_t magic, version;
  int64_t width;
};
constexpr ShardKind kKinds[] = {{20240520, 1, 2}, {20240801, 7, 4}};

/// Mixes 64 bits (the finaliser of SplitMix64; Steele, Lea, Flood 2014).
uint64_t mixed(uint64_t bits) {
  bits += 0x9E3779B97F4A7C15;
  bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9;
  bits = (bits ^ bits >> 27) * 0x94D049BB133111EB;
  return bits ^ bits >> 31;
}

uint64_t keyOf(int64_t seed, int64_t epoch, uint64_t shard) {
  return mixed(mixed(mixed(static_cast<uint64_t>(seed)) ^ static_cast<uint64_t>(epoch)) ^ shard);
}

/// A permutation of 0 .. count - 1 that is computed and not stored: a Feistel network of the next even number of bits,
/// repeated until the result is below `count`.
uint64_t permuted(uint64_t index, uint64_t count, uint64_t key) {
  unsigned half = 1;
  while (half < 31 && (uint64_t(1) << 2 * half) < count)
    ++half;
  uint64_t mask = (uint64_t(1) << half) - 1;
  do {
    uint64_t left = index >> half, right = index & mask;
    for (uint64_t round = 0; round < 4; ++round)
      left = std::exchange(right, left ^ (mixed(right ^ mixed(key + round)) & mask));
    index = left << half | right;
  } while (index >= count);
  return index;
}

uint64_t hashed(std::string_view bytes, uint64_t hash) {
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    uint64_t word;
    std::memcpy(&word, bytes.data(), sizeof word);
    hash = mixed(hash ^ word);
  }
  uint64_t rest = bytes.size();
  for (char c : bytes)
    rest = rest << 8 | static_cast<uint8_t>(c);
  return mixed(hash ^ rest);
}
} // namespace

Result<TokenShard> TokenShard::open(const std::string &path) {
  auto file = MappedFile::open(path);
  if (!file)
    return file.failure();
  if (file->size() < kHeader)
    return file->fail("is " + std::to_string(file->size()) + " bytes long; a shard of tokens begins with 1024");
  int32_t words[3];
  std::memcpy(words, file->data(), sizeof words);
  for (const ShardKind &kind : kKinds) {
    if (words[0] != kind.magic)
      continue;
    if (words[1] != kind.version)
      return file->fail("is version " + std::to_string(words[1]) + " of a shard; expected " +
                        std::to_string(kind.version));
    uint64_t size = kHeader + static_cast<uint64_t>(kind.width) * static_cast<uint32_t>(words[2]);
    if (words[2] < 0 || size != file->size())
      return file->fail("is " + std::to_string(file->size()) + " bytes long, but its header says " +
                        std::to_string(words[2]) + " tokens of " + std::to_string(kind.width) + " bytes" +
                        (words[2] < 0 ? "" : ", which makes " + std::to_string(size)) + " (is it truncated?)");
    TokenShard shard(std::move(*file));
    shard.count = words[2];
    shard.width = kind.width;
    return shard;
  }
  return file->fail("begins with " + std::to_string(words[0]) +
                    "; a shard of tokens begins with 20240520 or 20240801 (is it a text?)");
}

uint64_t TokenShard::note() const {
  uint64_t note;
  std::memcpy(&note, file.data() + kNote * sizeof(int32_t), sizeof note);
  return note;
}

Result<Done> TokenShard::read(int64_t first, int64_t number, int64_t vocabulary, int32_t *out) const {
  const uint8_t *from = file.data() + kHeader + first * width;
  for (int64_t i = 0; i < number; ++i) {
    uint32_t token = 0;
    std::memcpy(&token, from + i * width, static_cast<size_t>(width)); // Little-endian.
    if (token >= vocabulary)
      return file.fail("token " + std::to_string(first + i) + ", at byte " +
                       std::to_string(kHeader + (first + i) * width) + ", is " + std::to_string(token) +
                       ", but the vocabulary has " + std::to_string(vocabulary));
    out[i] = static_cast<int32_t>(token);
  }
  return Done();
}

Result<Done> TokenShard::write(const std::string &path, const std::vector<int32_t> &tokens, int64_t vocabulary,
                               uint64_t note) {
  if (tokens.size() > INT32_MAX)
    return Failure{path + ": would have " + std::to_string(tokens.size()) +
                   " tokens; a shard has at most 2147483647: divide the text"};
  bool isNarrow = vocabulary <= 65536;
  const ShardKind &kind = kKinds[isNarrow ? 0 : 1];
  int32_t words[kWords] = {kind.magic, kind.version, static_cast<int32_t>(tokens.size())};
  std::memcpy(words + kNote, &note, sizeof note);
  std::string temporary = path + ".tmp-" + std::to_string(getpid());
  auto made = NewFile::create(temporary);
  if (!made)
    return made.failure();
  std::vector<uint16_t> narrow;
  if (isNarrow)
    narrow.assign(tokens.begin(), tokens.end());
  Result<Done> written = made->write(words, sizeof words);
  if (written)
    written = isNarrow ? made->write(narrow.data(), 2 * narrow.size()) : made->write(tokens.data(), 4 * tokens.size());
  if (written)
    written = made->finish();
  if (written && ::rename(temporary.c_str(), path.c_str()) != 0)
    written = systemFailure(path, "cannot be made", errno);
  if (!written)
    ::unlink(temporary.c_str());
  return written;
}

Result<TokenShards> TokenShards::open(const std::string &pattern, int64_t vocabulary) {
  TokenShards opened(pattern);
  opened.vocabulary = vocabulary;
  glob_t found = {};
  int status = ::glob(pattern.c_str(), GLOB_BRACE | GLOB_TILDE, nullptr, &found);
  std::vector<std::string> paths(found.gl_pathv, found.gl_pathv + (status == 0 ? found.gl_pathc : 0));
  globfree(&found);
  if (paths.empty())
    return Failure{pattern + ": no such file" +
                   (pattern.find_first_of("*?[{") == std::string::npos ? "" : "; no name matches")};
  for (const std::string &path : paths) {
    auto shard = TokenShard::open(path);
    if (!shard)
      return shard.failure();
    opened.total += shard->size();
    opened.shards.push_back(std::move(*shard));
  }
  return opened;
}

int64_t TokenShards::steps(const TokenShard &shard, const TokenBatch &batch) {
  return std::max<int64_t>(shard.size() - 1, 0) / batch.size();
}

int64_t TokenShards::steps(const TokenBatch &batch) const {
  return std::accumulate(shards.begin(), shards.end(), int64_t(0),
                         [&](int64_t sum, const TokenShard &shard) { return sum + steps(shard, batch); });
}

std::vector<size_t> TokenShards::order(int64_t epoch) const {
  std::vector<size_t> numbers(shards.size());
  for (size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = seed ? permuted(i, numbers.size(), keyOf(*seed, epoch, ~uint64_t(0))) : i;
  return numbers;
}

Result<Done> TokenShards::seek(int64_t place) {
  if (place < 0)
    return Failure{pattern + ": the place is " + std::to_string(place) + "; expected 0 or more"};
  at = place;
  return Done();
}

Result<Done> TokenShards::next(const TokenBatch &batch, int32_t *out) {
  int64_t each = steps(batch);
  if (each == 0)
    return Failure{pattern + ": no shard has the " + std::to_string(batch.size() + 1) + " tokens of a step of " +
                   std::to_string(batch.rows * batch.ranks) + " rows of " + std::to_string(batch.tokens) +
                   "; there are " + std::to_string(total)};
  int64_t step = at / batch.size(), epoch = step / each, inShard = step % each;
  std::vector<size_t> numbers = order(epoch);
  size_t turn = 0;
  for (; inShard >= steps(shards[numbers[turn]], batch); ++turn)
    inShard -= steps(shards[numbers[turn]], batch);
  const TokenShard &shard = shards[numbers[turn]];
  for (int64_t i = 0; i < batch.rows; ++i) {
    int64_t row = (inShard * batch.ranks + batch.rank) * batch.rows + i;
    if (seed)
      row = static_cast<int64_t>(permuted(static_cast<uint64_t>(row),
                                          static_cast<uint64_t>((shard.size() - 1) / batch.tokens),
                                          keyOf(*seed, epoch, numbers[turn])));
    int64_t length = batch.tokens + 1;
    if (auto read = shard.read(row * batch.tokens, length, vocabulary, out + i * length); !read)
      return read;
  }
  at += batch.size();
  return Done();
}

Result<std::string> lispier::shardOfText(const std::string &text, const Tokenizer &tokenizer,
                                         const std::string &cache) {
  auto file = MappedFile::open(text);
  if (!file)
    return file.failure();
  auto description = MappedFile::open(tokenizer.path());
  if (!description)
    return description.failure();
  uint64_t note = hashed(file->text(), hashed(description->text(), static_cast<uint64_t>(tokenizer.size())));
  std::string beside = text + ".bin", cached = cache + "/" + fs::path(text).filename().string() + ".bin";
  for (const std::string &path : {beside, cached})
    if (auto shard = TokenShard::open(path); shard && shard->note() == note)
      return path;
  std::vector<int32_t> tokens = tokenizer.encode(file->text());
  Result<Done> written = TokenShard::write(beside, tokens, tokenizer.size(), note);
  if (written)
    return beside;
  if (cache.empty())
    return written.failure();
  std::error_code ignored;
  fs::create_directories(cache, ignored);
  written = TokenShard::write(cached, tokens, tokenizer.size(), note);
  if (!written)
    return written.failure();
  return cached;
}
