//===- Utf8.cpp - UTF-8 decoding ------------------------------------------===//
#include "lispier/Checkpoint/Utf8.h"
#include <cstdint>

using namespace lispier;

static constexpr const char *kReplacement = "\xEF\xBF\xBD";

Utf8Step lispier::nextUtf8(std::string_view bytes) {
  auto byte = [&](size_t i) { return static_cast<uint8_t>(bytes[i]); };
  uint8_t first = byte(0);
  if (first < 0x80)
    return {Utf8Step::Character, 1};
  // Table 3-7 of the Unicode standard: only the range of the second byte depends on the first.
  size_t length = first >= 0xC2 && first <= 0xDF   ? 2
                  : first >= 0xE0 && first <= 0xEF ? 3
                  : first >= 0xF0 && first <= 0xF4 ? 4
                                                   : 0;
  if (length == 0)
    return {Utf8Step::Invalid, 1};
  for (size_t i = 1; i < length; ++i) {
    if (i == bytes.size())
      return {Utf8Step::Incomplete, i};
    uint8_t low = 0x80, high = 0xBF;
    if (i == 1) {
      low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
      high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    }
    if (byte(i) < low || byte(i) > high)
      return {Utf8Step::Invalid, i};
  }
  return {Utf8Step::Character, length};
}

std::string Utf8Stream::feed(std::string_view bytes) {
  held.append(bytes);
  std::string_view rest = held;
  std::string shown;
  while (!rest.empty()) {
    Utf8Step step = nextUtf8(rest);
    if (step.kind == Utf8Step::Incomplete)
      break;
    shown.append(step.kind == Utf8Step::Character ? rest.substr(0, step.length) : kReplacement);
    rest.remove_prefix(step.length);
  }
  held = std::string(rest);
  return shown;
}

std::string Utf8Stream::finish() {
  std::string shown = held.empty() ? "" : kReplacement;
  held.clear();
  return shown;
}
