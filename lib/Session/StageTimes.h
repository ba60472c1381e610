//===- StageTimes.h - what the stages and passes took ----------*- C++ -*-===//
#ifndef LISPIER_LIB_SESSION_STAGETIMES_H
#define LISPIER_LIB_SESSION_STAGETIMES_H

#include "lispier/Runtime/Core/Trace.h"
#include "mlir/Support/Timing.h"
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace lispier {
/// MLIR's report for --time-passes; while the process traces (Runtime/Core/Trace.h), each timing is a bar of the trace
/// too.
class StageTimes : public mlir::DefaultTimingManager {
public:
  /// `report`: where the report goes when this ends; null: there is none.
  void enable(llvm::raw_ostream *report);

private:
  std::optional<void *> rootTimer() override;
  void *nestTimer(void *handle, const void *id, llvm::function_ref<std::string()> name) override;
  void startTimer(void *handle) override;
  void stopTimer(void *handle) override;

  bool tracing = false;
  std::mutex mutex; ///< Of what follows: passes on functions run in several threads, and may share a timer.
  std::unordered_map<void *, std::string> names; ///< Which stay where they are.
  std::map<std::pair<void *, uint64_t>, std::vector<std::unique_ptr<runtime::TraceSpan>>>
      running; ///< By timer and thread.
};
} // namespace lispier
#endif
