//===- Tokenizer.cpp - byte-pair merging ----------------------------------===//
#include "lispier/Checkpoint/Tokenizer.h"
#include <queue>

using namespace lispier;

Tokenizer::Merge Tokenizer::findMerge(int32_t left, int32_t right) const {
  if (!spelled.empty()) {
    auto found = spelled.find(tokens[left] + tokens[right]);
    return found == spelled.end() ? Merge{kNoRank, 0} : Merge{found->second, found->second};
  }
  auto found = merges.find(uint64_t(uint32_t(left)) << 32 | uint32_t(right));
  return found == merges.end() ? Merge{kNoRank, 0} : found->second;
}

/// Merges the pair of lowest rank first, the leftmost among equals. A heap of candidate pairs over a linked list takes
/// O(n log n): a piece can be as long as the text. A stale candidate is recognised by its ids and dropped.
void Tokenizer::mergePiece(std::string_view piece, std::vector<int32_t> &out) const {
  struct Link {
    int32_t id; ///< -1 once merged into its predecessor.
    int64_t previous, next;
  };
  int64_t count = static_cast<int64_t>(piece.size());
  std::vector<Link> links(piece.size());
  for (int64_t i = 0; i < count; ++i)
    links[i] = {byteTokens[static_cast<uint8_t>(piece[i])], i - 1, i + 1 < count ? i + 1 : -1};

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

std::vector<int32_t> Tokenizer::encode(std::string_view text) const {
  std::vector<int32_t> ids;
  size_t at = 0;
  for (size_t length : preTokenizer.split(text)) {
    mergePiece(text.substr(at, length), ids);
    at += length;
  }
  return ids;
}

std::string_view Tokenizer::bytes(int32_t id) const {
  return id >= 0 && id < size() ? std::string_view(tokens[id]) : std::string_view();
}

int32_t Tokenizer::find(std::string_view spelling) const {
  for (int32_t id = 0; id < size(); ++id) // Rarely called, so there is no index.
    if (tokens[id] == spelling)
      return id;
  return -1;
}

Result<Done> Tokenizer::findBytes() {
  byteTokens.fill(-1);
  for (int32_t id = 0; id < size(); ++id)
    if (tokens[id].size() == 1)
      byteTokens[static_cast<uint8_t>(tokens[id][0])] = id;
  for (int byte = 0; byte < 256; ++byte)
    if (byteTokens[byte] < 0)
      return Failure{source + ": has no token for byte " + std::to_string(byte) +
                     "; a byte-level tokenizer has all 256"};
  return Done();
}
