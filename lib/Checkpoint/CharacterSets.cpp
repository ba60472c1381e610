//===- CharacterSets.cpp - sets of characters that tokenizers name --------===//
#include "CharacterSets.h"
#include <cstdio>
#include <span>

using namespace lispier;

namespace {
struct CharacterRange {
  char32_t first, last;
};
#include "CharacterSets.inc"

std::string classOf(std::span<const CharacterRange> ranges) {
  std::string text = "[";
  char range[32];
  for (auto [first, last] : ranges) {
    std::snprintf(range, sizeof range, first == last ? "\\x{%X}" : "\\x{%X}-\\x{%X}", unsigned(first), unsigned(last));
    text += range;
  }
  return text + "]";
}
} // namespace

std::string CharacterSets::control() { return classOf(kControl); }
std::string CharacterSets::accents() { return classOf(kAccents); }
std::string CharacterSets::marks() { return classOf(kMarks); }
std::string CharacterSets::punctuation() { return classOf(kPunctuation); }
