//===- StageTimes.h - times of stages and passes ---------------*- C++ -*-===//
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
/// MLIR's timing manager for --time-passes. While the process traces (Runtime/Core/Trace.h), each timing is also a bar
/// of the trace.
class StageTimes : public mlir::DefaultTimingManager {
public:
  /// `report`: stream for the report, written at destruction; null: no report.
  void enable(llvm::raw_ostream *report);

private:
  std::optional<void *> rootTimer() override;
  void *nestTimer(void *handle, const void *id, llvm::function_ref<std::string()> name) override;
  void startTimer(void *handle) override;
  void stopTimer(void *handle) override;

  bool tracing = false;
  std::mutex mutex; ///< Guards the members below: function passes run in several threads and may share a timer.
  std::unordered_map<void *, std::string> names; ///< Node-based: traces keep pointers to the names.
  std::map<std::pair<void *, uint64_t>, std::vector<std::unique_ptr<runtime::TraceSpan>>>
      running; ///< By timer and thread.
};
} // namespace lispier
#endif
