//===- Clock.cpp - clocks for programs that time themselves ---------------===//
#include "lispier/Runtime/Core/Runtime.h"
#include <time.h>

namespace {
timespec now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time;
}
} // namespace

extern "C" int64_t clock_ms() {
  timespec time = now();
  return int64_t(time.tv_sec) * 1000 + time.tv_nsec / 1'000'000;
}

/// Returns seconds; the name is that of MLIR's runner library.
extern "C" double rtclock() {
  timespec time = now();
  return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
}
