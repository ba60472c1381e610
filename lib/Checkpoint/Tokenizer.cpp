//===- Tokenizer.cpp - byte-pair encoding ---------------------------------===//
#include "lispier/Checkpoint/Tokenizer.h"
#include "lispier/Checkpoint/Normalize.h"
#include <algorithm>
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

void Tokenizer::encodePieces(std::string_view text, std::vector<int32_t> &out) const {
  std::vector<int32_t> symbols;
  for (std::string_view piece : preTokenizer.split(text)) {
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

std::string Tokenizer::replace(std::string_view text, const Replacement &replacement) {
  auto &[from, to] = replacement;
  if (from.empty())
    return text.empty() ? "" : to + std::string(text);
  std::string result;
  for (size_t found; (found = text.find(from)) != std::string::npos; text.remove_prefix(found + from.size()))
    result.append(text.substr(0, found)).append(to);
  return result.append(text);
}

std::string Tokenizer::normalize(std::string_view text) const {
  std::string result = composes ? toNfc(text) : std::string(text);
  for (const Replacement &replacement : replacements)
    result = replace(result, replacement);
  return result;
}

std::vector<int32_t> Tokenizer::encode(std::string_view text, bool withSpecial) const {
  std::vector<int32_t> out;
  auto addToken = [&](int32_t id) { out.push_back(id); };
  if (withSpecial)
    out = before;
  std::string valid = keepsBytes ? std::string() : toValidUtf8(text);
  added.split(
      keepsBytes ? text : valid,
      [&](std::string_view part) {
        std::string normalized = normalize(part);
        addedNormalized.split(normalized, [&](std::string_view inner) { encodePieces(inner, out); }, addToken);
      },
      addToken);
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

std::string Tokenizer::Stream::stripped(const Tokenizer &tokenizer, std::string text) {
  size_t spaces = 0;
  while (!begun && removed < tokenizer.stripsSpaces && spaces < text.size() && text[spaces] == ' ')
    ++spaces, ++removed;
  begun |= spaces < text.size();
  return text.substr(spaces);
}

std::string Tokenizer::Stream::endRun() {
  std::string text = std::exchange(run, {});
  if (toValidUtf8(text) == text)
    return text;
  std::string replaced;
  for (size_t i = 0; i < text.size(); ++i)
    replaced += "\xEF\xBF\xBD";
  return replaced;
}

std::string Tokenizer::Stream::push(const Tokenizer &tokenizer, int32_t id) {
  if (tokenizer.byteLevel)
    return characters.feed(tokenizer.bytes(id));
  if (id < 0 || id >= tokenizer.size() || tokenizer.tokens[id].bytes.empty())
    return "";
  if (tokenizer.tokens[id].fallback) {
    run += tokenizer.tokens[id].bytes;
    return "";
  }
  return stripped(tokenizer, endRun() + tokenizer.tokens[id].bytes);
}

std::string Tokenizer::Stream::finish(const Tokenizer &tokenizer) {
  std::string rest = characters.finish() + stripped(tokenizer, endRun());
  *this = Stream();
  return rest;
}
