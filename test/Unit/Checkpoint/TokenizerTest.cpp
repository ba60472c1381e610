//===- TokenizerTest.cpp - byte-level BPE ---------------------------------===//
#include "lispier/Checkpoint/Tokenizer.h"
#include "ModelFiles.h"
#include "lispier/Checkpoint/MappedFile.h"
#include "lispier/Checkpoint/Utf8.h"
#include <chrono>
#include <gtest/gtest.h>
#include <random>

using namespace lispier;
using namespace lispier::test;
using Ids = std::vector<int32_t>;
using Pieces = std::vector<std::string>;

namespace {
Result<Tokenizer> openTokenizer(const std::string &path) { return Tokenizer::open(path, kGpt2Pattern, {kEndOfText}); }

const Tokenizer &mini() {
  static const Tokenizer tokenizer = [] {
    auto opened = openTokenizer(LISPIER_MINI);
    EXPECT_TRUE(opened) << opened.failure().message;
    return std::move(*opened);
  }();
  return tokenizer;
}

std::string decode(const Tokenizer &tokenizer, const Ids &ids) {
  std::string text;
  for (int32_t id : ids)
    text += tokenizer.bytes(id);
  return text;
}

/// The same vocabulary in llm.c's format.
std::string llmC(const Tokenizer &tokenizer, uint32_t magic = 20240328, uint32_t version = 2) {
  std::vector<uint32_t> header(256);
  header[0] = magic, header[1] = version;
  header[2] = static_cast<uint32_t>(tokenizer.size()), header[3] = static_cast<uint32_t>(tokenizer.find(kEndOfText));
  std::string file = bytesOf(header);
  for (int32_t id = 0; id < tokenizer.size(); ++id)
    file += static_cast<char>(tokenizer.bytes(id).size()) + std::string(tokenizer.bytes(id));
  return file;
}

std::string rejection(const std::string &path) {
  auto opened = openTokenizer(path);
  return opened ? "" : opened.failure().message;
}
} // namespace

// Expected ids come from the definition of the algorithm, run over GPT-2's expression by another regex engine.
TEST(Tokenizer, Golden) {
  EXPECT_EQ(mini().size(), 8192);
  EXPECT_EQ(mini().find(kEndOfText), 8191);
  EXPECT_EQ(mini().find("no such token"), -1);
  EXPECT_EQ(mini().encode(""), Ids());
  EXPECT_EQ(mini().encode("It was a dark and stormy night, and"),
            (Ids{852, 318, 258, 1132, 279, 3526, 88, 858, 11, 279}));
  EXPECT_EQ(mini().encode("Hello, world!"), (Ids{39, 504, 78, 11, 877, 0}));
  EXPECT_EQ(mini().encode("It's they're  we'll I'D"), (Ids{852, 371, 419, 1595, 220, 342, 935, 299, 6, 35}));
  EXPECT_EQ(mini().encode("a\n\n  b   "), (Ids{64, 198, 198, 220, 269, 220, 220, 220}));
  EXPECT_EQ(mini().encode("caf\u00e9 na\u00efve 12345 \u4e2d\u6587 \U0001f600"),
            (Ids{66,  3600, 2679, 294, 64,  127, 107, 308, 1485, 17,  18,  19, 20,
                 220, 160,  116,  255, 162, 244, 229, 220, 172,  253, 246, 222}));
  EXPECT_EQ(mini().encode("don't\t\tstop 3rd \u00bd\u2167"),
            (Ids{4603, 494, 197, 197, 317, 537, 4465, 81, 67, 220, 126, 121, 158, 227, 100}));
}

// U+180E is white space for PCRE2's \s, but not for Unicode.
TEST(Tokenizer, WhiteSpaceIsUnicodes) {
  EXPECT_EQ(mini().encode("x\u180ey\u00a0z\u3000w"), (Ids{87, 157, 254, 236, 88, 126, 254, 89, 159, 222, 222, 86}));
  auto pieces = PreTokenizer::compile(kGpt2Pattern);
  ASSERT_TRUE(pieces);
  EXPECT_EQ(pieces->split("  a \xFF\xFE!b\xC3"), (Pieces{" ", " a", " \xFF\xFE!", "b", "\xC3"}));
}

// Another model's expression; what it does not match is a piece too.
TEST(PreTokenizer, PatternIsData) {
  auto digits = PreTokenizer::compile(R"([^\s\p{N}]+|\p{N}{1,3})");
  ASSERT_TRUE(digits) << digits.failure().message;
  EXPECT_EQ(digits->split("ab  12345\n"), (Pieces{"ab", "  ", "123", "45", "\n"}));
  auto never = PreTokenizer::compile("x*");
  ASSERT_TRUE(never) << never.failure().message;
  EXPECT_EQ(never->split("abc"), (Pieces{"abc"}));
  EXPECT_HAS(PreTokenizer::compile("(").failure().message, "pattern does not compile, missing closing parenthesis: (");
  EXPECT_HAS(PreTokenizer::compile("[^\\S]").failure().message, "\\S in a class");
}

