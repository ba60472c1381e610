//===- ByteAlphabet.h - how byte-level BPE spells bytes --------*- C++ -*-===//
#ifndef LISPIER_LIB_CHECKPOINT_BYTEALPHABET_H
#define LISPIER_LIB_CHECKPOINT_BYTEALPHABET_H

#include "lispier/Checkpoint/Utf8.h"
#include <array>
#include <optional>

namespace lispier {
/// Byte-level BPE spells each byte as a printable character: itself if printable, else U+0100 and up, in order.
class ByteAlphabet {
public:
  ByteAlphabet() {
    bytes.fill(-1);
    int next = 256;
    for (int byte = 0; byte < 256; ++byte) {
      bool printable = (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
      characters[byte] = printable ? byte : next++;
      bytes[characters[byte]] = byte;
    }
  }

  std::string encode(std::string_view text) const {
    std::string result;
    for (char c : text)
      appendUtf8(characters[static_cast<uint8_t>(c)], result);
    return result;
  }

  /// Returns the bytes of a spelling; none if a character stands for no byte.
  std::optional<std::string> decode(std::string_view spelling) const {
    std::string result;
    while (!spelling.empty()) {
      Utf8Step step = nextUtf8(spelling);
      if (step.kind != Utf8Step::Character || step.length > 2)
        return std::nullopt;
      char32_t point = codePoint(spelling.substr(0, step.length));
      if (point >= bytes.size() || bytes[point] < 0)
        return std::nullopt;
      result += static_cast<char>(bytes[point]);
      spelling.remove_prefix(step.length);
    }
    return result;
  }

private:
  std::array<int, 256 + 68> bytes; ///< 68 bytes are not printable.
  std::array<char32_t, 256> characters;
};
} // namespace lispier
#endif
