//===- StageTimes.h - what the stages and passes took ----------*- C++ -*-===//
#ifndef LISPIER_LIB_SESSION_STAGETIMES_H
#define LISPIER_LIB_SESSION_STAGETIMES_H

#include "lispier/Runtime/Trace.h"
#include "mlir/Support/Timing.h"
#include <mutex>
#include <unordered_map>

namespace lispier {
/// MLIR's report for --time-passes; while the process traces (Runtime/Trace.h), each timing is a bar of the trace too.
class StageTimes : public mlir::DefaultTimingManager {
public:
  /// `report`: where the report goes when this ends; null: there is none.
  void enable(llvm::raw_ostream *report);

private:
  struct Timer {
    std::string name;
    lispier_rt_bar bar;
  };

  std::optional<void *> rootTimer() override;
  void *nestTimer(void *handle, const void *id, llvm::function_ref<std::string()> name) override;
  void startTimer(void *handle) override;
  void stopTimer(void *handle) override;

  Timer &find(void *handle);

  bool tracing = false;
  std::mutex mutex; ///< Passes on functions run in several threads, each with timers of its own.
  std::unordered_map<void *, Timer> timers; ///< Which stay where they are.
};
} // namespace lispier
#endif
