//===- StartTimes.h - what starting on a device takes ----------*- C++ -*-===//
#ifndef LISPIER_LIB_RUNTIME_STARTTIMES_H
#define LISPIER_LIB_RUNTIME_STARTTIMES_H

#include "lispier/Runtime/Core/Trace.h"

namespace lispier::runtime {
enum class StartPart { Driver, Context, Module, Upload };

/// Adds the time until its end to a part; a bar of the trace, too.
class StartTimer {
public:
  explicit StartTimer(StartPart part);
  ~StartTimer();

private:
  StartPart part;
  int64_t begin;
  TraceSpan span;
};

/// LISPIER_TIME is set, and nothing was printed yet.
bool startTimesWanted();
/// The first kernel is about to be launched.
void endStart();
/// One line on stderr: the parts, and what else passed until endStart. `uploaded`: bytes.
void printStartTimes(int64_t uploaded);
} // namespace lispier::runtime
#endif
