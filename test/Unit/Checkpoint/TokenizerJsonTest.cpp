//===- TokenizerJsonTest.cpp - what tokenizer.json may say ----------------===//
#include "ModelFiles.h"
#include "lispier/Checkpoint/CheckpointAbi.h"
#include "lispier/Checkpoint/MappedFile.h"
#include "lispier/Checkpoint/Normalize.h"
#include "lispier/Checkpoint/Tokenizer.h"
#include <chrono>
#include <nlohmann/json.hpp>

using namespace lispier;
using namespace lispier::test;
using nlohmann::json;

namespace {
json family(const std::string &name) {
  return json::parse(std::ifstream(LISPIER_TOKENIZERS "/" + name + "/tokenizer.json"));
}

/// The message about a changed tokenizer.json; empty if it is accepted.
std::string rejection(const std::string &name, const std::string &pointer, const json &value) {
  Folder folder;
  json changed = family(name);
  changed[json::json_pointer(pointer)] = value;
  auto opened = Tokenizer::open(folder.write("tokenizer.json", changed.dump()), "", {});
  return opened ? "" : opened.failure().message;
}

std::string toBase64(const std::string &bytes) {
  std::string text;
  for (size_t at = 0; at < bytes.size(); at += 3) {
    uint32_t bits = 0;
    for (size_t i = at; i < at + 3; ++i)
      bits = bits << 8 | (i < bytes.size() ? static_cast<uint8_t>(bytes[i]) : 0);
    for (size_t i = 0; i < 4; ++i)
      text += at + i > bytes.size()
                  ? '='
                  : "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[bits >> (18 - 6 * i) & 63];
  }
  return text;
}

std::string syntaxError(const std::string &text) {
  Folder folder;
  auto opened = Tokenizer::open(folder.write("tokenizer.json", text), "", {});
  return opened ? "" : opened.failure().message;
}
} // namespace

