//===- Staging.h - pinned memory for small copies --------------*- C++ -*-===//
//
// A copy between a device and memory that its driver knows nothing of goes
// through pinned memory of the driver's own, for which it takes its time. Small
// ones go through pinned memory of ours: an upload is in the queue when it has
// been written there, a download is there when the queue is empty.
//
// It is made when it is first needed, and there may be none: LISPIER_STAGING=0,
// or no pinned memory left. Then, while work is captured (a replay would find
// what came later), and for memory that the device may write itself, copies are
// the driver's.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_RUNTIME_STAGING_H
#define LISPIER_LIB_RUNTIME_STAGING_H

#include "lispier/Runtime/Device/Device.h"

namespace lispier::runtime {
struct DriverDevice;

class Staging {
public:
  enum Way { None, Up, Down };
  /// Which way a copy goes through here, if any.
  Way wayOf(DriverDevice &device, void *to, const void *from, int64_t bytes);
  Status upload(DriverDevice &device, void *to, const void *from, int64_t bytes);
  /// Waits for the queue, so that the next wait has nothing to do.
  Status download(DriverDevice &device, void *to, const void *from, int64_t bytes);
  /// All that was put into the queue has been done.
  void queueIsEmpty() { used = 0; }
  /// The driver's status; no work may be left.
  int release(DriverDevice &device);

private:
  static constexpr int64_t kMostBytes = 64 << 10, kUploadBytes = 4 * kMostBytes;

  bool isThere(DriverDevice &device);

  bool tried;
  char *memory; ///< Uploads, one behind the other, then one download.
  int64_t used; ///< By uploads that may be under way.
};
} // namespace lispier::runtime
#endif
