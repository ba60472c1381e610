//===- AttentionMask.cpp - the mask of attention by its values -------------===//
//
// Finds which positions each token sees: all, or those up to its own, also in a window.
//
//===----------------------------------------------------------------------===//
#include "AttentionFinder.h"
#include "TensorFormulas.h"

using namespace mlir;

namespace lispier {
/// The last position that token 0 sees, if there is one such that token t sees t more.
std::optional<int64_t> AttentionFinder::firstPosition() {
  constexpr int64_t kMost = 128;
  std::optional<int64_t> last;
  for (int64_t position = 0; position < kMost; ++position) {
    int seen = sees(0, position);
    if (seen < 0)
      return std::nullopt;
    if (seen)
      last = position;
  }
  return last && *last + 1 < kMost ? last : std::nullopt;
}

/// What the mask's comparisons compare with 0; nothing if the mask depends on the head, or otherwise on its place.
std::optional<SmallVector<MaskLine>> AttentionFinder::linesOfMask() {
  SmallVector<int64_t> at[5];
  // Heads that share keys are numbered by the sum of head and token.
  const Place places[] = {{0, 0, 0}, {0, 2, 0}, {0, 0, 1}, {1, 0, 0}, {2, 0, 0}};
  for (auto [differences, place] : llvm::zip(at, places)) {
    // The comparisons are met in the same order everywhere.
    auto collect = [&differences](arith::CmpIPredicate, int64_t difference) {
      differences.push_back(difference);
      return true;
    };
    if (!masked(place, 1.0, collect) || use > IndexUse::Piecewise || differences.size() != at[0].size())
      return std::nullopt;
  }
  SmallVector<MaskLine> lines;
  for (auto [here, token, position, head, other] : llvm::zip(at[0], at[1], at[2], at[3], at[4])) {
    MaskLine line{isOneToken() ? 0 : (token - here) / 2, position - here, here};
    if (std::abs(line.token) > 1 || std::abs(line.position) > 1 || here != head || here != other)
      return std::nullopt;
    lines.push_back(line);
  }
  return lines;
}

/// Whether the mask is what was found: token t sees all positions, or those up to `first` + t, and of these no more
/// than the window has. The scale is the same for all of them.
bool AttentionFinder::isMaskAsRead(int64_t first) {
  int64_t window = found.window.value_or(0);
  std::optional<SmallVector<MaskLine>> lines = linesOfMask();
  Number scale = masked({0, 0, first}, 1.0);
  if (!lines || !scale)
    return false;
  if (found.causal)
    lines->push_back({-1, 1, -first});
  if (window)
    lines->push_back({-1, 1, window - 1 - first});
  return llvm::all_of(placesOfRegions(*lines), [&](auto place) {
    auto [token, position] = place;
    if (token && isOneToken())
      return true;
    int64_t own = first + token;
    bool isSeen = !found.causal || (position <= own && (!window || position > own - window));
    Number value = masked({token % 3, token, position}, 1.0);
    return value && (isSeen ? isNear(*value, *scale) : *value <= kUnseen);
  });
}

/// Reads a causal mask with the round's sizes.
bool AttentionFinder::readRound(Round &round) {
  keys = round.keys, tokens = round.tokens;
  std::optional<int64_t> first = firstPosition();
  if (!first)
    return false;
  found.window = std::nullopt;
  int64_t token = isOneToken() ? 0 : kFarToken;
  if (sees(token, 0) != 1) {
    int64_t below = 0, from = token + *first; // Unseen, seen.
    if (sees(token, from) != 1)
      return false;
    while (from - below > 1) {
      int64_t middle = (below + from) / 2;
      (sees(token, middle) == 1 ? from : below) = middle;
    }
    found.window = token + *first - from + 1;
  }
  round.first = *first, round.window = found.window;
  round.symbols = symbols;
  return isMaskAsRead(*first);
}

bool AttentionFinder::readMask() {
  if (sees(0, 0) < 0)
    return false;
  if (isMaskAsRead(0))
    return true;
  found.causal = true;
  Round rounds[] = {{7, 3}, {20, 5}, {31, 2}};
  for (auto [number, round] : llvm::enumerate(rounds)) {
    firstSymbol = 5 + 13 * number;
    symbols.clear();
    if (!readRound(round))
      return false;
  }
  keys = kKeys, tokens = 3;
  return matchWindow(rounds) && matchFirst(rounds) && holdsFarAway();
}

/// Whether the mask is also what was found where numbers from outside are none of those that were tried, so that it has
/// the window itself and not, for instance, at most 1000 of it.
bool AttentionFinder::holdsFarAway() {
  llvm::MapVector<Value, int64_t> known = symbols;
  bool holds = true;
  for (int64_t number : {int64_t(1), kFarToken + 3, int64_t(1) << 30}) {
    if (found.first)
      symbols[found.first] = number;
    if (found.windowValue) {
      symbols[found.windowValue] = number;
      found.window = number;
    }
    int64_t first = found.first ? number : found.alignedToEnd ? keys - tokens : found.firstConstant;
    holds &= isMaskAsRead(first);
  }
  if (found.windowValue)
    found.window = std::nullopt;
  symbols = std::move(known);
  return holds;
}

/// The symbol that is the number in all rounds; null if there is none.
Value AttentionFinder::symbolOf(ArrayRef<Round> rounds,
                                llvm::function_ref<std::optional<int64_t>(const Round &)> number) {
  for (auto &[symbol, value] : rounds[0].symbols)
    if (llvm::all_of(rounds, [&, symbol = symbol](const Round &round) {
          auto known = round.symbols.find(symbol);
          return known != round.symbols.end() && known->second == number(round);
        }))
      return symbol;
  return {};
}

/// What the window is in all rounds.
bool AttentionFinder::matchWindow(ArrayRef<Round> rounds) {
  found.window = rounds[0].window;
  if (llvm::all_of(rounds, [&](const Round &round) { return round.window == found.window; }))
    return true;
  found.window = std::nullopt;
  return bool(found.windowValue = symbolOf(rounds, [](const Round &round) { return round.window; }));
}

/// What the position of the first token is in all rounds.
bool AttentionFinder::matchFirst(ArrayRef<Round> rounds) {
  found.firstConstant = rounds[0].first;
  if (llvm::all_of(rounds, [&](const Round &round) { return round.first == found.firstConstant; }))
    return true;
  found.firstConstant = 0;
  if (llvm::all_of(rounds, [](const Round &round) { return round.first == round.keys - round.tokens; }))
    return found.alignedToEnd = true;
  found.first = symbolOf(rounds, [](const Round &round) { return round.first; });
  symbols.clear();
  symbols[found.first] = 0; // For what is tried after this.
  return bool(found.first);
}
} // namespace lispier