TEST(TokenizerJson, RejectsWhatItDoesNotSupport) {
  // Which transformers switch off.
  EXPECT_EQ(rejection("qwen", "/truncation", {{"max_length", 8}}), "");
  EXPECT_HAS(rejection("qwen", "/version2", 1), "'version2' is not supported");
  EXPECT_HAS(rejection("qwen", "/normalizer/type", "ByteLevel"),
             "'normalizer.type' is 'ByteLevel'; expected one of 'NFC', 'NFD', 'NFKC'");
  EXPECT_HAS(rejection("qwen", "/normalizer/form", 1), "'normalizer.form' is not supported");
  EXPECT_HAS(rejection("gemma", "/normalizer/pattern", {{"Regex", "a*"}}),
             "'normalizer.pattern' matches a text without characters");
  EXPECT_HAS(rejection("qwen", "/pre_tokenizer/pretokenizers/0/behavior", "Cut"),
             "'pre_tokenizer.pretokenizers[0].behavior' is 'Cut'; expected one of 'Isolated'");
  EXPECT_HAS(rejection("qwen", "/pre_tokenizer/pretokenizers/0/pattern/Regex", "a\\wb"),
             "cannot be used: the tokenizer's pattern has \\w, which is not supported: a\\wb");
  EXPECT_HAS(rejection("qwen", "/pre_tokenizer/pretokenizers/0/pattern/Regex", "[a[b]]"), "a class within a class");
  EXPECT_HAS(rejection("qwen", "/pre_tokenizer", {{"type", "UnicodeScripts"}}), "is 'UnicodeScripts'; expected one of");
  EXPECT_HAS(rejection("metaspace", "/pre_tokenizer/replacement", "ab"), "replacement' is not one character");
  EXPECT_HAS(rejection("metaspace", "/pre_tokenizer/prepend_scheme", "last"), "is 'last'; expected one of 'always'");
  EXPECT_HAS(rejection("metaspace", "/pre_tokenizer/add_prefix_space", false), "but prepend_scheme is not 'never'");
  EXPECT_HAS(rejection("metaspace", "/decoder/decoders/3/stop", 1), "stands after 'Fuse'");
  EXPECT_HAS(rejection("qwen", "/pre_tokenizer", nullptr), "'decoder' is 'ByteLevel', but the pre-tokenizer is not");
  EXPECT_HAS(rejection("gemma", "/decoder/decoders/1/type", "CTC"), "'decoder.decoders[1].type' is 'CTC'; expected");
  EXPECT_HAS(rejection("llama3", "/post_processor/processors/1/single/1/Sequence/id", "B"),
             "is not the only text, 'A'");
  EXPECT_HAS(rejection("llama3", "/post_processor/processors/1/type", "Other"), "is 'Other'; expected one of");
  EXPECT_HAS(rejection("nfkc", "/post_processor/sep", {"</s>"}), "'post_processor.sep' is not a token and its id");
  EXPECT_HAS(rejection("qwen", "/model/type", "WordLevel"),
             "'model.type' is 'WordLevel'; expected one of 'BPE', 'Unigram', 'WordPiece'");
  EXPECT_HAS(rejection("qwen", "/model/type", "Unigram"), "is not 'BPE', but the pre-tokenizer is 'ByteLevel'");
  EXPECT_HAS(rejection("qwen", "/model/dropout", 0.1), "'model.dropout' is not 0");
  EXPECT_HAS(rejection("qwen", "/model/end_of_word_suffix", "</w>"), "'model.end_of_word_suffix' is not empty");
  EXPECT_HAS(rejection("qwen", "/model/unk_token", "nothing"), "'model.unk_token' is not in the vocabulary");
  // A message shows the beginning of a long text, and no control characters.
  std::string longest(100000, 'x');
  EXPECT_LT(rejection("qwen", "/" + longest, 1).size(), 300u);
  EXPECT_LT(rejection("qwen", "/pre_tokenizer/pretokenizers/0/pattern/Regex", longest + "\\w").size(), 700u);
  EXPECT_LT(rejection("qwen", "/model/vocab/" + longest, -1).size(), 300u);
  EXPECT_LT(rejection("qwen", "/model/merges/0", longest + " a").size(), 400u);
  EXPECT_LT(rejection("qwen", "/added_tokens/0/content", longest).size(), 400u);
  EXPECT_HAS(rejection("qwen", "/normalizer/type", "\x1b[31m"), "'normalizer.type' is '\\x1B[31m'; expected");
}

// 40 replacements of x by xx would make 2^40 of it, in the text and in added tokens while the file is read.
TEST(TokenizerJson, BoundsHowLongTextGets) {
  json twice = {{"type", "Replace"}, {"pattern", {{"String", "x"}}}, {"content", "xx"}};
  auto sequence = [&](const char *member, size_t count) {
    return json{{"type", "Sequence"}, {member, std::vector<json>(count, twice)}};
  };
  EXPECT_EQ(rejection("gemma", "/normalizer", sequence("normalizers", 8)), "");
  EXPECT_HAS(rejection("gemma", "/normalizer", sequence("normalizers", 40)),
             "'normalizer.normalizers[8]' and the steps before it could make text 512 times as long; expected at "
             "most 256 times");
  EXPECT_EQ(rejection("gemma", "/normalizer",
                      {{"type", "Sequence"}, {"normalizers", {{{"type", "NFKC"}}, {{"type", "NFC"}}}}}),
            "");
  EXPECT_HAS(rejection("gemma", "/normalizer",
                       {{"type", "Sequence"}, {"normalizers", {{{"type", "NFKC"}}, {{"type", "NFKD"}}, twice, twice}}}),
             "'normalizer.normalizers[3]' and the steps before it could make text 484 times as long");
  EXPECT_HAS(rejection("gemma", "/normalizer", {{"type", "Prepend"}, {"prepend", std::string(65, 'x')}}),
             "'normalizer.prepend' has 65 bytes; expected at most 64");
  EXPECT_HAS(rejection("gemma", "/decoder/decoders/0",
                       {{"type", "Replace"}, {"pattern", {{"String", "x"}}}, {"content", std::string(257, 'x')}}),
             "'decoder.decoders[0]' and the steps before it could make text 257 times as long");
  // A trie of one edge, x, to a text of 300 bytes: units 0 (children at 1), 121 = 1 ^ 'x' (a text ends, children at 2)
  // and 2, the value.
  std::string trie(4 * 256, '\0');
  trie[0] = '\0', trie[1] = 4;
  trie[4 * 121] = 'x', trie[4 * 121 + 1] = '\xED', trie[4 * 121 + 2] = 1; // 123 = 121 ^ 2.
  trie[4 * 2 + 3] = '\x80';
  EXPECT_HAS(rejection("t5", "/normalizer/precompiled_charsmap",
                       toBase64(std::string("\0\4\0\0", 4) + trie + std::string(300, 'y'))),
             "'normalizer' and the steps before it could make text 300 times as long; expected at most 256 times");
}

