//===- AbiHandle.h - what the handles of the C ABI share -------*- C++ -*-===//
#ifndef LISPIER_LIB_CHECKPOINT_ABIHANDLE_H
#define LISPIER_LIB_CHECKPOINT_ABIHANDLE_H

#include "lispier/Checkpoint/Config.h"
#include "lispier/Checkpoint/Result.h"
#include <cstdint>
#include <new>

namespace lispier {
/// What every handle of the C ABI begins with: its first error, empty while there is none.
struct AbiHandle {
  std::string error;
};

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

/// Runs `body`, which returns a Result<Done>, and returns whether it succeeded. Stores a failure in `error`, unless an
/// earlier one is there.
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

/// Allocates a handle and fills it by `open`, which takes the handle and returns a Result<Done>. Returns null only if
/// no memory is left for the handle.
template <typename Handle, typename Open> Handle *openHandle(Open open) {
  auto *handle = new (std::nothrow) Handle;
  if (handle)
    keepReason(handle->error, [&] { return open(*handle); });
  return handle;
}

/// The first error of a handle, or null. A handle that could not be allocated is null.
inline const char *errorOf(const AbiHandle *handle) {
  if (!handle)
    return "out of memory";
  return handle->error.empty() ? nullptr : handle->error.c_str();
}

/// Whether a key that the configuration lacks has the caller's default or is an error.
enum class AbsentKey { IsDefault, IsError };

/// The value of `key`, read from `config` by `getter`, or `missing`. Stores a failure in the handle.
template <typename T>
T askConfig(AbiHandle &handle, const Config &config, AbsentKey absent,
            Result<T> (Config::*getter)(const std::string &, T) const, const char *key, T missing) {
  T answer = missing;
  keepReason(handle.error, [&]() -> Result<Done> {
    if (absent == AbsentKey::IsError && !config.has(key))
      return Failure{"the configuration has no '" + std::string(key) + "'"};
    auto found = (config.*getter)(key, missing);
    if (!found)
      return found.failure();
    answer = *found;
    return Done();
  });
  return answer;
}
} // namespace lispier
#endif
