//===- TokenizerSteps.cpp - the steps around a tokenizer's model ----------===//
//
// Reads the pre-tokenizer, the post-processor and the decoder of tokenizer.json,
// each one step or a `Sequence`.
//
//===----------------------------------------------------------------------===//
#include "CharacterSets.h"
#include "TokenizerReader.h"
#include <algorithm>

using namespace lispier;
using Prefix = PreTokenizer::Prefix;

namespace {
constexpr const char *kGpt2Pattern = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
constexpr const char *kNumber = R"(\p{N})", *kSpaces = R"(\s)";
/// Word characters as UTS #18 defines \w, or characters that are neither they nor space.
constexpr const char *kWords =
    R"([\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\x{200C}\x{200D}]+|[^\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\x{200C}\x{200D}\s]+)";
} // namespace

std::vector<JsonValue> TokenizerReader::steps(JsonValue value, const char *member) {
  if (value.absent())
    return {};
  if (value["type"].text("") != "Sequence")
    return {value};
  value.allowKeys({"type", member});
  std::vector<JsonValue> all;
  for (JsonValue item : value[member].items()) // Which may be sequences, too.
    for (JsonValue step : item["type"].text("") == "Sequence" ? item[member].items() : std::vector<JsonValue>{item})
      all.push_back(step);
  return all;
}

TokenizerReader::Behavior TokenizerReader::behaviorOf(JsonValue value, Behavior missing) {
  static constexpr Behavior behaviors[] = {Behavior::Isolated, Behavior::Removed, Behavior::Contiguous,
                                           Behavior::MergedWithPrevious, Behavior::MergedWithNext};
  if (value.missing())
    return missing;
  return behaviors[value.choice({"Isolated", "Removed", "Contiguous", "MergedWithPrevious", "MergedWithNext"})];
}

void TokenizerReader::addSplit(const char *pattern, Behavior behavior, bool inverted) {
  if (auto compiled = Pattern::compile(pattern))
    tokenizer.preTokenizer.add(std::move(*compiled), behavior, inverted);
}

void TokenizerReader::readSplit(JsonValue value) {
  value.allowKeys({"type", "pattern", "behavior", "invert"});
  JsonValue pattern = value["pattern"];
  pattern.allowKeys({"Regex", "String"});
  bool isText = !pattern["String"].absent();
  std::string text = pattern[isText ? "String" : "Regex"].text();
  auto compiled = isText ? Pattern::literal(text) : Pattern::compile(text);
  if (!compiled)
    pattern.fail("cannot be used: " + compiled.failure().message);
  else if (value["behavior"].missing())
    value["behavior"].text(); // Fails.
  else
    tokenizer.preTokenizer.add(std::move(*compiled), behaviorOf(value["behavior"], Behavior::Isolated),
                               value["invert"].flag(false));
}

Prefix TokenizerReader::readMark(JsonValue value, std::string &mark) {
  value.allowKeys({"type", "replacement", "str_rep", "add_prefix_space", "prepend_scheme", "split"});
  mark = value["replacement"].text();
  if (mark.empty() || nextUtf8(mark).length != mark.size())
    value["replacement"].fail("is not one character");
  JsonValue scheme = value["prepend_scheme"];
  Prefix prefix = Prefix::Always;
  if (!scheme.missing())
    prefix = std::array{Prefix::Always, Prefix::AtStart, Prefix::Never}[scheme.choice({"always", "first", "never"})];
  if (!value["add_prefix_space"].flag(true) && prefix != Prefix::Never)
    value["add_prefix_space"].fail("is false, but prepend_scheme is not 'never'");
  return prefix;
}

void TokenizerReader::readMarks(JsonValue value) {
  std::string mark;
  Prefix prefix = readMark(value, mark);
  tokenizer.preTokenizer.addMarks(mark, prefix);
  if (!value["split"].flag(true))
    return;
  if (auto pattern = Pattern::literal(mark))
    tokenizer.preTokenizer.add(std::move(*pattern), Behavior::MergedWithNext, /*inverted=*/false);
}

void TokenizerReader::readBytes(JsonValue value) {
  value.allowKeys({"type", "add_prefix_space", "trim_offsets", "use_regex"});
  if (byteLevel)
    value.fail("is the second of its type, which is not supported");
  byteLevel = true;
  if (value["add_prefix_space"].flag())
    tokenizer.preTokenizer.addSpace();
  if (value["use_regex"].flag(true))
    addSplit(kGpt2Pattern, Behavior::Isolated);
  tokenizer.preTokenizer.addSpelling();
}

