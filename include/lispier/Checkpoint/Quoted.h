//===- Quoted.h - a file's text in a message -------------------*- C++ -*-===//
#ifndef LISPIER_CHECKPOINT_QUOTED_H
#define LISPIER_CHECKPOINT_QUOTED_H

#include <string>
#include <string_view>

namespace lispier {
/// Text of a file as messages show it: its first `most` bytes (of whole characters), `...` for more, and escapes for
/// bytes that are not UTF-8, control characters and those that change the direction of writing. A file can hold
/// megabytes where a name is expected.
std::string shown(std::string_view text, size_t most = 60);
/// The same in quotes: 'text'.
std::string inQuotes(std::string_view text);
} // namespace lispier
#endif
