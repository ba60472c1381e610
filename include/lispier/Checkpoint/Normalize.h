//===- Normalize.h - Unicode's normalization forms, lower case -*- C++ -*-===//
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
} // namespace lispier
#endif