// As transformers reads these files.
TEST(Tokenizer, SpecialTokensAreFoundInText) {
  EXPECT_EQ(mini().encode("<|endoftext|>"), (Ids{8191}));
  EXPECT_EQ(mini().encode("Hello<|endoftext|>\xFF<|endoftext|"),
            (Ids{39, 504, 78, 8191, 187, 27, 91, 602, 7623, 68, 1162, 91}));
  Folder folder;
  auto other = openTokenizer(folder.write("gpt2_tokenizer.bin", llmC(mini())));
  ASSERT_TRUE(other) << other.failure().message;
  EXPECT_EQ(other->encode("<|endoftext|>"), mini().encode("<|endoftext|>"));
}

// The files beside vocab.json name tokens that the program does not know.
TEST(Tokenizer, SpecialTokensOfFiles) {
  Folder folder;
  for (const char *name : {"vocab.json", "merges.txt"})
    folder.write(name, MappedFile::open(std::string(LISPIER_MINI "/") + name)->text());
  auto encode = [&](std::string_view text) {
    auto opened = Tokenizer::open(folder.name(), kGpt2Pattern, {});
    EXPECT_TRUE(opened) << opened.failure().message;
    return opened ? opened->encode(text) : Ids();
  };
  auto message = [&](std::string_view name, std::string_view content) {
    folder.write(name, content);
    auto opened = Tokenizer::open(folder.name(), kGpt2Pattern, {kEndOfText});
    return opened ? "" : opened.failure().message;
  };
  // A role that no token has is none.
  folder.write("special_tokens_map.json", R"({"eos_token": "<|endoftext|>", "pad_token": {"content": "[PAD]"}})");
  EXPECT_EQ(encode("a<|endoftext|>"), (Ids{64, 8191}));
  EXPECT_EQ(encode("[PAD]").size(), 4u);
  folder.write("added_tokens.json", R"({"[PAD]": 8200})");
  EXPECT_EQ(encode("[PAD]a"), (Ids{8200, 64}));
  folder.write("tokenizer_config.json", R"({"additional_special_tokens": ["<|endoftext|>"], "model_max_length": 1e30,
    "added_tokens_decoder": {"8201": {"content": "<x>", "lstrip": true, "special": false}}})");
  EXPECT_EQ(encode("a  <x>a"), (Ids{64, 8201, 64}));
  EXPECT_HAS(message("added_tokens.json", R"({"<|endoftext|>": 5})"),
             "vocab.json: does not fit the token '<|endoftext|>' of the files beside it, whose id is 5; expected 8191");
  EXPECT_HAS(message("added_tokens.json", R"({"<y>": 8201})"), "8201; that is the id of '<x>'");
  EXPECT_HAS(message("added_tokens.json", R"({"<y>": 2000000000})"), "2000000000; expected one below 737");
  EXPECT_HAS(message("added_tokens.json", R"({"<y>": "5"})"), "added_tokens.json: '<y>' is '5'; expected an integer");
  EXPECT_HAS(message("added_tokens.json", R"({"": 5})"), "added_tokens.json: is empty");
}

TEST(Tokenizer, AnyBytesComeBack) {
  Folder folder;
  auto other = openTokenizer(folder.write("gpt2_tokenizer.bin", llmC(mini())));
  ASSERT_TRUE(other) << other.failure().message;
  std::mt19937 random(1);
  const std::string_view alphabet = "  \n\t'stredlTHE09\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\xFF\x80\x00";
  for (int round = 0; round < 2000; ++round) {
    std::string text(random() % 40, ' ');
    for (char &c : text)
      c = round % 2 ? static_cast<char>(random()) : alphabet[random() % alphabet.size()];
    EXPECT_EQ(decode(mini(), mini().encode(text)), text);
    EXPECT_EQ(decode(*other, other->encode(text)), text);
  }
}

// Both formats describe one tokenizer.
TEST(Tokenizer, FormatsAgree) {
  Folder folder;
  auto other = openTokenizer(folder.write("gpt2_tokenizer.bin", llmC(mini())));
  ASSERT_TRUE(other) << other.failure().message;
  EXPECT_EQ(other->find(kEndOfText), 8191);
  std::ifstream card(LISPIER_MINI "/README.md");
  std::string text((std::istreambuf_iterator<char>(card)), std::istreambuf_iterator<char>());
  ASSERT_GT(text.size(), 500u);
  EXPECT_EQ(other->encode(text), mini().encode(text));
}

