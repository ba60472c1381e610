//===- QueueTrace.cpp - trace bars for a device's queue -------------------===//
#include "QueueTrace.h"
#include "lispier/Runtime/Core/Trace.h"
#include <cstdlib>
#include <cstring>

namespace lispier::runtime {
namespace {
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
  strncpy(interval.name, name, sizeof(interval.name) - 1);
  interval.name[sizeof(interval.name) - 1] = 0;
  open = calls.recordEvent(interval.before, stream) == 0;
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
  for (int64_t i = 0; i < count; ++i) {
    const Interval &interval = intervals[i];
    lispier_rt_bar bar{interval.kind, interval.name, nullptr, interval.bytes, 0, 0, 0, nullptr, nullptr};
    if (timeOf(interval.before, bar.begin) && timeOf(interval.after, bar.end))
      lispier_rt_trace_bar(&bar, /*on_device=*/true);
  }
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
