//===- Normalize.cpp - Unicode's normalization forms, and cases -----------===//
//
// The algorithm of UAX #15: decompose, order the marks by combining class, compose.
//
//===----------------------------------------------------------------------===//
#include "lispier/Checkpoint/Normalize.h"
#include "lispier/Checkpoint/Utf8.h"
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

using namespace lispier;

namespace {
/// A character that decomposes into `first` and, unless 0, `second`. `composes`: form C keeps the character.
struct Decomposition {
  char32_t code, first, second;
  bool composes;
};
struct CombiningRange {
  char32_t begin, last;
  uint8_t value;
};
/// A character that the compatibility forms write as `count` others, from kCompatibleText[begin] on.
struct CompatibleText {
  char32_t code;
  uint16_t begin, count;
};
/// The characters begin, begin + step ... last, whose lower, upper or title case is at `distance`.
struct CaseRange {
  char32_t begin, last;
  int32_t step, distance;
};
/// A character whose upper and title case have several.
struct LongCase {
  char32_t code;
  const char *upper, *title;
};
#include "UnicodeTables.inc"

/// Hangul syllables are composed of a leading consonant, a vowel and perhaps a trailing consonant by arithmetic.
constexpr char32_t kSyllables = 0xAC00, kLeading = 0x1100, kVowels = 0x1161, kTrailing = 0x11A7;
constexpr char32_t kLeadingCount = 19, kVowelCount = 21, kTrailingCount = 28;
constexpr char32_t kSyllableCount = kLeadingCount * kVowelCount * kTrailingCount;
/// Each smaller character is its own form C, and no mark joins it unless that mark is larger.
constexpr char32_t kFirstComposing = 0x300;
/// Each smaller character is all its forms.
constexpr char32_t kFirstDecomposing = 0xA0;

/// The entry of a table in order of `code` for a character, or null.
template <typename Entry, size_t count> const Entry *entryOf(const Entry (&table)[count], char32_t code) {
  auto *found = std::lower_bound(std::begin(table), std::end(table), code,
                                 [](const Entry &entry, char32_t wanted) { return entry.code < wanted; });
  return found != std::end(table) && found->code == code ? found : nullptr;
}

uint8_t combiningClass(char32_t code) {
  auto *found = std::lower_bound(std::begin(kCombining), std::end(kCombining), code,
                                 [](const CombiningRange &range, char32_t wanted) { return range.last < wanted; });
  return found != std::end(kCombining) && found->begin <= code ? found->value : 0;
}

struct Mark {
  char32_t code;
  uint8_t value; ///< Combining class.
  size_t place;  ///< Index before the marks are ordered.
};

void decompose(char32_t code, bool compatibly, std::vector<Mark> &out) {
  if (auto *text = compatibly ? entryOf(kCompatible, code) : nullptr) {
    for (char32_t part : std::span(kCompatibleText + text->begin, text->count)) // Decomposed already.
      out.push_back({part, combiningClass(part), out.size()});
    return;
  }
  if (code >= kSyllables && code < kSyllables + kSyllableCount) {
    char32_t index = code - kSyllables;
    out.push_back({kLeading + index / (kVowelCount * kTrailingCount), 0, out.size()});
    out.push_back({kVowels + index / kTrailingCount % kVowelCount, 0, out.size()});
    if (index % kTrailingCount)
      out.push_back({kTrailing + index % kTrailingCount, 0, out.size()});
    return;
  }
  auto *parts = entryOf(kDecompositions, code);
  if (!parts) {
    out.push_back({code, combiningClass(code), out.size()});
    return;
  }
  decompose(parts->first, compatibly, out);
  if (parts->second)
    decompose(parts->second, compatibly, out);
}

/// The character that form C writes for two adjacent ones.
std::optional<char32_t> compose(char32_t first, char32_t second) {
  if (first >= kLeading && first < kLeading + kLeadingCount && second >= kVowels && second < kVowels + kVowelCount)
    return kSyllables + ((first - kLeading) * kVowelCount + (second - kVowels)) * kTrailingCount;
  if (first >= kSyllables && first < kSyllables + kSyllableCount && (first - kSyllables) % kTrailingCount == 0 &&
      second > kTrailing && second < kTrailing + kTrailingCount)
    return first + (second - kTrailing);
  auto before = [](const Decomposition &a, const Decomposition &b) {
    return a.first != b.first ? a.first < b.first : a.second < b.second;
  };
  static const std::vector<Decomposition> pairs = [&] {
    std::vector<Decomposition> sorted;
    std::copy_if(std::begin(kDecompositions), std::end(kDecompositions), std::back_inserter(sorted),
                 [](const Decomposition &entry) { return entry.composes; });
    std::sort(sorted.begin(), sorted.end(), before);
    return sorted;
  }();
  auto found = std::lower_bound(pairs.begin(), pairs.end(), Decomposition{0, first, second, true}, before);
  if (found == pairs.end() || found->first != first || found->second != second)
    return std::nullopt;
  return found->code;
}

/// Composes in place: each character joins the last starter unless one of at least its class stands between.
void composeAll(std::vector<Mark> &marks) {
  size_t kept = 0;
  std::optional<size_t> starter;
  for (size_t i = 0; i < marks.size(); ++i) {
    Mark mark = marks[i];
    bool adjacent = starter && kept == *starter + 1;
    if (starter && (adjacent || (marks[kept - 1].value != 0 && marks[kept - 1].value < mark.value)))
      if (auto composed = compose(marks[*starter].code, mark.code)) {
        marks[*starter].code = *composed;
        continue;
      }
    if (mark.value == 0)
      starter = kept;
    marks[kept++] = mark;
  }
  marks.resize(kept);
}
} // namespace

