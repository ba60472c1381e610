//===- KeepReason.h - record a handle's first error ------------*- C++ -*-===//
#ifndef LISPIER_LIB_CHECKPOINT_KEEPREASON_H
#define LISPIER_LIB_CHECKPOINT_KEEPREASON_H

#include "lispier/Checkpoint/Result.h"
#include <cstdint>
#include <new>

namespace lispier {
/// A message as one line: control characters, which names in files may have, as \xNN.
inline std::string oneLine(const std::string &message) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  std::string line;
  for (char c : message) {
    uint8_t byte = static_cast<uint8_t>(c);
    if (byte >= 0x20 && byte != 0x7F)
      line += c;
    else
      line += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return line;
}

/// Runs `body`, which returns a Result<Done>, and returns whether it succeeded. Stores the first failure in `error`.
template <typename Body> bool keepReason(std::string &error, Body body) {
  auto note = [&](const char *message) {
    if (error.empty())
      error = oneLine(message);
  };
  try {
    Result<Done> result = body();
    if (!result)
      note(result.failure().message.c_str());
    return bool(result);
  } catch (const std::bad_alloc &) {
    note("out of memory");
    return false;
  }
}
} // namespace lispier
#endif
