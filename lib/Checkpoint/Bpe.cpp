//===- Bpe.cpp - byte-pair encoding ---------------------------------------===//
#include "lispier/Checkpoint/TokenModel.h"
#include "lispier/Checkpoint/Utf8.h"
#include <algorithm>
#include <charconv>
#include <queue>

using namespace lispier;

std::optional<char> lispier::byteOfToken(std::string_view spelling) {
  int value = 0;
  if (spelling.size() != 6 || !spelling.starts_with("<0x") || spelling[5] != '>' ||
      std::from_chars(spelling.data() + 3, spelling.data() + 5, value, 16).ptr != spelling.data() + 5)
    return std::nullopt;
  return static_cast<char>(value);
}

/// Merges the pair of lowest rank first, the leftmost among equals. A heap of candidate pairs over a linked list takes
/// O(n log n): a piece can be as long as the text. A stale candidate is recognised by its ids and dropped.
void Bpe::merge(const std::vector<int32_t> &symbols, std::vector<int32_t> &out) const {
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
    if (auto found = merges.find(pairOf(left, right)); found != merges.end())
      candidates.push({found->second.rank, at, left, right, found->second.id});
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

void Bpe::addSymbols(std::string_view piece, std::vector<int32_t> &symbols) const {
  bool lastUnknown = false;
  while (!piece.empty()) {
    std::string_view unit = piece.substr(0, byteLevel ? 1 : nextUtf8(piece).length);
    piece.remove_prefix(unit.size());
    auto found = byteLevel ? units.end() : units.find(unit);
    int32_t id = byteLevel ? byteTokens[static_cast<uint8_t>(unit[0])] : found == units.end() ? -1 : found->second;
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

void Bpe::encode(std::string_view piece, std::vector<int32_t> &out) const {
  if (wholePieces)
    if (auto found = units.find(piece); found != units.end())
      return out.push_back(found->second);
  std::vector<int32_t> symbols;
  addSymbols(piece, symbols);
  merge(symbols, out);
}
