//===- Quoted.cpp - a file's text in a message ----------------------------===//
#include "lispier/Checkpoint/Quoted.h"
#include "lispier/Checkpoint/Utf8.h"
#include <cstdint>
#include <cstdio>

using namespace lispier;

/// Whether a terminal acts on the character instead of showing it, or shows nothing.
static bool isControl(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x200B && code <= 0x200F) ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2060 && code <= 0x206F) || code == 0xFEFF;
}

std::string lispier::shown(std::string_view text, size_t most) {
  std::string result;
  char escape[16];
  size_t left = most;
  while (!text.empty()) {
    Utf8Step step = nextUtf8(text);
    if (step.length > left)
      return result + "...";
    std::string_view character = text.substr(0, step.length);
    bool isCharacter = step.kind == Utf8Step::Character;
    char32_t code = isCharacter ? codePoint(character) : 0;
    if (isCharacter && !isControl(code)) {
      result += character;
    } else if (isCharacter) {
      std::snprintf(escape, sizeof escape, code < 0x80 ? "\\x%02X" : "\\u{%X}", unsigned(code));
      result += escape;
    } else {
      for (char byte : character) {
        std::snprintf(escape, sizeof escape, "\\x%02X", unsigned(static_cast<uint8_t>(byte)));
        result += escape;
      }
    }
    text.remove_prefix(step.length);
    left -= step.length;
  }
  return result;
}

std::string lispier::inQuotes(std::string_view text) { return "'" + shown(text) + "'"; }
