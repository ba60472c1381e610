//===- StageTimes.cpp - times of stages and passes ------------------------===//
#include "StageTimes.h"
#include "llvm/Support/Threading.h"
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
    names[*root] = "lispier";
  return root;
}

void *StageTimes::nestTimer(void *handle, const void *id, function_ref<std::string()> name) {
  void *nested = DefaultTimingManager::nestTimer(handle, id, name);
  if (!tracing)
    return nested;
  std::lock_guard<std::mutex> guard(mutex);
  if (std::string &known = names[nested]; known.empty())
    known = name();
  return nested;
}

void StageTimes::startTimer(void *handle) {
  DefaultTimingManager::startTimer(handle);
  if (!tracing)
    return;
  std::lock_guard<std::mutex> guard(mutex);
  running[{handle, get_threadid()}].push_back(std::make_unique<runtime::TraceSpan>("compile", names[handle].c_str()));
}

void StageTimes::stopTimer(void *handle) {
  DefaultTimingManager::stopTimer(handle);
  if (!tracing)
    return;
  std::lock_guard<std::mutex> guard(mutex);
  if (auto found = running.find({handle, get_threadid()}); found != running.end() && !found->second.empty())
    found->second.pop_back();
}
} // namespace lispier
