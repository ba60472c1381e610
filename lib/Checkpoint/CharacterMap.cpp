//===- CharacterMap.cpp - SentencePiece's table of characters -------------===//
//
// A unit of the double array has, as in the library Darts: bits 0 to 7 the byte
// that leads to it, 8 whether a text ends there, 10 to 30 the distance to its
// children, times 256 if bit 9 is set; bit 31 marks a value, its other bits.
//
//===----------------------------------------------------------------------===//
#include "lispier/Checkpoint/CharacterMap.h"
#include "lispier/Checkpoint/Utf8.h"
#include <algorithm>

using namespace lispier;

namespace {
/// Bytes of what is looked up as a whole, at most.
constexpr size_t kLongestCluster = 5;

bool endsText(uint32_t unit) { return unit >> 8 & 1; }
size_t valueOf(uint32_t unit) { return unit & 0x7FFFFFFF; }
uint32_t labelOf(uint32_t unit) { return unit & 0x800000FF; }
size_t distanceOf(uint32_t unit) { return size_t(unit >> 10) << ((unit & 0x200) >> 6); }

/// Decodes base64 with its padding; none for other text.
std::optional<std::string> decodeBase64(std::string_view text) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  size_t padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
  if (text.size() % 4)
    return std::nullopt;
  std::string bytes;
  uint32_t bits = 0, count = 0;
  for (char c : text.substr(0, text.size() - padding)) {
    size_t digit = digits.find(c);
    if (digit == std::string_view::npos)
      return std::nullopt;
    bits = bits << 6 | uint32_t(digit);
    if ((count += 6) < 8)
      continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count);
  }
  return bytes;
}
} // namespace

Result<CharacterMap> CharacterMap::read(std::string_view encoded) {
  std::optional<std::string> bytes = decodeBase64(encoded);
  if (!bytes)
    return Failure{"is not base64"};
  auto word = [&](size_t at) {
    uint32_t value = 0;
    for (size_t i = 4; i-- > 0;)
      value = value << 8 | static_cast<uint8_t>((*bytes)[at + i]);
    return value;
  };
  size_t size = bytes->size() < 4 ? 0 : word(0) / 4 * 4;
  if (size == 0 || size > bytes->size() - 4)
    return Failure{"has " + std::to_string(bytes->size()) + " bytes, of which " + std::to_string(size) +
                   " would be a trie"};
  auto clusters = Pattern::clusters();
  if (!clusters)
    return clusters.failure();
  CharacterMap map(std::move(*clusters));
  for (size_t at = 4; at < 4 + size; at += 4)
    map.units.push_back(word(at));
  map.texts = bytes->substr(4 + size);
  if (toValidUtf8(map.texts) != map.texts)
    return Failure{"has texts that are not UTF-8"};
  auto checked = map.check();
  return checked ? Result<CharacterMap>(std::move(map)) : checked.failure();
}

/// Visits the nodes that a lookup can reach, each by its shortest text: checks their values, and finds how much longer
/// they make a text.
Result<Done> CharacterMap::check() {
  std::vector<bool> seen(units.size());
  std::vector<size_t> level{distanceOf(units[0])}, next; // Where the children of each node are.
  for (size_t depth = 1; depth <= kLongestCluster; ++depth, level.swap(next), next.clear())
    for (size_t node : level)
      for (uint32_t label = 1; label < 256; ++label) {
        size_t child = node ^ label;
        if (child >= units.size() || labelOf(units[child]) != label || seen[child])
          continue;
        seen[child] = true;
        size_t children = child ^ distanceOf(units[child]);
        next.push_back(children);
        if (!endsText(units[child]))
          continue;
        size_t place = children < units.size() ? valueOf(units[children]) : SIZE_MAX;
        if (place > texts.size() || (place < texts.size() && (texts[place] & 0xC0) == 0x80))
          return Failure{"has a value that is not the place of a text"};
        mostGrowth = std::max(mostGrowth, double(textAt(place).size()) / double(depth));
      }
  return Done();
}

std::string_view CharacterMap::textAt(size_t place) const {
  return std::string_view(texts).substr(place, std::min(texts.find('\0', place), texts.size()) - place);
}

std::optional<std::string_view> CharacterMap::find(std::string_view chunk) const {
  size_t node = distanceOf(units[0]);
  for (char c : chunk) {
    auto label = static_cast<uint8_t>(c);
    node ^= label;
    if (label == 0 || node >= units.size() || labelOf(units[node]) != label)
      return std::nullopt;
    uint32_t unit = units[node];
    node ^= distanceOf(unit);
    if (endsText(unit))
      return textAt(valueOf(units[node]));
  }
  return std::nullopt;
}

std::string CharacterMap::operator()(std::string_view text) const {
  auto isAscii = [&](size_t at) { return at == text.size() || static_cast<signed char>(text[at]) >= 0; };
  std::string result;
  Pattern::Search search(clusters);
  for (size_t begin = 0, end; begin < text.size(); begin = end) {
    size_t from;
    if (isAscii(begin) && isAscii(begin + 1) && text[begin] != '\r')
      end = begin + 1;
    else if (!search.find(text, begin, from, end))
      end = begin + nextUtf8(text.substr(begin)).length;
    std::string_view cluster = text.substr(begin, end - begin);
    auto whole = cluster.size() <= kLongestCluster ? find(cluster) : std::nullopt;
    if (whole) {
      result += *whole;
      continue;
    }
    while (!cluster.empty()) {
      std::string_view character = cluster.substr(0, nextUtf8(cluster).length);
      result += find(character).value_or(character);
      cluster.remove_prefix(character.size());
    }
  }
  return result;
}
