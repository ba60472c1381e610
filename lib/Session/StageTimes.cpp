//===- StageTimes.cpp - what the stages and passes took -------------------===//
#include "StageTimes.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace lispier {
void StageTimes::enable(raw_ostream *report) {
  tracing = lispier_rt_tracing();
  setEnabled(tracing || report);
  setOutput(mlir::createOutputStrategy(OutputFormat::Text, report ? *report : nulls()));
}

std::optional<void *> StageTimes::rootTimer() {
  std::optional<void *> root = DefaultTimingManager::rootTimer();
  if (tracing && root)
    timers[*root].name = "lispier";
  return root;
}

void *StageTimes::nestTimer(void *handle, const void *id, function_ref<std::string()> name) {
  void *nested = DefaultTimingManager::nestTimer(handle, id, name);
  if (!tracing)
    return nested;
  std::lock_guard<std::mutex> guard(mutex);
  if (Timer &timer = timers[nested]; timer.name.empty())
    timer.name = name();
  return nested;
}

StageTimes::Timer &StageTimes::find(void *handle) {
  std::lock_guard<std::mutex> guard(mutex);
  return timers[handle];
}

void StageTimes::startTimer(void *handle) {
  DefaultTimingManager::startTimer(handle);
  if (!tracing)
    return;
  Timer &timer = find(handle);
  timer.bar = {"compile", timer.name.c_str(), nullptr, -1, 0, 0, 0, nullptr, nullptr};
  lispier_rt_trace_begin(&timer.bar);
}

void StageTimes::stopTimer(void *handle) {
  DefaultTimingManager::stopTimer(handle);
  if (tracing)
    lispier_rt_trace_end(&find(handle).bar);
}
} // namespace lispier
