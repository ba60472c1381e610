//===- DriverDevice.h - a device behind a vendor's driver ------*- C++ -*-===//
//
// One implementation for CUDA and HIP, over Driver.h: opening and closing in
// DriverDevice.cpp, then DriverMemory.cpp, DriverKernels.cpp, DriverQueue.cpp.
// A device has one stream.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_RUNTIME_DRIVERDEVICE_H
#define LISPIER_LIB_RUNTIME_DRIVERDEVICE_H

#include "Driver.h"
#include "QueueTrace.h"
#include "Staging.h"
#include "lispier/Runtime/Core/Trace.h"
#include <cstdlib>

namespace lispier::runtime {
struct Piece {
  void *memory;
  int64_t bytes;
  enum Kind : uint8_t { Device, Managed, Host } kind;
  bool used;
};
struct DriverDevice {
  Driver *driver;
  int number;
  void *context, *stream;
  Limits limits;
  int64_t maxGridY, maxSharedWithoutAsking;
  bool managed;      ///< Host and device may touch memory at the same time.
  bool hostPointers; ///< Registered memory has the host's address on the device, too.
  bool capturing;
  bool idle; ///< Nothing was put into the queue since it was found empty.
  Piece *pieces;
  int64_t pieceCount, pieceCapacity, usedBytes;
  struct DriverModule *modules;
  struct DriverKernel *kernels;
  struct DriverEvent *events;
  struct DriverGraph *graphs;
  QueueTrace trace;
  Staging staging;
};
struct DriverModule {
  DriverModule *next;
  DriverDevice *device;
  void *handle;
};
struct DriverKernel {
  DriverKernel *next;
  void *function;
  int64_t sharedAllowed, staticShared;
  char name[128];
};
struct DriverEvent {
  DriverEvent *next;
  void *handle;
};
struct DriverGraph {
  DriverGraph *next;
  void *executable;
};

inline DriverDevice &own(Device *device) { return *reinterpret_cast<DriverDevice *>(device); }

/// Calls the driver, and returns from the function around it when that goes wrong.
#define CALL(device, member, ...)                                                                                      \
  if (int code = (device).driver->calls.member(__VA_ARGS__))                                                           \
  return driverError(*(device).driver, LISPIER_DRIVER_SYMBOL(*(device).driver, member), code)

template <typename T> Status addTo(T *&list, T *&made) {
  made = static_cast<T *>(calloc(1, sizeof(T)));
  if (!made)
    return Status("malloc", 0, "no memory on the host");
  made->next = list;
  list = made;
  return Status();
}
template <typename T> void freeAll(T *list) {
  while (list) {
    T *next = list->next;
    ::free(list);
    list = next;
  }
}
template <typename T> void dropFirst(T *&list) {
  T *first = list;
  list = first->next;
  ::free(first);
}

/// Before each use: the thread may be new to the driver, or another device's.
inline Status enter(DriverDevice &device) {
  device.idle = false;
  if (int code = device.driver->use(*device.driver, device.number, device.context))
    return driverError(*device.driver, device.driver->names.use, code);
  return Status();
}

/// A piece of work is put into the queue: its place in a trace. Captured work has none, only its replay.
class Traced {
public:
  Traced(DriverDevice &device, const char *kind, const char *name, int64_t bytes = -1)
      : traced(lispier_rt_tracing() && !device.capturing ? &device : nullptr) {
    if (traced)
      traced->trace.begin(*traced->driver, traced->stream, kind, name, bytes);
  }
  ~Traced() {
    if (traced)
      traced->trace.end(*traced->driver, traced->stream);
  }

private:
  DriverDevice *traced;
};

/// Until all that was put into the queue has been done. DriverQueue.cpp.
Status waitForQueue(DriverDevice &device);
/// The piece that holds an address, in use or not; null when none does. DriverMemory.cpp.
const Piece *pieceAround(const DriverDevice &device, const void *address);
/// Back to the driver; its status. DriverMemory.cpp.
int giveBack(DriverDevice &device, const Piece &piece);
} // namespace lispier::runtime
#endif
