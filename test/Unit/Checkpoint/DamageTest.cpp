//===- DamageTest.cpp - damaged files are rejected or read, never worse ---===//
//
// A good small file of each kind, with bytes overwritten, cut off or doubled at
// random: the reader gives a value or a message. (Sanitizers make it count.)
//
//===----------------------------------------------------------------------===//
#include "ModelFiles.h"
#include "lispier/Checkpoint/Checkpoint.h"
#include "lispier/Checkpoint/Safetensors.h"
#include "lispier/Checkpoint/Tokenizer.h"
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
    auto tokenizer = Tokenizer::open(path, kGpt2Pattern, {});
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
  constexpr const char *kLayout = "magic 20240326\nheader p v l c\nw 3*v c\nh.{l}.b c\nq p\n";
  std::vector<int32_t> header(256);
  header[0] = 20240326, header[1] = 5, header[2] = 2, header[3] = 3, header[4] = 4, header[5] = 5;
  std::string good = bytesOf(header) + std::string(2 * (45 + 20 + 2), '\x3F');
  damage("m.bin", good, [](const std::string &path) {
    auto checkpoint = Checkpoint::open(path, kLayout);
    return checkpoint ? "" : checkpoint.failure().message;
  });
}

TEST(Damage, Index) {
  std::string good = R"({"metadata": {"size": 8}, "weight_map": {"a": "1.safetensors", "b": "1.safetensors"}})";
  damage("model.safetensors.index.json", good, [](const std::string &path) {
    std::ofstream(std::filesystem::path(path).parent_path() / "1.safetensors", std::ios::binary)
        << safetensors({{"a", "F32", {1}, "abcd"}, {"b", "F32", {1}, "efgh"}});
    auto checkpoint = Checkpoint::open(path, "");
    return checkpoint ? "" : checkpoint.failure().message;
  });
}

TEST(Damage, Config) {
  std::string good = R"({"n": 3, "x": 1e-5, "s": [1, {"t": "u"}], "f": true, "z": null})";
  damage("config.json", good, [](const std::string &path) {
    auto config = Config::read(path);
    if (!config)
      return config.failure().message;
    if (auto n = config->integer("n", 0); !n)
      return n.failure().message;
    auto x = config->number("x", 0);
    return x ? "" : x.failure().message;
  });
}
