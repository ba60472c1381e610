//===- Utf8.h - where characters end ---------------------------*- C++ -*-===//
#ifndef LISPIER_CHECKPOINT_UTF8_H
#define LISPIER_CHECKPOINT_UTF8_H

#include <cstddef>
#include <string>
#include <string_view>

namespace lispier {
/// Result of decoding the start of some bytes.
struct Utf8Step {
  enum Kind {
    Character,  ///< `length` bytes form a character (not a surrogate or an overlong form).
    Invalid,    ///< `length` bytes, at least 1, cannot begin a character.
    Incomplete, ///< All the bytes are a proper prefix of a character.
  } kind;
  size_t length;
};
/// Decodes one step. `bytes` must not be empty.
Utf8Step nextUtf8(std::string_view bytes);

/// The code point of one character, valid UTF-8.
char32_t codePoint(std::string_view character);
void appendUtf8(char32_t code, std::string &out);
/// Whether the code point has Unicode's property White_Space.
bool isWhiteSpace(char32_t code);
/// Replaces each maximal part that is not UTF-8 by U+FFFD, as Python and Rust do.
std::string toValidUtf8(std::string_view bytes);

/// Converts bytes to complete UTF-8 characters, with U+FFFD for invalid bytes.
class Utf8Stream {
public:
  /// Returns the characters completed by `bytes`; an incomplete one is kept for the next call.
  std::string feed(std::string_view bytes);
  /// Returns U+FFFD if an incomplete character remains, and resets the stream.
  std::string finish();

private:
  std::string held;
};
} // namespace lispier
#endif