TEST(TokenizerJson, RejectsWrongTables) {
  EXPECT_HAS(rejection("qwen", "/model/vocab", json::object()), "'model.vocab' is not an object from token to id");
  EXPECT_HAS(rejection("qwen", "/model/vocab/!", 1), "the id 1 of another");
  EXPECT_HAS(rejection("qwen", "/model/vocab/!", -1), "token '!' has no id from 0 on");
  EXPECT_HAS(rejection("qwen", "/model/vocab/!", 99999999), "gives token '!' the id 99999999; expected 0 to");
  EXPECT_HAS(rejection("qwen", "/model/merges", 1), "'model' is wrong: merge 0 is neither");
  EXPECT_HAS(rejection("qwen", "/model/merges/3", {"a", "b", "c"}), "merge 3 is neither \"a b\" nor [\"a\", \"b\"]");
  EXPECT_HAS(rejection("smollm", "/model/merges/3", "abc"), "merge 3 is neither");
  EXPECT_HAS(rejection("smollm", "/model/merges/3", "a q"),
             "has merge 3 of 'a' and 'q', which with 'aq' are not all in");
  EXPECT_HAS(rejection("qwen", "/added_tokens/0/id", 3), "'added_tokens[0].id' is 3, which is not the id");
  EXPECT_HAS(rejection("qwen", "/added_tokens/0/content", ""), "'added_tokens[0].content' is empty");
  EXPECT_HAS(rejection("llama3", "/post_processor/processors/1/special_tokens/<|begin_of_text|>/ids/0", 100000),
             "ids[0]' is 100000; expected an integer from 0 to");
}

TEST(TokenizerJson, RejectsWrongModels) {
  EXPECT_HAS(rejection("t5", "/model/vocab", json::object()), "'model.vocab' is not an array of tokens");
  EXPECT_HAS(rejection("t5", "/model/vocab/3", "a"), "entry 3 of the vocabulary is not [\"token\", score]");
  EXPECT_HAS(rejection("t5", "/model/vocab/3", {"a"}), "entry 3 of the vocabulary is not [\"token\", score]");
  EXPECT_HAS(rejection("t5", "/model/vocab/3", {"a", "b"}), "entry 3 of the vocabulary is not [\"token\", score]");
  EXPECT_HAS(rejection("t5", "/model/vocab/3/0", json::array({"a"})), "entry 3 of the vocabulary is not");
  EXPECT_HAS(rejection("t5", "/model/unk_id", nullptr), "'model.unk_id' is null; expected an integer from 0 to");
  EXPECT_HAS(rejection("t5", "/model/unk_id", 100000), "'model.unk_id' is 100000; expected an integer from 0 to");
  EXPECT_HAS(rejection("t5", "/normalizer/precompiled_charsmap", "abc"), "precompiled_charsmap' is not base64");
  EXPECT_HAS(rejection("t5", "/normalizer/precompiled_charsmap", "AAAAAA=="),
             "has 4 bytes, of which 0 would be a trie");
  EXPECT_HAS(rejection("bert", "/model/unk_token", "[ANY]"), "'model.unk_token' is not in the vocabulary");
  EXPECT_HAS(rejection("bert", "/model/vocab", {{"a", 1}}), "'model.unk_token' is not in the vocabulary");
  EXPECT_HAS(rejection("bert", "/model/max_input_chars_per_word", -1), "is -1; expected an integer from 0");
}

