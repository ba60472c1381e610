//===- StartTimes.h - times of device initialisation -----------*- C++ -*-===//
#ifndef LISPIER_LIB_RUNTIME_STARTTIMES_H
#define LISPIER_LIB_RUNTIME_STARTTIMES_H

#include "lispier/Runtime/Core/Trace.h"

namespace lispier::runtime {
enum class StartPart { Driver, Context, Module, Upload };

/// Adds its lifetime to a part's time, and traces it.
class StartTimer {
public:
  explicit StartTimer(StartPart part);
  ~StartTimer();

private:
  StartPart part;
  int64_t begin;
  TraceSpan span;
};

/// Whether LISPIER_TIME is set and the line has not been printed yet.
bool startTimesWanted();
/// Ends the start: the process's time until now, without that of the parts, is the other time. Called before the first
/// launch.
void endStart();
/// Prints one line on stderr: the time of each part, and other time until endStart. `uploaded` is in bytes.
void printStartTimes(int64_t uploaded);
} // namespace lispier::runtime
#endif