void TokenizerReader::readPreTokenizer(JsonValue value) {
  size_t kind = value["type"].choice({"Split", "Digits", "ByteLevel", "Metaspace", "Punctuation", "Whitespace",
                                      "WhitespaceSplit", "BertPreTokenizer", "CharDelimiterSplit", "FixedLength"});
  if (kind >= 5 && kind <= 7)
    value.allowKeys({"type"});
  switch (kind) {
  case 0:
    return readSplit(value);
  case 1:
    value.allowKeys({"type", "individual_digits"});
    return addSplit(kNumber, value["individual_digits"].flag() ? Behavior::Isolated : Behavior::Contiguous);
  case 2:
    return readBytes(value);
  case 3:
    return readMarks(value);
  case 4:
    value.allowKeys({"type", "behavior"});
    return addSplit(CharacterSets::punctuation().c_str(), behaviorOf(value["behavior"], Behavior::Isolated));
  case 5:
    return addSplit(kWords, Behavior::Removed, /*inverted=*/true);
  case 7:
    addSplit(kSpaces, Behavior::Removed);
    return addSplit(CharacterSets::punctuation().c_str(), Behavior::Isolated);
  case 6:
    return addSplit(kSpaces, Behavior::Removed);
  case 8:
    value.allowKeys({"type", "delimiter"});
    if (auto pattern = Pattern::literal(value["delimiter"].text()))
      tokenizer.preTokenizer.add(std::move(*pattern), Behavior::Removed, /*inverted=*/false);
    return;
  case 9:
    value.allowKeys({"type", "length"});
    std::string characters = "[\\s\\p{Any}]{1," + std::to_string(value["length"].integer(1, 65535)) + "}";
    return addSplit(characters.c_str(), Behavior::Isolated);
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

/// `cls` before the text and `sep` after it, each as [spelling, id].
void TokenizerReader::readPair(JsonValue value) {
  value.allowKeys({"type", "sep", "cls", "trim_offsets", "add_prefix_space"});
  auto idOf = [&](const char *name) -> int32_t {
    std::vector<JsonValue> items = value[name].items();
    if (items.size() == 2)
      return static_cast<int32_t>(items[1].integer(0, tokenizer.size() - 1));
    value[name].fail("is not a token and its id");
    return 0;
  };
  tokenizer.before.insert(tokenizer.before.begin(), idOf("cls"));
  tokenizer.after.push_back(idOf("sep"));
}

void TokenizerReader::readPostProcessor(JsonValue value) {
  for (JsonValue step : steps(value, "processors"))
    switch (step["type"].choice({"ByteLevel", "TemplateProcessing", "BertProcessing", "RobertaProcessing"})) {
    case 0: // Concerns offsets in the text, which are not computed.
      step.allowKeys({"type", "add_prefix_space", "trim_offsets", "use_regex"});
      break;
    case 1:
      readTemplate(step);
      break;
    default:
      readPair(step);
    }
}

void TokenizerReader::readDecodeStep(JsonValue step) {
  using Kind = Tokenizer::DecodeStep::Kind;
  Tokenizer::DecodeStep decode{};
  switch (step["type"].choice({"Replace", "ByteFallback", "Fuse", "Strip", "Metaspace", "WordPiece"})) {
  case 0:
    decode.kind = Kind::Replace;
    decode.replacement = readReplacement(step);
    checkGrowth(step, growthOf(decode.replacement), decoderGrowth);
    break;
  case 1:
    step.allowKeys({"type"});
    decode.kind = Kind::ByteFallback;
    break;
  case 2:
    step.allowKeys({"type"});
    decode.kind = Kind::Fuse;
    break;
  case 3:
    step.allowKeys({"type", "content", "start", "stop"});
    decode.kind = Kind::Strip;
    decode.replacement.from = step["content"].text();
    decode.start = step["start"].integer(0, INT32_MAX);
    decode.stop = step["stop"].integer(0, INT32_MAX);
    if (decode.replacement.from.empty() || nextUtf8(decode.replacement.from).length != decode.replacement.from.size())
      step["content"].fail("is not one character");
    break;
  case 4:
    decode.kind = Kind::Marks;
    decode.isFirstWithout = readMark(step, decode.replacement.from) != Prefix::Never;
    decode.replacement.to = " ";
    break;
  case 5:
    step.allowKeys({"type", "prefix", "cleanup"});
    decode.kind = Kind::Words;
    decode.replacement.from = step["prefix"].text();
    if (step["cleanup"].flag()) {
      tokenizer.decodeSteps.push_back(std::move(decode));
      decode = {Kind::CleanUp};
    }
    break;
  }
  tokenizer.decodeSteps.push_back(std::move(decode));
}

void TokenizerReader::readDecoder(JsonValue value) {
  if (value.absent() && byteLevel)
    value.fail("is missing; expected 'ByteLevel'");
  if (value.absent()) // Then tokens are shown as words.
    tokenizer.decodeSteps.push_back({Tokenizer::DecodeStep::Spaces});
  bool decodesBytes = false, fused = false;
  for (JsonValue step : steps(value, "decoders")) {
    if (step["type"].text() == "ByteLevel") {
      step.allowKeys({"type", "add_prefix_space", "trim_offsets", "use_regex"});
      decodesBytes = true;
      continue;
    }
    readDecodeStep(step);
    // A text is decoded token by token: what needs all of it is not known.
    if (tokenizer.decodeSteps.empty())
      return;
    const Tokenizer::DecodeStep &last = tokenizer.decodeSteps.back();
    bool needsAll = last.kind != Tokenizer::DecodeStep::Strip || last.stop > 0;
    if (fused && needsAll && last.kind != Tokenizer::DecodeStep::Fuse)
      step.fail("stands after 'Fuse', which is supported for leading characters only ('Strip' with stop 0)");
    fused |= last.kind == Tokenizer::DecodeStep::Fuse;
  }
  if (decodesBytes != byteLevel || (decodesBytes && !tokenizer.decodeSteps.empty()))
    value.fail(byteLevel ? "is not just 'ByteLevel', but the pre-tokenizer is"
                         : "is 'ByteLevel', but the pre-tokenizer is not");
}
