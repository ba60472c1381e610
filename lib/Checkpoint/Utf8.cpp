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

char32_t lispier::codePoint(std::string_view character) {
  uint8_t first = static_cast<uint8_t>(character[0]);
  if (character.size() == 1)
    return first;
  char32_t code = first & (0x7F >> character.size());
  for (char c : character.substr(1))
    code = code << 6 | (static_cast<uint8_t>(c) & 0x3F);
  return code;
}

void lispier::appendUtf8(char32_t code, std::string &out) {
  if (code < 0x80) {
    out += static_cast<char>(code);
    return;
  }
  int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  out += static_cast<char>((0xF00 >> (more + 1) & 0xFF) | code >> 6 * more);
  while (more--)
    out += static_cast<char>(0x80 | (code >> 6 * more & 0x3F));
}

bool lispier::isWhiteSpace(char32_t code) {
  return (code >= 9 && code <= 13) || code == ' ' || code == 0x85 || code == 0xA0 || code == 0x1680 ||
         (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 || code == 0x202F || code == 0x205F ||
         code == 0x3000;
}

std::string lispier::toValidUtf8(std::string_view bytes) {
  std::string valid;
  while (!bytes.empty()) {
    Utf8Step step = nextUtf8(bytes);
    valid.append(step.kind == Utf8Step::Character ? bytes.substr(0, step.length) : kReplacement);
    bytes.remove_prefix(step.length);
  }
  return valid;
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