TEST(TokenizerJson, SyntaxErrorsHaveAPlace) {
  EXPECT_HAS(
      syntaxError("{\"a\": 1,\n  \"b\" 2}"),
      "tokenizer.json:2:7: is not JSON: syntax error while parsing object separator - unexpected number literal; "
      "expected ':'");
  EXPECT_HAS(syntaxError(""), "tokenizer.json:1:1: is not JSON: syntax error while parsing value");
  EXPECT_HAS(syntaxError("[1]"), "tokenizer.json: is an array; expected an object");
  EXPECT_HAS(syntaxError(std::string(100000, '[')), "is not JSON");
}

// Spellings of tokens may hold a line's end; a message does not.
TEST(TokenizerJson, MessagesAreOneLine) {
  Folder folder;
  json changed = family("qwen");
  changed["model"]["vocab"]["a\nb"] = -1;
  auto *tokenizer = lispier_tokenizer_open(folder.write("tokenizer.json", changed.dump()).c_str(), nullptr, nullptr);
  EXPECT_HAS(lispier_tokenizer_error(tokenizer), "token 'a\\x0Ab' has no id");
  lispier_tokenizer_close(tokenizer);
}

TEST(TokenizerJson, Interface) {
  auto *tokenizer = lispier_tokenizer_open(LISPIER_TOKENIZERS "/llama3", nullptr, nullptr);
  ASSERT_EQ(lispier_tokenizer_error(tokenizer), nullptr);
  EXPECT_HAS(lispier_tokenizer_path(tokenizer), "llama3/tokenizer.json");
  int32_t begin = lispier_tokenizer_find(tokenizer, "<|begin_of_text|>");
  EXPECT_EQ(lispier_tokenizer_special(tokenizer, begin), 1);
  EXPECT_EQ(lispier_tokenizer_special(tokenizer, 0), 0);
  EXPECT_EQ(lispier_tokenizer_special(tokenizer, -1), 0);
  ASSERT_EQ(lispier_tokenizer_encode(tokenizer, "x", 1), 2);
  EXPECT_EQ(lispier_tokenizer_ids(tokenizer)[0], begin);
  EXPECT_EQ(lispier_tokenizer_encode_rendered(tokenizer, "x", 1), 1);
  EXPECT_EQ(lispier_tokenizer_encode_rendered(tokenizer, "<|begin_of_text|>", 17), 1);
  EXPECT_EQ(lispier_tokenizer_ids(tokenizer)[0], begin);
  lispier_tokenizer_close(tokenizer);
}

// vocab.json needs the program's pattern; a folder that has both kinds gives what is asked for.
TEST(TokenizerJson, PatternSelectsTheFile) {
  EXPECT_HAS(Tokenizer::open(LISPIER_MINI, "", {}).failure().message, "holds no tokenizer.json");
  Folder folder;
  folder.write("tokenizer.model", "\n");
  EXPECT_HAS(
      Tokenizer::open(folder.name(), "", {}).failure().message,
      "/tokenizer.model: is a tokenizer of SentencePiece or tiktoken, which is not read; expected tokenizer.json");
  for (const char *name : {"vocab.json", "merges.txt"})
    folder.write(name, MappedFile::open(std::string(LISPIER_MINI "/") + name)->text());
  folder.write("tokenizer.json", family("qwen").dump());
  EXPECT_HAS(Tokenizer::open(folder.name(), kGpt2Pattern, {kEndOfText})->path(), "vocab.json");
  EXPECT_HAS(Tokenizer::open(folder.name(), "", {})->path(), "tokenizer.json");
}

