//===- StartTimes.cpp - times of device initialisation --------------------===//
#include "StartTimes.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <time.h>
#include <unistd.h>

namespace lispier::runtime {
namespace {
constexpr int kParts = 4;
constexpr const char *kNames[kParts] = {"driver initialisation", "context creation", "module load", "upload"};
int64_t taken[kParts]; ///< Nanoseconds.
int64_t before;        ///< Nanoseconds of other work until the first launch.
bool printed;

/// Nanoseconds since the system started the process, in ticks of 10 ms; 0 if unknown.
int64_t age() {
  FILE *file = fopen("/proc/self/stat", "re");
  if (!file)
    return 0;
  char text[1024] = "";
  size_t length = fread(text, 1, sizeof(text) - 1, file);
  fclose(file);
  text[length] = 0;
  const char *at = strrchr(text, ')'); // The program's name, in parentheses, may contain any character.
  constexpr int kFieldsToStart = 20;
  for (int i = 0; at && i < kFieldsToStart; ++i)
    at = strchr(at + 1, ' ');
  timespec now;
  if (!at || clock_gettime(CLOCK_BOOTTIME, &now) != 0)
    return 0;
  int64_t started = strtoll(at + 1, nullptr, 10) * (1'000'000'000 / sysconf(_SC_CLK_TCK));
  return int64_t(now.tv_sec) * 1'000'000'000 + now.tv_nsec - started;
}
} // namespace

StartTimer::StartTimer(StartPart part)
    : part(part), begin(lispier_rt_trace_clock()), span("device", kNames[int(part)]) {}
StartTimer::~StartTimer() { taken[int(part)] += lispier_rt_trace_clock() - begin; }

bool startTimesWanted() {
  const char *wish = getenv("LISPIER_TIME");
  return wish && *wish && strcmp(wish, "0") != 0 && !printed;
}

void endStart() {
  before = age();
  for (int64_t part : taken)
    before -= part;
}

void printStartTimes(int64_t uploaded) {
  printed = true;
  fprintf(stderr, "start: %.2f s before the device", double(before) * 1e-9);
  for (int i = 0; i < kParts; ++i)
    fprintf(stderr, ", %s %.3f s", kNames[i], double(taken[i]) * 1e-9);
  fprintf(stderr, " (%.1f MB)\n", double(uploaded) * 1e-6);
}
} // namespace lispier::runtime
