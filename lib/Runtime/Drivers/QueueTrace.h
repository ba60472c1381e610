//===- QueueTrace.h - when a device did what ------------------*- C++ -*-===//
#ifndef LISPIER_LIB_RUNTIME_QUEUETRACE_H
#define LISPIER_LIB_RUNTIME_QUEUETRACE_H

#include "Driver.h"

namespace lispier::runtime {
/// Bars of a trace for the work in a device's queue: from an event before to an event after each piece. They are known
/// when the queue is empty, and mean something to the process by one event at a time that both clocks know.
class QueueTrace {
public:
  /// Around putting one piece into the queue. `name` is copied.
  void begin(Driver &driver, void *stream, const char *kind, const char *name, int64_t bytes);
  void end(Driver &driver, void *stream);
  /// The queue is empty: writes the bars.
  void write(Driver &driver);
  /// Before the stream goes.
  void release(Driver &driver);

private:
  struct Piece {
    void *before, *after;
    const char *kind;
    int64_t bytes;
    char name[128];
  };
  Piece *pieces; ///< The first `capacity` have their events; they are used again.
  int64_t count, capacity;
  bool open; ///< The last piece has begun.
  void *base;
  int64_t baseTime;
};
} // namespace lispier::runtime
#endif