// A stretch without spaces for the pre-tokenizer is one piece: a quadratic algorithm takes hours.
TEST(TokenizerJson, LongPieces) {
  auto gemma = Tokenizer::open(LISPIER_TOKENIZERS "/gemma", "", {});
  ASSERT_TRUE(gemma) << gemma.failure().message;
  std::string text;
  while (text.size() < 1 << 20)
    text += "the words of the cat ";
  auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(gemma->decode(gemma->encode(text, false), false), text);
  auto scores = Tokenizer::open(LISPIER_TOKENIZERS "/scores", "", {});
  ASSERT_TRUE(scores) << scores.failure().message;
  EXPECT_EQ(scores->decode(scores->encode(text, false), false), text);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

TEST(Normalize, FormC) {
  EXPECT_EQ(toForm("plain caf\u00e9", UnicodeForm::C), "plain caf\u00e9");
  EXPECT_EQ(toForm("e\u0301", UnicodeForm::C), "\u00e9");
  EXPECT_EQ(toForm("\u212b \u2126", UnicodeForm::C), "\u00c5 \u03a9"); // singletons
  EXPECT_EQ(toForm("\u0958", UnicodeForm::C), "\u0915\u093c");         // excluded from composition
  EXPECT_EQ(toForm("a\u0307\u0323", UnicodeForm::C), "\u1ea1\u0307");  // marks are ordered first
  EXPECT_EQ(toForm("\u1e9b\u0323", UnicodeForm::C), "\u1e9b\u0323");
  EXPECT_EQ(toForm("\u1112\u1161\u11ab\u1100\u116e", UnicodeForm::C), "\ud55c\uad6c"); // Hangul
  EXPECT_EQ(toForm("\u0301e", UnicodeForm::C), "\u0301e");
  EXPECT_EQ(toForm("a\u0315\u0300\u05ae\u0300b", UnicodeForm::C),
            "\u00e0\u05ae\u0300\u0315b"); // from Unicode's own test
}

TEST(Normalize, OtherForms) {
  EXPECT_EQ(toForm("plain caf\u00e9", UnicodeForm::D), "plain cafe\u0301");
  EXPECT_EQ(toForm("\u1e69", UnicodeForm::D), "s\u0323\u0307");
  EXPECT_EQ(toForm("\ud55c", UnicodeForm::D), "\u1112\u1161\u11ab");
  EXPECT_EQ(toForm("\ufb01 \u2460\u00b2", UnicodeForm::D), "\ufb01 \u2460\u00b2");
  EXPECT_EQ(toForm("\ufb01 \u2460\u00b2", UnicodeForm::KC), "fi 12");
  EXPECT_EQ(toForm("\u00a0\uff21\u30ac\u1e9b\u0323", UnicodeForm::KC), " A\u30ac\u1e69");
  EXPECT_EQ(toForm("\u30ac\u1e9b\u0323", UnicodeForm::KD), "\u30ab\u3099s\u0323\u0307");
  EXPECT_EQ(toForm("\ufdfa", UnicodeForm::KD).size(), 33u); // The longest of a character.
}

TEST(Normalize, Lowercase) {
  EXPECT_EQ(toLowercase("PLAIN plain 1\u00c9\u0100\u0101"), "plain plain 1\u00e9\u0101\u0101");
  EXPECT_EQ(toLowercase("\u0130I\u0131"), "i\u0307i\u0131");
  EXPECT_EQ(toLowercase("\u03a3\u0391\u03a3 \u1e9e"), "\u03c3\u03b1\u03c3 \u00df"); // No final sigma.
  EXPECT_EQ(toLowercase("\U00010400\u01c5"), "\U00010428\u01c6");
}
