//===- Staging.h - pinned staging buffer for small copies ------*- C++ -*-===//
//
// Drivers copy pageable host memory through their own pinned memory, with high
// latency. This class copies small amounts through a pinned buffer of its own: an
// upload is enqueued once its data is in the buffer; a download waits for the queue.
//
// The buffer is allocated on first use. The driver copies directly if there is no
// buffer (LISPIER_STAGING=0, or no pinned memory left), while work is captured (a
// replay would read the buffer's later contents), and for memory that a device may
// write.
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
  /// Direction of a copy that goes through the buffer; None if the driver should copy directly.
  Way wayOf(DriverDevice &device, void *to, const void *from, int64_t bytes);
  Status upload(DriverDevice &device, void *to, const void *from, int64_t bytes);
  /// Waits for the queue, so that the next wait returns at once.
  Status download(DriverDevice &device, void *to, const void *from, int64_t bytes);
  /// Called when the queue has drained: all uploads are done.
  void queueIsEmpty() { used = 0; }
  /// Frees the buffer and returns the driver's status code. The queue must be empty.
  int release(DriverDevice &device);

private:
  static constexpr int64_t kMostBytes = 64 << 10, kUploadBytes = 4 * kMostBytes;

  bool isThere(DriverDevice &device);

  bool tried;
  char *memory; ///< The upload area, used front to back, then space for one download.
  int64_t used; ///< Bytes of uploads that may still be in flight.
};
} // namespace lispier::runtime
#endif
