//===- KeepReason.h - record a handle's first error ------------*- C++ -*-===//
#ifndef LISPIER_LIB_CHECKPOINT_KEEPREASON_H
#define LISPIER_LIB_CHECKPOINT_KEEPREASON_H

#include "lispier/Checkpoint/Result.h"
#include <new>

namespace lispier {
/// Runs `body`, which returns a Result<Done>, and returns whether it succeeded. Stores the first failure in `error`.
template <typename Body> bool keepReason(std::string &error, Body body) {
  auto note = [&](const char *message) {
    if (error.empty())
      error = message;
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
