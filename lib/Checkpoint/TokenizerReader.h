//===- TokenizerReader.h - fills a tokenizer from a file -------*- C++ -*-===//
#ifndef LISPIER_LIB_CHECKPOINT_TOKENIZERREADER_H
#define LISPIER_LIB_CHECKPOINT_TOKENIZERREADER_H

#include "ByteAlphabet.h"
#include "JsonFile.h"
#include "lispier/Checkpoint/Tokenizer.h"

namespace lispier {
class LargeFields; // In TokenizerJson.cpp.

/// Fills a tokenizer from the fields of tokenizer.json; errors stay with the file's values. A component or field whose
/// effect is not supported is an error: the ids would silently be others.
class TokenizerReader {
public:
  TokenizerReader(Tokenizer &tokenizer, LargeFields &large) : tokenizer(tokenizer), large(large) {}
  void read(JsonValue root);

private:
  using Behavior = PreTokenizer::Behavior;
  // The steps around the model, in TokenizerSteps.cpp and TokenizerNormalizers.cpp.
  void readNormalizer(JsonValue value);
  void readNormalizerStep(JsonValue step);
  void readBertNormalizer(JsonValue step);
  void readPreTokenizer(JsonValue value);
  void readSplit(JsonValue value);
  void readMarks(JsonValue value);
  void readBytes(JsonValue value);
  void addSplit(const char *pattern, Behavior behavior, bool inverted = false);
  Behavior behaviorOf(JsonValue value, Behavior missing);
  void readPostProcessor(JsonValue value);
  void readTemplate(JsonValue value);
  void readPair(JsonValue value);
  void readDecoder(JsonValue value);
  void readDecodeStep(JsonValue value);
  /// The fields of `Replace`.
  Replacement readReplacement(JsonValue step);
  /// The character of a `Metaspace`, and what it says of the first piece.
  PreTokenizer::Prefix readMark(JsonValue value, std::string &mark);
  /// Fails if this step, after those before it in a sequence, can make text too long; `growth` is of all of them.
  static void checkGrowth(JsonValue step, double factor, double &growth);
  /// Appends a step of the normalizer that makes text at most `factor` times as long.
  void addNormalizer(JsonValue step, Normalizer::Step added, double factor);
  static double growthOf(const Replacement &replacement);
  /// The steps of a `Sequence`, its `member`, or the one that `value` is; none if it is absent.
  static std::vector<JsonValue> steps(JsonValue value, const char *member);

  void readModel(JsonValue value);
  void readBpe(JsonValue value);
  void readUnigram(JsonValue value);
  void readWordPiece(JsonValue value);
  void readVocabulary(JsonValue value);
  void readMerges(JsonValue value, Bpe &bpe);
  /// The id of the token that a value spells.
  int32_t idOf(JsonValue token);
  void readAddedTokens(JsonValue value);
  /// The token that a spelling stands for.
  Tokenizer::Token tokenOf(const std::string &spelling) const;

  Tokenizer &tokenizer;
  LargeFields &large;
  ByteAlphabet alphabet;
  bool byteLevel = false;
  double growth = 1, decoderGrowth = 1; ///< Of the normalizer and the decoder.
  std::unordered_map<std::string, int32_t> vocabulary;
};
} // namespace lispier
#endif
