//===- KeepReason.h - failures that a handle remembers ---------*- C++ -*-===//
#ifndef LISPIER_LIB_CHECKPOINT_KEEPREASON_H
#define LISPIER_LIB_CHECKPOINT_KEEPREASON_H

#include "lispier/Checkpoint/Result.h"
#include <new>

namespace lispier {
/// Runs `body`, which returns a Result<Done>, and returns whether it succeeded. The first reason stays.
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
