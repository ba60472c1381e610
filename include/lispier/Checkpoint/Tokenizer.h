//===- Tokenizer.h - text to tokens and back -------------------*- C++ -*-===//
//
// Added tokens are cut out of the text, what is between them is normalized and
// split into pieces, and a model (TokenModel.h) makes tokens of each piece. All
// of this is data: it comes from tokenizer.json, or for files without it from
// the program.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_CHECKPOINT_TOKENIZER_H
#define LISPIER_CHECKPOINT_TOKENIZER_H

#include "lispier/Checkpoint/AddedTokens.h"
#include "lispier/Checkpoint/Normalizer.h"
#include "lispier/Checkpoint/PreTokenizer.h"
#include "lispier/Checkpoint/TokenModel.h"
#include "lispier/Checkpoint/Utf8.h"
#include <cstdint>

namespace lispier {
struct NamedToken;
class Tokenizer {
public:
  /// `path`: a tokenizer.json; vocab.json or merges.txt (both must be in its directory); a *tokenizer.bin of llm.c; or
  /// a directory with one of these. tokenizer.json describes the whole tokenizer; an empty `pattern` reads it.
  /// The others need `pattern`, PreTokenizer's, and `specials`, tokens that no merge produces, such as `<|endoftext|>`,
  /// and that are found in text whole; those that the files beside vocab.json name (SpecialTokens.h) are added. Fails
  /// if vocab.json has another token that is neither a byte nor the result of a merge: the files do not match.
  static Result<Tokenizer> open(const std::string &path, std::string_view pattern,
                                const std::vector<std::string> &specials);

  /// Added tokens are found by their spelling. With tokenizer.json, bytes that are not UTF-8 count as U+FFFD, and
  /// `withSpecial` adds what the file's post-processor does, such as the beginning of text. With other files all bytes
  /// can be encoded.
  std::vector<int32_t> encode(std::string_view text, bool withSpecial = true) const;
  /// Invalid ids have no text; `skipSpecial` leaves special tokens out.
  std::string decode(const std::vector<int32_t> &ids, bool skipSpecial) const;
  /// The bytes of a token; empty for an invalid id.
  std::string_view bytes(int32_t id) const;
  /// Whether the token is special: it marks structure and is not part of a text.
  bool isSpecial(int32_t id) const;
  /// The id of the token with these bytes, or -1.
  int32_t find(std::string_view bytes) const;
  /// One more than the largest id.
  int64_t size() const { return static_cast<int64_t>(tokens.size()); }
  /// Path of the file it was read from, for messages.
  const std::string &path() const { return source; }

  /// Decodes tokens one by one into complete characters, with U+FFFD for invalid bytes.
  class Stream {
  public:
    /// The characters that are complete after token `id`.
    std::string push(const Tokenizer &tokenizer, int32_t id);
    /// The rest; resets the stream.
    std::string finish(const Tokenizer &tokenizer);

  private:
    /// Passes what a token stands for, before step `at`, through the rest of the steps; appends what it is then.
    void pass(const Tokenizer &tokenizer, size_t at, std::string token, std::string &out);
    /// Ends a run of byte tokens before step `at`: its text, or if that is not UTF-8 as a whole U+FFFD for each byte.
    void endRun(const Tokenizer &tokenizer, size_t at, std::string &out);

    Utf8Stream characters;
    std::string run;       ///< Bytes of adjacent byte tokens.
    int64_t removed = 0;   ///< Leading characters of the whole text that were left out.
    bool begun = false;    ///< A character that is not left out has been seen.
    bool hasToken = false; ///< A token has passed a step that treats the first one differently.
  };

private:
  friend class TokenizerReader; // Fills a tokenizer from tokenizer.json.
  Tokenizer() = default;
  using Specials = std::vector<std::string>;
  Result<Done> addToken(const NamedToken &named, int32_t known);
  Result<Done> readHuggingFace(const std::string &vocabPath, const std::string &mergesPath, const Specials &specials);
  Result<Done> readLlmC(const std::string &path, const Specials &specials);
  Result<Done> readJson(const std::string &path);

  struct Token {
    std::string bytes; ///< What it stands for in a text; without `byteLevel` its spelling, before `decodeSteps`.
    bool special = false;
  };
  /// What decoding does with the spelling of each token, one step after the other.
  struct DecodeStep {
    enum Kind {
      Replace,
      ByteFallback, ///< Runs of tokens <0x00> to <0xFF> are the text of these bytes.
      Fuse,         ///< From here on all tokens are one text.
      Strip,        ///< Removes up to `start` characters `from` before a text and up to `stop` after it.
      Marks,        ///< Replaces, but for the first token, which is `isFirstWithout` these characters.
      Words,        ///< Removes `from` at the beginning; without it puts a space there. Not of the first token.
      Spaces,       ///< Puts a space before all but the first token.
      CleanUp,      ///< Removes spaces before English punctuation and contractions.
    } kind;
    Replacement replacement{};
    int64_t start = 0, stop = 0;
    bool isFirstWithout = false;
  };

  void encodePieces(std::string_view text, bool atStart, std::vector<int32_t> &out) const;

  std::string source;
  std::vector<Token> tokens;
  TokenModel model;
  AddedTokens added, addedNormalized; ///< Found in the text as given, and as normalized.
  Normalizer normalizer;
  PreTokenizer preTokenizer;
  bool keepsBytes = true;              ///< Text may be any bytes; else it is made valid UTF-8 first.
  bool byteLevel = true;               ///< Tokens are bytes, and decoding joins them.
  std::vector<int32_t> before, after;  ///< What the post-processor adds.
  std::vector<DecodeStep> decodeSteps; ///< Without `byteLevel`.
};
} // namespace lispier
#endif
