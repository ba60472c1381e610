//===- Tokenizer.cpp - byte-pair encoding ---------------------------------===//
#include "lispier/Checkpoint/Tokenizer.h"
#include <algorithm>
#include <charconv>
#include <queue>
#include <utility>

using namespace lispier;

Tokenizer::Merge Tokenizer::findMerge(int32_t left, int32_t right) const {
  if (!spelled.empty()) {
    auto found = spelled.find(tokens[left].bytes + tokens[right].bytes);
    return found == spelled.end() ? Merge{kNoRank, 0} : Merge{found->second, found->second};
  }
  auto found = merges.find(pairOf(left, right));
  return found == merges.end() ? Merge{kNoRank, 0} : found->second;
}

/// Merges the pair of lowest rank first, the leftmost among equals. A heap of candidate pairs over a linked list takes
/// O(n log n): a piece can be as long as the text. A stale candidate is recognised by its ids and dropped.
void Tokenizer::merge(const std::vector<int32_t> &symbols, std::vector<int32_t> &out) const {
  struct Link {
    int32_t id; ///< -1 once merged into its predecessor.
    int64_t previous, next;
  };
  int64_t count = static_cast<int64_t>(symbols.size());
  std::vector<Link> links(symbols.size());
  for (int64_t i = 0; i < count; ++i)
    links[i] = {symbols[i], i - 1, i + 1 < count ? i + 1 : -1};

  struct Candidate {
    int32_t rank;
    int64_t at;
    int32_t left, right, merged;
    bool operator<(const Candidate &other) const { // The heap's top is its largest element.
      return rank != other.rank ? rank > other.rank : at > other.at;
    }
  };
  std::priority_queue<Candidate> candidates;
  auto consider = [&](int64_t at) {
    if (at < 0 || links[at].next < 0)
      return;
    int32_t left = links[at].id, right = links[links[at].next].id;
    if (Merge merge = findMerge(left, right); merge.rank != kNoRank)
      candidates.push({merge.rank, at, left, right, merge.id});
  };
  for (int64_t i = 0; i < count; ++i)
    consider(i);
  while (!candidates.empty()) {
    Candidate best = candidates.top();
    candidates.pop();
    Link &link = links[best.at];
    if (link.id != best.left || link.next < 0 || links[link.next].id != best.right)
      continue;
    Link &swallowed = links[link.next];
    link.id = best.merged;
    swallowed.id = -1;
    link.next = swallowed.next;
    if (link.next >= 0)
      links[link.next].previous = best.at;
    consider(link.previous);
    consider(best.at);
  }
  for (int64_t i = 0; i >= 0 && i < count; i = links[i].next)
    out.push_back(links[i].id);
}

int32_t Tokenizer::symbolOf(std::string_view unit) const {
  if (byteLevel)
    return byteTokens[static_cast<uint8_t>(unit[0])];
  auto found = ids.find(unit);
  return found == ids.end() ? -1 : found->second;
}

void Tokenizer::addSymbols(std::string_view piece, std::vector<int32_t> &symbols) const {
  bool lastUnknown = false;
  while (!piece.empty()) {
    std::string_view unit = piece.substr(0, byteLevel ? 1 : nextUtf8(piece).length);
    piece.remove_prefix(unit.size());
    int32_t id = symbolOf(unit);
    bool isUnknown = false;
    if (id >= 0) {
      symbols.push_back(id);
    } else if (byteFallback && std::all_of(unit.begin(), unit.end(),
                                           [&](char c) { return byteTokens[static_cast<uint8_t>(c)] >= 0; })) {
      for (char c : unit)
        symbols.push_back(byteTokens[static_cast<uint8_t>(c)]);
    } else if (unknown >= 0) { // Without such a token, the unit is dropped.
      isUnknown = true;
      if (!lastUnknown || !fusesUnknown)
        symbols.push_back(unknown);
    }
    lastUnknown = isUnknown;
  }
}

void Tokenizer::encodePieces(std::string_view text, bool atStart, std::vector<int32_t> &out) const {
  std::vector<int32_t> symbols;
  for (std::string_view piece : preTokenizer.split(text, atStart)) {
    if (wholePieces)
      if (auto found = ids.find(piece); found != ids.end()) {
        out.push_back(found->second);
        continue;
      }
    symbols.clear();
    addSymbols(piece, symbols);
    merge(symbols, out);
  }
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

int Tokenizer::findBytes() {
  byteTokens.fill(-1);
  for (int32_t id = 0; id < size(); ++id)
    if (tokens[id].bytes.size() == 1)
      byteTokens[static_cast<uint8_t>(tokens[id].bytes[0])] = id;
  for (int byte = 0; byte < 256; ++byte)
    if (byteTokens[byte] < 0)
      return byte;
  return -1;
}

std::optional<char> Tokenizer::byteOf(std::string_view spelling) {
  int value = 0;
  if (spelling.size() != 6 || !spelling.starts_with("<0x") || spelling[5] != '>' ||
      std::from_chars(spelling.data() + 3, spelling.data() + 5, value, 16).ptr != spelling.data() + 5)
    return std::nullopt;
  return static_cast<char>(value);
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
      token = Replacement{character, step.isFirstWithout && !hasMarked ? "" : step.replacement.to, nullptr}(token);
      hasMarked = true;
      break;
    case DecodeStep::ByteFallback:
      if (std::optional<char> byte = byteOf(token)) {
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
