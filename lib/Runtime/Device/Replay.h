//===- Replay.h - steps that are launched again and again -----*- C++ -*-===//
//
// Between begin and end work is noted instead of done. A step that was noted
// before, byte for byte, is one graph of the driver, which the second time
// makes; any other is done as it was noted. So what a host program does inside
// a step may change at any time, and costs what it would have cost anyway.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_RUNTIME_REPLAY_H
#define LISPIER_LIB_RUNTIME_REPLAY_H

#include "lispier/Runtime/Device/Device.h"

namespace lispier::runtime {
class Replay {
public:
  /// Steps may stand inside each other: the outermost is the one.
  void begin();
  /// Whether work is to be noted now.
  bool noting() const { return isNoting; }
  bool inside() const { return depth > 0; }
  /// `arguments[i]` points to the i-th of `count` arguments, all of them inside `bytes` bytes from arguments[0] on.
  Status launch(Kernel *kernel, const LaunchShape &shape, void **arguments, int32_t count, int32_t bytes);
  /// Does what was noted, and notes no more in this step: for work that cannot wait, or cannot be noted.
  Status flush(const DeviceTable &table, Device *device);
  Status end(const DeviceTable &table, Device *device);

private:
  struct Bytes {
    char *data;
    int64_t size, capacity;
    bool append(const void *from, int64_t count);
  };
  struct Step {
    Bytes work;
    Graph *graph; ///< Null: seen once.
    int64_t lastUse;
  };
  static constexpr int kMostSteps = 16;

  Status issue(const DeviceTable &table, Device *device);
  Status forget(const DeviceTable &table, Device *device, Step &step);

  Bytes noted;
  Step steps[kMostSteps];
  int64_t clock;
  int depth;
  bool isNoting;
};
} // namespace lispier::runtime
#endif
