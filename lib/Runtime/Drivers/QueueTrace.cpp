//===- QueueTrace.cpp - trace bars for a device's queue -------------------===//
#include "QueueTrace.h"
#include "lispier/Runtime/Core/KernelTimes.h"
#include "lispier/Runtime/Core/Trace.h"
#include <cstdlib>
#include <cstring>

namespace lispier::runtime {
namespace {
template <size_t size> void copyName(char (&to)[size], const char *from) {
  strncpy(to, from, size - 1);
  to[size - 1] = 0;
}

constexpr unsigned kWithTime = 0;
constexpr int64_t kMaxIntervals = 1 << 14;          ///< At this many the queue is drained, which perturbs the program.
constexpr int64_t kBaseNanoseconds = 1'000'000'000; ///< Event times are float milliseconds: bound their magnitude.
} // namespace

void QueueTrace::begin(Driver &driver, void *stream, const char *kind, const char *name, int64_t bytes) {
  const DriverCalls &calls = driver.calls;
  if (count == kMaxIntervals && calls.waitStream(stream) == 0)
    write(driver);
  if (!base || (count == 0 && lispier_rt_trace_clock() - baseTime > kBaseNanoseconds)) {
    if ((!base && calls.createEvent(&base, kWithTime)) || calls.waitStream(stream) || calls.recordEvent(base, stream))
      return;
    baseTime = lispier_rt_trace_clock();
  }
  if (count == capacity) {
    int64_t grown = capacity ? 2 * capacity : 64;
    auto *more = static_cast<Interval *>(realloc(intervals, grown * sizeof(Interval)));
    if (!more)
      return;
    intervals = more;
    for (; capacity < grown; ++capacity) {
      if (calls.createEvent(&intervals[capacity].before, kWithTime))
        return;
      if (calls.createEvent(&intervals[capacity].after, kWithTime)) {
        calls.destroyEvent(intervals[capacity].before);
        return;
      }
    }
  }
  Interval &interval = intervals[count];
  interval.kind = kind;
  interval.bytes = bytes;
  copyName(interval.name, name);
  open = calls.recordEvent(interval.before, stream) == 0;
  interval.run = KernelRun{};
  KernelRun *run = openKernelRun();
  if (!run || !open)
    return;
  run->onDevice = true;
  interval.run = *run;
  copyName(interval.runName, run->name);
}

void QueueTrace::end(Driver &driver, void *stream) {
  if (open && driver.calls.recordEvent(intervals[count].after, stream) == 0)
    ++count;
  open = false;
}

void QueueTrace::write(Driver &driver) {
  auto timeOf = [&](void *event, int64_t &time) {
    float milliseconds = 0;
    bool known = driver.calls.timeBetween(&milliseconds, base, event) == 0;
    time = baseTime + int64_t(double(milliseconds) * 1e6);
    return known;
  };
  lispier_rt_bar run{};
  int64_t number = 0; // Of `run`; 0: of none.
  auto endRun = [&] {
    if (number)
      lispier_rt_trace_bar(&run, /*on_device=*/true);
    number = 0;
  };
  for (int64_t i = 0; i < count; ++i) {
    const Interval &interval = intervals[i];
    lispier_rt_bar bar{interval.kind, interval.name, nullptr, interval.bytes, 0, 0, 0, nullptr, nullptr, 0};
    if (!timeOf(interval.before, bar.begin) || !timeOf(interval.after, bar.end))
      continue;
    lispier_rt_trace_bar(&bar, /*on_device=*/true);
    if (interval.run.number != number) {
      endRun();
      number = interval.run.number;
      run = bar;
      run.kind = kKernelRun;
      run.name = interval.runName;
      run.bytes = interval.run.bytes;
      run.least = interval.run.least;
    }
    run.end = bar.end;
  }
  endRun();
  count = 0;
}

void QueueTrace::release(Driver &driver) {
  for (int64_t i = 0; i < capacity; ++i) {
    driver.calls.destroyEvent(intervals[i].before);
    driver.calls.destroyEvent(intervals[i].after);
  }
  if (base)
    driver.calls.destroyEvent(base);
  free(intervals);
}
} // namespace lispier::runtime