// A piece may be as long as the text: a megabyte of one letter takes a quadratic algorithm hours.
TEST(Tokenizer, LongPieces) {
  std::string letters(1 << 20, 'a'), spaces(1 << 20, ' ');
  auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(decode(mini(), mini().encode(letters)), letters);
  EXPECT_EQ(decode(mini(), mini().encode(spaces)), spaces);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

TEST(Tokenizer, RejectsBadLlmCFiles) {
  Folder folder;
  auto with = [&](const std::string &bytes) { return rejection(folder.write("t.bin", bytes)); };
  std::string good = llmC(mini());
  EXPECT_EQ(with(good), "");
  EXPECT_HAS(with("short"), "t.bin: is 5 bytes long");
  EXPECT_HAS(with(llmC(mini(), 20240326)), "magic 20240326, an llm.c tokenizer with 20240328");
  EXPECT_HAS(with(llmC(mini(), 20240328, 1)), "version 1; version 2 can be read");
  EXPECT_HAS(with(good.substr(0, good.size() - 1)), "truncated in token 8191 of 8192");
  EXPECT_HAS(with(good + "x"), "1 bytes after its last token");
  std::string many = good;
  std::memset(many.data() + 8, 0xFF, 4);
  EXPECT_HAS(with(many), "says it has 4294967295 tokens");
}

TEST(Tokenizer, RejectsBadVocabularies) {
  Folder folder;
  auto with = [&](const std::string &vocab, const std::string &merges) {
    folder.write("merges.txt", merges);
    return rejection(folder.write("vocab.json", vocab));
  };
  EXPECT_HAS(with("{\"a\": 0,\n", ""),
             "vocab.json:2:1: is not JSON: syntax error while parsing object key - unexpected ");
  EXPECT_HAS(with("[]", ""), "vocab.json: is not a JSON object");
  EXPECT_HAS(with("{\"a\": 0, \"b\": 2}", ""), "token 'b' has no id from 0 to 1");
  EXPECT_HAS(with("{\"a\": 0, \"b\": -1}", ""), "token 'b' has no id");
  EXPECT_HAS(with("{\"a\": 0, \"b\": 0}", ""), "has the id 0 of another");
  EXPECT_HAS(with("{\"a b\": 0}", ""), "is not spelled in the alphabet of byte-level BPE");
  EXPECT_HAS(with("{\"a\": 0}", ""), "has no token for byte 0");
  EXPECT_HAS(with("{\"a\": 0, \"b\": 1}", "#version: 0.2\na b\n"), "merges.txt:2: merges 'a' and 'b'");
  EXPECT_HAS(with("{\"a\": 0}", "#version: 0.2\na\n"), "merges.txt:2: expected two tokens");
  EXPECT_HAS(rejection(folder.file("none")), "none: no such file");
  EXPECT_HAS(rejection(""), "the tokenizer's path is empty");
  Folder empty;
  EXPECT_HAS(rejection(empty.name()), "holds no tokenizer");
  // A message shows the beginning of a long spelling, and no control characters.
  std::string longest = std::string(100000, 'x');
  EXPECT_HAS(with("{\"" + longest + "\": 0, \"b\": 2, \"c\": 7}", ""), "token '");
  EXPECT_LT(with("{\"" + longest + "\": 7, \"b\": 2}", "").size(), 300u);
  EXPECT_HAS(with("{\"\\u001b[31m\": 7}", ""), "token '\\x1B[31m' has no id from 0 to 0");
  EXPECT_HAS(rejection(empty.write("vocab.json", "{}")), "merges.txt: cannot be opened");
}

// Every token of the vocabulary is a byte, special, or made by a merge: 256 + merges + 1 of them.
TEST(Tokenizer, RejectsTruncatedMerges) {
  Folder folder;
  auto read = [](const std::string &path) { return std::string(MappedFile::open(path)->text()); };
  folder.write("vocab.json", read(LISPIER_MINI "/vocab.json"));
  std::string merges = read(LISPIER_MINI "/merges.txt");
  auto with = [&](size_t bytes) { return rejection(folder.write("merges.txt", merges.substr(0, bytes))); };
  EXPECT_EQ(with(merges.size()), "");
  EXPECT_HAS(with(merges.rfind('\n', merges.size() / 2) + 1),
             "is it truncated?"); // at the end of a line
  EXPECT_HAS(with(merges.rfind('\n', merges.size() - 2) + 1), "merges.txt: has 7934 merges, but 1 tokens of");
  // Without the special token that the program knows, its spelling is made by no merge.
  with(merges.size());
  EXPECT_HAS(Tokenizer::open(folder.name(), kGpt2Pattern, {}).failure().message, "'<|endoftext|>' for one");
}

TEST(Utf8Stream, HoldsHalfCharactersBack) {
  Utf8Stream stream;
  EXPECT_EQ(stream.feed("a\xE2"), "a");
  EXPECT_EQ(stream.feed("\x82"), "");
  EXPECT_EQ(stream.feed("\xAC!"), "\u20AC!");
  EXPECT_EQ(stream.feed("\xF0\x9F\x98"), "");
  EXPECT_EQ(stream.feed("x"), "\uFFFDx");
  EXPECT_EQ(stream.feed("\xFF\xC0\x80"), "\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(stream.feed("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD"); // a surrogate
  EXPECT_EQ(stream.feed("\xC3"), "");
  EXPECT_EQ(stream.finish(), "\uFFFD");
  EXPECT_EQ(stream.finish(), "");
}
