//===- LaunchTimes.cpp - times of launches, for `lispier tune` ------------===//
#include "lispier/Runtime/Device/LaunchTimes.h"
#include "lispier/Runtime/Core/Failure.h"
#include "lispier/Runtime/Core/Trace.h"
#include "lispier/Runtime/Device/DeviceProgram.h"
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {
constexpr int kMaxSizes =
    64; ///< Launches have fewer dimensions than this in all their memrefs; further ones are left out.

struct Measurement {
  const char *program, *setting;
  int64_t sizes[kMaxSizes];
  int count;
  int64_t begin;
  int64_t onDevice; ///< Nanoseconds of kernels since `begin`.
};
thread_local Measurement current;

void addKernel(void *, const lispier_rt_bar *bar) {
  if (!strcmp(bar->kind, "kernel"))
    current.onDevice += bar->end - bar->begin;
}

const char *resultFile() {
  const char *name = getenv("LISPIER_TUNE");
  return name && *name ? name : nullptr;
}

void write(FILE *file, const Measurement &done, int64_t nanoseconds) {
  fprintf(file, "%s\t", done.program);
  for (int i = 0; i < done.count; ++i)
    fprintf(file, "%s%" PRId64, i ? " " : "", done.sizes[i]);
  fprintf(file, "\t%s\t%" PRId64 "\n", done.setting, nanoseconds);
}
} // namespace

void lispier_rt_tune_size(int64_t size) {
  if (current.count < kMaxSizes)
    current.sizes[current.count++] = size;
}

void lispier_rt_tune_begin(const char *program, const char *setting, const char *site) {
  current.program = program;
  current.setting = setting;
  if (!resultFile())
    return;
  lispier_rt_device_wait(site);
  current.onDevice = 0;
  lispier_rt_trace_observe(addKernel, nullptr);
  current.begin = lispier_rt_trace_clock();
}

void lispier_rt_tune_end(const char *site) {
  Measurement done = current;
  current = Measurement{};
  const char *name = resultFile();
  if (!name)
    return;
  current.onDevice = 0;
  lispier_rt_device_wait(site); // Device events are written now.
  int64_t nanoseconds = current.onDevice ? current.onDevice : lispier_rt_trace_clock() - done.begin;
  lispier_rt_trace_observe(nullptr, nullptr);
  FILE *file = fopen(name, "ae");
  if (file)
    write(file, done, nanoseconds);
  if (!file || fclose(file))
    lispier::runtime::fail({site}, "LISPIER_TUNE=%s cannot be written: %s", name, strerror(errno));
}
