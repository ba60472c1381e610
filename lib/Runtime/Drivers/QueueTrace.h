//===- QueueTrace.h - trace bars for a device's queue ---------*- C++ -*-===//
#ifndef LISPIER_LIB_RUNTIME_QUEUETRACE_H
#define LISPIER_LIB_RUNTIME_QUEUETRACE_H

#include "Driver.h"
#include "lispier/Runtime/Core/KernelTimes.h"

namespace lispier::runtime {
/// Records trace bars for the work in a device's queue, each between an event before and an event after the work, and
/// for each run of a kernel of tensor ops (KernelTimes.h), from its first work to the end of its last. Their
/// times are read when the queue is empty and converted to the trace's clock through one reference event. A new one is
/// all zeros (DriverDevice is allocated so).
class QueueTrace {
public:
  /// Enclose enqueuing one unit of work, which moves `bytes` bytes. `name` is copied; `kind` must outlive this.
  void begin(Driver &driver, void *stream, const char *kind, const char *name, int64_t bytes);
  void end(Driver &driver, void *stream);
  /// Writes the bars; the queue must be empty.
  void write(Driver &driver);
  /// Destroys the events; call it before the stream is destroyed.
  void release(Driver &driver);

private:
  struct Interval {
    void *before, *after;
    const char *kind;
    int64_t bytes;
    char name[128];
    KernelRun run; ///< The kernel of tensor ops that the work is part of; its name is the next field.
    char runName[128];
  };
  Interval *intervals; ///< The first `capacity` have created events, which are reused.
  int64_t count, capacity;
  bool open; ///< The last unit has begun and not ended.
  void *base;
  int64_t baseTime;
};
} // namespace lispier::runtime
#endif