std::string lispier::toForm(std::string_view text, UnicodeForm form) {
  bool composes = form == UnicodeForm::C || form == UnicodeForm::KC;
  bool compatibly = form == UnicodeForm::KC || form == UnicodeForm::KD;
  char32_t firstChanging = form == UnicodeForm::C ? kFirstComposing : kFirstDecomposing;
  std::vector<Mark> marks;
  bool changes = false;
  for (std::string_view rest = text; !rest.empty();) {
    size_t length = nextUtf8(rest).length;
    char32_t code = codePoint(rest.substr(0, length));
    changes |= code >= firstChanging;
    decompose(code, compatibly, marks);
    rest.remove_prefix(length);
  }
  if (!changes)
    return std::string(text);
  for (auto at = marks.begin(); at != marks.end();) {
    auto end = std::find_if(at, marks.end(), [](const Mark &mark) { return mark.value == 0; });
    std::sort(at, end,
              [](const Mark &a, const Mark &b) { return a.value != b.value ? a.value < b.value : a.place < b.place; });
    at = end == marks.end() ? end : end + 1;
  }
  if (composes)
    composeAll(marks);
  std::string result;
  for (const Mark &mark : marks)
    appendUtf8(mark.code, result);
  return result;
}

namespace {
/// The character at a range's distance, or itself.
char32_t inCase(std::span<const CaseRange> ranges, char32_t code) {
  auto range = std::lower_bound(ranges.begin(), ranges.end(), code,
                                [](const CaseRange &each, char32_t wanted) { return each.last < wanted; });
  bool changes = range != ranges.end() && range->begin <= code && (code - range->begin) % range->step == 0;
  return changes ? code + range->distance : code;
}

std::string inLargeCase(std::string_view text, std::span<const CaseRange> ranges, const char *LongCase::*special) {
  std::string result;
  for (; !text.empty(); text.remove_prefix(nextUtf8(text).length)) {
    char32_t code = codePoint(text.substr(0, nextUtf8(text).length));
    if (const LongCase *several = code < kFirstDecomposing ? nullptr : entryOf(kLongCases, code))
      result += several->*special;
    else
      appendUtf8(inCase(ranges, code), result);
  }
  return result;
}
} // namespace

std::string lispier::toUppercase(std::string_view text) { return inLargeCase(text, kUppercase, &LongCase::upper); }
std::string lispier::toTitlecase(std::string_view text) { return inLargeCase(text, kTitlecase, &LongCase::title); }

std::string lispier::toLowercase(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    std::string_view character = text.substr(0, nextUtf8(text).length);
    text.remove_prefix(character.size());
    char32_t code = codePoint(character);
    if (code == 0x130) // The only one whose lower case is two characters.
      result += "i\u0307";
    else
      appendUtf8(inCase(kLowercase, code), result);
  }
  return result;
}
