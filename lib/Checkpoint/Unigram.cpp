//===- Unigram.cpp - tokens by scores, and words from the left ------------===//
#include "lispier/Checkpoint/TokenModel.h"
#include "lispier/Checkpoint/Utf8.h"
#include <algorithm>

using namespace lispier;

namespace {
/// How much below the smallest score an unknown character is, as in SentencePiece.
constexpr double kUnknownPenalty = 10;

/// The node that a text leads to from the root; none if it leaves the tree.
std::optional<uint32_t> walk(const Trie &trie, std::string_view text) {
  uint32_t node = Trie::kRoot;
  for (char byte : text)
    if (node = trie.step(node, byte); node == Trie::kRoot)
      return std::nullopt;
  return node;
}
} // namespace

Unigram::Unigram(const Vocabulary &vocabulary, int32_t unknown, bool byteFallback)
    : unknown(unknown), byteFallback(byteFallback) {
  byteTokens.fill(-1);
  std::vector<std::pair<std::string_view, int32_t>> texts;
  for (auto &[spelling, score] : vocabulary) {
    if (std::optional<char> byte = byteOfToken(spelling))
      byteTokens[static_cast<uint8_t>(*byte)] = static_cast<int32_t>(scores.size());
    unknownScore = scores.empty() ? score : std::min(unknownScore, score);
    texts.emplace_back(spelling, static_cast<int32_t>(scores.size()));
    scores.push_back(score);
  }
  unknownScore -= kUnknownPenalty;
  trie = Trie(std::move(texts));
}

/// Adjacent unknown characters count as one text, which may be a token after all.
void Unigram::addUnknown(std::string_view text, std::vector<int32_t> &out) const {
  if (std::optional<uint32_t> node = walk(trie, text); node && trie.numberAt(*node) >= 0)
    return out.push_back(trie.numberAt(*node));
  if (!byteFallback ||
      std::any_of(text.begin(), text.end(), [&](char c) { return byteTokens[static_cast<uint8_t>(c)] < 0; }))
    return out.push_back(unknown);
  for (char c : text)
    out.push_back(byteTokens[static_cast<uint8_t>(c)]);
}

/// Finds for each end of a character the best tokens of the text up to it: of equal sums the one whose last token is
/// longest, as in the library `tokenizers`.
void Unigram::encode(std::string_view piece, std::vector<int32_t> &out) const {
  struct Step {
    double score = 0;
    size_t begin = SIZE_MAX;
    int32_t id = -1;
  };
  std::vector<Step> bestTo(piece.size() + 1);
  auto offer = [&](size_t begin, size_t end, int32_t id, double score) {
    double sum = score + bestTo[begin].score;
    if (bestTo[end].begin == SIZE_MAX || sum > bestTo[end].score)
      bestTo[end] = {sum, begin, id};
  };
  for (size_t begin = 0, length; begin < piece.size(); begin += length) {
    length = nextUtf8(piece.substr(begin)).length;
    bool isCovered = false;
    uint32_t node = Trie::kRoot;
    for (size_t end = begin; end < piece.size() && (node = trie.step(node, piece[end])) != Trie::kRoot;) {
      ++end;
      if (int32_t id = trie.numberAt(node); id >= 0) {
        offer(begin, end, id, scores[id]);
        isCovered |= end - begin == length;
      }
    }
    if (!isCovered)
      offer(begin, begin + length, unknown, unknownScore);
  }
  std::vector<std::pair<size_t, int32_t>> steps; // From the end: where each begins, and its token.
  for (size_t end = piece.size(); end > 0; end = bestTo[end].begin) {
    if (bestTo[end].id == unknown && !steps.empty() && steps.back().second == unknown)
      steps.back().first = bestTo[end].begin;
    else
      steps.emplace_back(bestTo[end].begin, bestTo[end].id);
  }
  for (size_t i = steps.size(); i-- > 0;) {
    auto [begin, id] = steps[i];
    if (id == unknown)
      addUnknown(piece.substr(begin, (i ? steps[i - 1].first : piece.size()) - begin), out);
    else
      out.push_back(id);
  }
}

WordPiece::WordPiece(const std::unordered_map<std::string, int32_t> &vocabulary, std::string_view prefix,
                     int64_t mostCharacters, int32_t unknown)
    : trie({vocabulary.begin(), vocabulary.end()}), continuing(walk(trie, prefix)), mostCharacters(mostCharacters),
      unknown(unknown) {}

void WordPiece::encode(std::string_view piece, std::vector<int32_t> &out) const {
  size_t before = out.size();
  int64_t characters = 0;
  for (std::string_view rest = piece; !rest.empty(); rest.remove_prefix(nextUtf8(rest).length))
    ++characters;
  bool fits = characters <= mostCharacters;
  for (size_t begin = 0, end; fits && begin < piece.size(); begin = end) {
    int32_t longest = -1;
    uint32_t node = begin ? continuing.value_or(Trie::kRoot) : Trie::kRoot;
    bool begins = begin == 0 || continuing.has_value();
    end = begin;
    for (size_t at = begin; begins && at < piece.size() && (node = trie.step(node, piece[at])) != Trie::kRoot;) {
      ++at;
      if (int32_t id = trie.numberAt(node); id >= 0) {
        longest = id;
        end = at;
      }
    }
    fits = longest >= 0;
    out.push_back(longest);
  }
  if (fits)
    return;
  out.resize(before);
  out.push_back(unknown);
}
