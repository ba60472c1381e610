//===- DriverDevice.h - a device behind a vendor's driver ------*- C++ -*-===//
//
// One implementation for CUDA and HIP on top of Driver.h, in DriverDevice.cpp,
// DriverMemory.cpp, DriverKernels.cpp, DriverQueue.cpp and CallerQueue.cpp. A device
// has one stream; between two calls of useQueue its work goes to one of the caller's.
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
/// An allocation, in use or cached for reuse.
struct Allocation {
  void *memory;
  int64_t bytes;
  /// Pool: of the device's memory pool, allocated and freed in the order of a caller's stream.
  enum Kind : uint8_t { Device, Managed, Host, Pool } kind;
  /// Cached: freed by the program, kept for its next request of this size. Returned: the driver's again; the address is
  /// remembered, so that freeing it a second time is not taken for freeing host memory.
  enum State : uint8_t { Used, Cached, Returned } state;
};
struct DriverDevice {
  Driver *driver;
  int number;
  void *context, *stream, *ownStream;
  void *replayStream; ///< While `ownStream` is captured: where the graph will be replayed.
  Limits limits;
  int64_t maxGridY, maxSharedWithoutAsking;
  bool managed;      ///< Host and device may access managed memory concurrently.
  bool hostPointers; ///< The device address of registered memory equals the host's.
  bool capturing;
  bool deferring; ///< Work that will be enqueued later may use memory that is cached.
  bool idle;      ///< Nothing was enqueued since the queue was last drained.
  // Set by useQueue:
  bool isCallers;         ///< `stream` is a caller's.
  bool isCallerCapturing; ///< Which captures it.
  void *callersContext;   ///< That of the caller's thread.
  int callersCaptureMode;
  void *pool; ///< For memory of work in callers' streams; null before the first, or where the driver has no pools.
  bool isPoolTried;
  Allocation *allocations;
  int64_t allocationCount, allocationCapacity, usedBytes, mostBytes;
  struct DriverModule *modules;
  struct DriverKernel *kernels;
  struct DriverEvent *events;
  struct DriverGraph *graphs;
  struct KnownMap *maps; ///< By what they are of; null before the first.
  QueueTrace trace;
  Staging staging;
};
/// A tensor map that the driver has made, which depends on nothing else.
struct KnownMap {
  TensorMap map;
  char made[TensorMap::kBytes];
};
struct DriverModule {
  DriverModule *next;
  DriverDevice *device;
  void *handle;
};
struct DriverKernel {
  DriverKernel *next;
  void *function;
  int64_t sharedAllowed; ///< Bytes of dynamic shared memory that the driver has been asked to allow.
  int64_t staticShared;  ///< Bytes of static shared memory.
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

/// Calls the driver; on an error, returns its Status from the enclosing function.
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

/// Makes the device current; needed before each call, since the thread may be new or last used another device. With a
/// caller's stream in use it is current.
inline Status enter(DriverDevice &device) {
  device.idle = false;
  if (device.isCallers)
    return Status();
  if (int code = device.driver->use(*device.driver, device.number, device.context))
    return driverError(*device.driver, device.driver->names.use, code);
  return Status();
}

/// Traces work enqueued during its lifetime, except in a caller's stream. Captured work is traced only when its graph
/// is replayed.
class Traced {
public:
  Traced(DriverDevice &device, const char *kind, const char *name, int64_t bytes = -1)
      : traced(lispier_rt_tracing() && !device.capturing && !device.isCallers ? &device : nullptr) {
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

/// Allocates memory in the order of the caller's stream; `isDone` is false where the driver has no pools.
/// CallerQueue.cpp.
Status allocFromPool(DriverDevice &device, int64_t bytes, void *&memory, bool &isDone);
/// An error for what a caller's capture cannot have.
Status refuseInCapture(const char *call, const char *what);
/// Whether the device has the memory; not that of the host.
bool isDeviceMemory(DriverDevice &device, const void *memory);
/// Blocks until the queue drains. DriverQueue.cpp.
Status waitForQueue(DriverDevice &device);
/// Returns the allocation that contains an address, in use or cached, or null. DriverMemory.cpp.
const Allocation *allocationAround(const DriverDevice &device, const void *address);
/// Returns an allocation to the driver; the result is the driver's status code. DriverMemory.cpp.
int giveBack(DriverDevice &device, const Allocation &allocation);
} // namespace lispier::runtime
#endif
