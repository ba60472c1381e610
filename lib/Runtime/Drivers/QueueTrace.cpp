//===- QueueTrace.cpp - when a device did what ----------------------------===//
#include "QueueTrace.h"
#include "lispier/Runtime/Core/Trace.h"
#include <cstdlib>
#include <cstring>

namespace lispier::runtime {
namespace {
constexpr unsigned kWithTime = 0;
constexpr int64_t kMostPieces = 1 << 14;            ///< Then the queue is emptied, which a program would not do.
constexpr int64_t kBaseNanoseconds = 1'000'000'000; ///< The driver counts in float milliseconds.
} // namespace

void QueueTrace::begin(Driver &driver, void *stream, const char *kind, const char *name, int64_t bytes) {
  const DriverCalls &calls = driver.calls;
  if (count == kMostPieces && calls.waitStream(stream) == 0)
    write(driver);
  if (!base || (count == 0 && lispier_rt_trace_clock() - baseTime > kBaseNanoseconds)) {
    if ((!base && calls.createEvent(&base, kWithTime)) || calls.waitStream(stream) || calls.recordEvent(base, stream))
      return;
    baseTime = lispier_rt_trace_clock();
  }
  if (count == capacity) {
    int64_t grown = capacity ? 2 * capacity : 64;
    auto *more = static_cast<Piece *>(realloc(pieces, grown * sizeof(Piece)));
    if (!more)
      return;
    pieces = more;
    for (; capacity < grown; ++capacity) {
      if (calls.createEvent(&pieces[capacity].before, kWithTime))
        return;
      if (calls.createEvent(&pieces[capacity].after, kWithTime)) {
        calls.destroyEvent(pieces[capacity].before);
        return;
      }
    }
  }
  Piece &piece = pieces[count];
  piece.kind = kind;
  piece.bytes = bytes;
  strncpy(piece.name, name, sizeof(piece.name) - 1);
  piece.name[sizeof(piece.name) - 1] = 0;
  open = calls.recordEvent(piece.before, stream) == 0;
}

void QueueTrace::end(Driver &driver, void *stream) {
  if (open && driver.calls.recordEvent(pieces[count].after, stream) == 0)
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
    const Piece &piece = pieces[i];
    lispier_rt_bar bar{piece.kind, piece.name, nullptr, piece.bytes, 0, 0, 0, nullptr, nullptr};
    if (timeOf(piece.before, bar.begin) && timeOf(piece.after, bar.end))
      lispier_rt_trace_bar(&bar, /*on_device=*/true);
  }
  count = 0;
}

void QueueTrace::release(Driver &driver) {
  for (int64_t i = 0; i < capacity; ++i) {
    driver.calls.destroyEvent(pieces[i].before);
    driver.calls.destroyEvent(pieces[i].after);
  }
  if (base)
    driver.calls.destroyEvent(base);
  free(pieces);
}
} // namespace lispier::runtime
