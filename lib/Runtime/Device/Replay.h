//===- Replay.h - captured graphs of repeated steps -----------*- C++ -*-===//
//
// Between begin and end, launches, and fills and copies of the device's own memory,
// are recorded instead of enqueued. A step whose recording equals an earlier one
// byte for byte is replayed as a captured graph, which is built when the step occurs
// for the second time; any other step is enqueued as recorded. A program may
// therefore change the work of a step at any time, at no more than the cost without
// recording.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_RUNTIME_REPLAY_H
#define LISPIER_LIB_RUNTIME_REPLAY_H

#include "lispier/Runtime/Device/Device.h"

namespace lispier::runtime {
/// The steps of one device. Has no constructor, since it is part of a zero-initialized global. Closing the device
/// releases the graphs.
class Replay {
public:
  /// Begins a step. Steps nest; only the outermost one counts. Without `records`, its work is enqueued as it comes.
  void begin(const DeviceTable &table, Device *device, bool records);
  /// Whether work is currently recorded.
  bool recording() const { return isRecording; }
  /// Whether the program is inside a step.
  bool inside() const { return depth > 0; }
  /// Records a launch. `arguments[i]` points to argument i of `count`, all within the `bytes` bytes from arguments[0].
  Status launch(Kernel *kernel, const LaunchShape &shape, void **arguments, int32_t count, int32_t bytes);
  /// Record copies and fills of memory of the device.
  Status copy(void *to, const void *from, int64_t bytes);
  Status copyRows(void *to, int64_t toPitch, const void *from, int64_t fromPitch, int64_t rowBytes, int64_t rows);
  Status fill(void *to, uint64_t pattern, int width, int64_t count);
  /// Records a call of `issue` with a copy of `bytes` bytes, which enqueues work.
  using Issue = Status (*)(const void *work);
  Status call(Issue issue, const void *work, int64_t bytes);
  /// Keeps memory of the host that the program frees in this step, as recorded work may use it.
  Status free(void *memory);
  /// Returns memory that was freed in the step, which is no longer recorded, and forgets it; null if there is none.
  void *nextFreed();
  /// Issues the recorded work and stops recording in this step: for work that cannot be deferred or recorded.
  Status flush(const DeviceTable &table, Device *device);
  /// Leaves a step that cannot end, since the program has failed in it. What is recorded is lost.
  void abandon(const DeviceTable &table, Device *device);
  /// Ends a step: replays its graph, or issues the recorded work. `how` becomes what was done, for traces.
  Status end(const DeviceTable &table, Device *device, const char *&how);

private:
  struct Bytes {
    char *data;
    int64_t size, capacity;
    bool append(const void *from, int64_t count);
  };
  struct Step {
    Bytes work;
    Graph *graph; ///< Null if the step has occurred once.
    int64_t lastUse;
  };
  static constexpr int kMostSteps = 16;

  template <typename Work> Status record(const Work &work);
  void stopRecording(const DeviceTable &table, Device *device);
  Status issue(const DeviceTable &table, Device *device);
  Status issueLaunch(const DeviceTable &table, Device *device, int64_t &at);
  Status forget(const DeviceTable &table, Device *device, Step &step);

  Bytes recorded;
  Bytes freed; ///< Addresses, each padded as all that is appended.
  Step steps[kMostSteps];
  int64_t clock;
  int depth;
  bool isRecording;
};
} // namespace lispier::runtime
#endif
