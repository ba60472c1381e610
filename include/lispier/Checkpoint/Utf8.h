//===- Utf8.h - where characters end ---------------------------*- C++ -*-===//
#ifndef LISPIER_CHECKPOINT_UTF8_H
#define LISPIER_CHECKPOINT_UTF8_H

#include <cstddef>
#include <string>
#include <string_view>

namespace lispier {
/// What stands at the start of some bytes.
struct Utf8Step {
  enum Kind {
    Character,  ///< `length` bytes form one (no surrogate, no overlong form).
    Invalid,    ///< `length` bytes can begin no character; at least 1.
    Incomplete, ///< All the bytes are the beginning of one.
  } kind;
  size_t length;
};
/// `bytes` must not be empty.
Utf8Step nextUtf8(std::string_view bytes);

/// Bytes in, whole characters out: what is not UTF-8 becomes U+FFFD.
class Utf8Stream {
public:
  /// What may be shown now; the beginning of a character is held back.
  std::string feed(std::string_view bytes);
  /// What is still held back, as U+FFFD.
  std::string finish();

private:
  std::string held;
};
} // namespace lispier
#endif
