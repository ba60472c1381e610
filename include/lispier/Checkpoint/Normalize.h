//===- Normalize.h - Unicode's normalization forms, and cases --*- C++ -*-===//
#ifndef LISPIER_CHECKPOINT_NORMALIZE_H
#define LISPIER_CHECKPOINT_NORMALIZE_H

#include <string>
#include <string_view>

namespace lispier {
/// C: composed characters; D: decomposed ones; K: also for compatibility, such as a ligature's letters.
enum class UnicodeForm { C, D, KC, KD };
/// A normalization form of valid UTF-8; at most 11 times as long.
std::string toForm(std::string_view text, UnicodeForm form);
/// Valid UTF-8 with each character in lower case, as by itself (a final sigma is none); at most 1.5 times as long.
std::string toLowercase(std::string_view text);
/// Valid UTF-8 with each character in upper case, or title case, as at the beginning of a word; a character can become
/// several, as the German sharp s does.
std::string toUppercase(std::string_view text);
std::string toTitlecase(std::string_view text);
} // namespace lispier
#endif
