//===- Tokenizer.cpp - text to tokens and back ----------------------------===//
#include "lispier/Checkpoint/Tokenizer.h"
#include <algorithm>
#include <utility>

using namespace lispier;

/// What the library `tokenizers` makes of spaces in a token of English text, such as one that it has put there.
static std::string cleanedUp(std::string token) {
  static constexpr std::pair<const char *, const char *> kShorter[] = {
      {" .", "."},   {" ?", "?"},           {" !", "!"},   {" ,", ","},     {" ' ", "'"},   {" n't", "n't"},
      {" 'm", "'m"}, {" do not", " don't"}, {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
  for (auto [from, to] : kShorter)
    if (token.find(from) != std::string::npos)
      token = Replacement{from, to, nullptr}(token);
  return token;
}

void Tokenizer::encodePieces(std::string_view text, bool atStart, std::vector<int32_t> &out) const {
  for (std::string_view piece : preTokenizer.split(text, atStart))
    std::visit([&](const auto &kind) { kind.encode(piece, out); }, model);
}

std::vector<int32_t> Tokenizer::encode(std::string_view text, bool withSpecial) const {
  std::vector<int32_t> out;
  auto addToken = [&](int32_t id) { out.push_back(id); };
  if (withSpecial)
    out = before;
  std::string valid = keepsBytes ? std::string() : toValidUtf8(text);
  std::string_view whole = keepsBytes ? text : valid;
  auto encodeText = [&](std::string_view part) {
    std::string normalized = normalizer(part);
    bool atStart = part.data() == whole.data();
    addedNormalized.split(
        normalized,
        [&](std::string_view inner) { encodePieces(inner, atStart && inner.data() == normalized.data(), out); },
        addToken);
  };
  added.split(whole, encodeText, addToken);
  if (withSpecial)
    out.insert(out.end(), after.begin(), after.end());
  return out;
}

std::string Tokenizer::decode(const std::vector<int32_t> &wanted, bool skipSpecial) const {
  Stream stream;
  std::string text;
  for (int32_t id : wanted)
    if (!skipSpecial || !isSpecial(id))
      text += stream.push(*this, id);
  return text + stream.finish(*this);
}

std::string_view Tokenizer::bytes(int32_t id) const {
  return id >= 0 && id < size() ? std::string_view(tokens[id].bytes) : std::string_view();
}

bool Tokenizer::isSpecial(int32_t id) const { return id >= 0 && id < size() && tokens[id].special; }

int32_t Tokenizer::find(std::string_view spelling) const {
  for (int32_t id = 0; id < size(); ++id) // Rarely called, so there is no index.
    if (tokens[id].bytes == spelling)
      return id;
  return -1;
}

void Tokenizer::Stream::endRun(const Tokenizer &tokenizer, size_t at, std::string &out) {
  std::string text = std::exchange(run, {});
  if (text.empty())
    return;
  if (toValidUtf8(text) == text)
    return pass(tokenizer, at, text, out);
  for (size_t i = 0; i < text.size(); ++i)
    pass(tokenizer, at, "\xEF\xBF\xBD", out);
}

void Tokenizer::Stream::pass(const Tokenizer &tokenizer, size_t at, std::string token, std::string &out) {
  bool fused = false;
  for (; at < tokenizer.decodeSteps.size(); ++at) {
    const DecodeStep &step = tokenizer.decodeSteps[at];
    const std::string &character = step.replacement.from;
    switch (step.kind) {
    case DecodeStep::Replace:
      if (step.replacement.pattern || token.find(character) != std::string::npos)
        token = step.replacement(token);
      break;
    case DecodeStep::Marks:
      token = Replacement{character, step.isFirstWithout && !hasToken ? "" : step.replacement.to, nullptr}(token);
      hasToken = true;
      break;
    case DecodeStep::Words:
    case DecodeStep::Spaces:
      if (hasToken && step.kind == DecodeStep::Words && token.starts_with(character))
        token.erase(0, character.size());
      else if (hasToken)
        token.insert(0, " ");
      hasToken = true;
      break;
    case DecodeStep::CleanUp:
      token = cleanedUp(std::move(token));
      break;
    case DecodeStep::ByteFallback:
      if (std::optional<char> byte = byteOfToken(token)) {
        run += *byte;
        return;
      }
      endRun(tokenizer, at + 1, out);
      break;
    case DecodeStep::Fuse:
      fused = true;
      break;
    case DecodeStep::Strip: {
      int64_t own = 0;
      for (int64_t &count = fused ? removed : own;
           !(fused && begun) && count < step.start && token.starts_with(character); ++count)
        token.erase(0, character.size());
      begun |= fused && !token.empty();
      for (int64_t last = 0; last < step.stop && token.ends_with(character); ++last)
        token.erase(token.size() - character.size());
      break;
    }
    }
  }
  out += token;
}

std::string Tokenizer::Stream::push(const Tokenizer &tokenizer, int32_t id) {
  if (tokenizer.byteLevel)
    return characters.feed(tokenizer.bytes(id));
  std::string out;
  if (id >= 0 && id < tokenizer.size() && !tokenizer.tokens[id].bytes.empty())
    pass(tokenizer, 0, tokenizer.tokens[id].bytes, out);
  return out;
}

std::string Tokenizer::Stream::finish(const Tokenizer &tokenizer) {
  std::string rest = characters.finish();
  for (size_t at = 0; at < tokenizer.decodeSteps.size(); ++at)
    if (tokenizer.decodeSteps[at].kind == DecodeStep::ByteFallback)
      endRun(tokenizer, at + 1, rest);
  *this = Stream();
  return rest;
}
