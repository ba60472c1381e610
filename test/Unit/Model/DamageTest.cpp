//===- DamageTest.cpp - damaged files are rejected or read, never worse ----===//
//
// A good small file of each kind, with bytes overwritten, cut off or doubled at
// random: the reader gives a value or a message. (Sanitizers make it count.)
//
//===----------------------------------------------------------------------===//
#include "Files.h"
#include "lispier/Model/Checkpoint.h"
#include "lispier/Model/Safetensors.h"
#include "lispier/Model/Tokenizer.h"
#include <functional>
#include <random>

using namespace lispier;
using namespace lispier::test;

namespace {
constexpr int kRounds = 400;

std::string damaged(std::string bytes, std::mt19937 &random) {
  static constexpr char kTelling[] = "{}[]\",:0123456789-.eE \x00\x7F\x80\xFF";
  for (unsigned changes = 1 + random() % 4; changes && !bytes.empty(); --changes) {
    size_t at = random() % std::min<size_t>(bytes.size(), 1500); // where the headers are
    switch (random() % 4) {
    case 0:
      bytes[at] = kTelling[random() % (sizeof kTelling - 1)];
      break;
    case 1:
      bytes[at] = static_cast<char>(random());
      break;
    case 2:
      bytes.erase(at, 1 + random() % 16);
      break;
    case 3:
      bytes.insert(at, bytes.substr(at, 1 + random() % 16));
      break;
    }
  }
  return bytes;
}

/// Reads many damaged copies of `good`; `read` returns the message of a rejection, or nothing. Both must occur.
void damage(const std::string &name, const std::string &good,
            const std::function<std::string(const std::string &)> &read) {
  Folder folder;
  std::mt19937 random(7);
  ASSERT_EQ(read(folder.write(name, good)), "");
  int rejected = 0;
  for (int round = 0; round < kRounds; ++round)
    rejected += !read(folder.write(name, damaged(good, random))).empty();
  EXPECT_GT(rejected, kRounds / 2);
}
} // namespace

TEST(Damage, Safetensors) {
  std::string good =
      safetensors({{"a", "F32", {2, 1}, "abcdefgh"}, {"b", "BF16", {3}, "ijklmn"}, {"c", "I64", {}, "12345678"}});
  damage("m.safetensors", good, [](const std::string &path) {
    auto file = MappedFile::open(path);
    if (!file)
      return file.failure().message;
    auto entries = readSafetensors(*file);
    if (!entries)
      return entries.failure().message;
    // What is accepted can be read.
    unsigned sum = 0;
    for (auto &[name, entry] : *entries)
      for (uint64_t i = 0; i < entry.bytes; ++i)
        sum += entry.data[i];
    return std::string(sum == ~0u ? "never" : "");
  });
}

TEST(Damage, LlmCTokenizer) {
  std::vector<uint32_t> header(256);
  header[0] = 20240328, header[1] = 2, header[2] = 258, header[3] = 257;
  std::string good = bytesOf(header);
  for (int byte = 0; byte < 256; ++byte)
    good += std::string("\1") + static_cast<char>(byte);
  good += "\2ab\3end";
  damage("gpt2_tokenizer.bin", good, [](const std::string &path) {
    auto tokenizer = Tokenizer::open(path);
    if (!tokenizer)
      return tokenizer.failure().message;
    std::string text = "some ab text", back;
    for (int32_t id : tokenizer->encode(text))
      back += tokenizer->bytes(id);
    EXPECT_EQ(back, text);
    return std::string();
  });
}

TEST(Damage, LlmCCheckpoint) {
  // One layer of one channel.
  std::vector<int32_t> header(256);
  header[0] = 20240326, header[1] = 5, header[2] = 2, header[3] = 3, header[4] = 1, header[5] = 1, header[6] = 1,
  header[7] = 3;
  std::string good = bytesOf(header) + std::string(2 * (3 + 2 + 4 + 3 + 3 + 1 + 1 + 4 + 4 + 4 + 1 + 2), '\x3F');
  damage("m.bin", good, [](const std::string &path) {
    auto checkpoint = readCheckpoint(path);
    return checkpoint ? "" : checkpoint.failure().message;
  });
}
