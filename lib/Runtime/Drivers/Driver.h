//===- Driver.h - a vendor's driver library, opened at run time -*- C++ -*-===//
//
// CUDA's driver and HIP have the same shape: the calls below differ in names and
// numbers. DriverCalls.def lists the names, one row a function, CudaDriver.cpp and
// HipDriver.cpp the numbers. The declarations are ours; no vendor's header is
// needed to build or to run.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_RUNTIME_DRIVER_H
#define LISPIER_LIB_RUNTIME_DRIVER_H

#include "Device/OpenDevices.h"
#include "lispier/Runtime/Device/Device.h"
#include <atomic>
#include <cstddef>

namespace lispier::runtime {
/// Functions of the library, as DriverCalls.def lists them.
struct DriverCalls {
#define CALL(member, cuda, hip, parameters) int(*member) parameters;
#include "Drivers/DriverCalls.def"
};

/// Numbers of deviceAttribute.
struct DriverAttributes {
  int threadsPerBlock, sharedBytes, sharedBytesOnRequest, warpSize, processors, gridY, concurrentManaged, hostPointers;
};

/// The library's names for what differs in more than a name; for messages.
struct DriverNames {
  const char *use, *openContext, *closeContext, *copy, *copyRows, *allowShared, *launchWith, *encodeTensorMap;
};

/// Host memory that was registered, and where each device has it, by number; null until it was asked.
struct Registered {
  Registered *next;
  char *host;
  int64_t bytes;
  char *on[kMostDevices];
};

struct Driver {
  const char *kind;
  const char *const *libraries; ///< Names to open, the newest first, ending with null.
  /// Where they are looked for after where the system has libraries: patterns of folders, and variables that name one
  /// above `lib`; the last match of a pattern first. Both end with null.
  const char *const *folders, *const *variables;
  const DriverAttributes attributes;
  int64_t mostThreads; ///< Along each dimension of a grid, blocks times their threads; 0: any number.
  /// The library's symbol for each member of DriverCalls, in the order of DriverCalls.def.
  const char *const *symbols;
  const DriverNames names;

  // What differs in more than a name.
  Status (*prepare)(Driver &driver);                     ///< Resolves the rest.
  int (*use)(Driver &driver, int device, void *context); ///< For this thread, from here on.
  int (*openContext)(Driver &driver, int device, void *&context);
  int (*closeContext)(Driver &driver, int device);
  int (*copy)(Driver &driver, void *to, const void *from, size_t bytes, void *stream);
  /// Pitches of at least a row and less than 2 GiB.
  int (*copyRows)(Driver &driver, void *to, size_t toPitch, const void *from, size_t fromPitch, size_t rowBytes,
                  size_t rows, void *stream);
  int (*allowShared)(Driver &driver, void *function, int64_t bytes); ///< Beyond what needs no asking.
  /// A launch that may begin early or has clusters. Null where the driver has no such thing, until `prepare` has found
  /// it.
  int (*launchWith)(Driver &driver, void *function, const LaunchShape &shape, void *stream, void **arguments);
  /// Writes kTensorMapBytes to `made`. Null where the driver has no such thing, until `prepare` has found it.
  int (*encodeTensorMap)(Driver &driver, const TensorMap &map, void *made);
  const char *(*errorName)(Driver &driver, int code);
  void (*architecture)(Driver &driver, int device, char (&name)[32]);

  // Filled in by openDriver.
  void *library = nullptr;
  DriverCalls calls{};
  bool tried = false;
  int devices = 0;
  Status state{}; ///< Why there are no devices.

  std::atomic<int> open = 0, registered = 0; ///< Devices, and pieces of host memory, that are now.
  Registered *hostMemory = nullptr;          ///< Those pieces.
};

constexpr int64_t kTensorMapBytes = 128, kTensorMapAlignment = 64;

/// Opens the library and counts the devices, once; what it found stays in driver.state.
const Status &openDriver(Driver &driver);
/// The address of a symbol in the library, for `prepare`.
Status findSymbol(Driver &driver, const char *name, void *&address);

/// "cuMemAlloc_v2: CUDA_ERROR_OUT_OF_MEMORY".
Status driverError(Driver &driver, const char *call, int code);

/// The entries of a driver's DeviceTable, DriverDevice.h.
namespace drivers {
Status describe(Driver &driver, int ordinal, Limits &limits);
Status open(Driver &driver, int ordinal, Device *&device);
Status limits(Device *device, Limits &limits);
Status alloc(Device *device, int64_t bytes, void *&memory);
Status allocShared(Device *device, int64_t bytes, void *&memory);
Status release(Device *device, void *memory);
bool owns(Device *device, const void *memory);
Status registerHost(Device *device, void *memory, int64_t bytes);
Status unregisterHost(Device *device, void *memory);
Status addressOf(Device *device, void *memory, void *&address);
Status copy(Device *device, void *to, const void *from, int64_t bytes);
Status copyRows(Device *device, void *to, int64_t toPitch, const void *from, int64_t fromPitch, int64_t rowBytes,
                int64_t rows);
Status fill(Device *device, void *to, uint64_t pattern, int width, int64_t count);
Status load(Device *device, const void *image, int64_t bytes, Module *&module);
Status kernel(Module *module, const char *name, Kernel *&kernel);
Status launch(Device *device, Kernel *kernel, const LaunchShape &shape, void **arguments);
Status tensorMap(Device *device, const TensorMap &map, void *&memory);
Status event(Device *device, Event *&event);
Status wait(Device *device, Event *event);
Status drop(Device *device, Event *event);
Status beginCapture(Device *device);
Status endCapture(Device *device, Graph *&graph);
Status replay(Device *device, Graph *graph);
Status forget(Device *device, Graph *graph);
Status close(Device *device);
} // namespace drivers

constexpr DeviceTable driverTable(const char *kind, int (*count)(), Status (*absent)(),
                                  Status (*describe)(int ordinal, Limits &limits),
                                  Status (*open)(int ordinal, Device *&device)) {
  return {kind,
          count,
          absent,
          describe,
          open,
          drivers::limits,
          drivers::alloc,
          drivers::allocShared,
          drivers::release,
          drivers::owns,
          drivers::registerHost,
          drivers::unregisterHost,
          drivers::addressOf,
          drivers::copy,
          drivers::copyRows,
          drivers::fill,
          drivers::load,
          drivers::kernel,
          drivers::launch,
          drivers::tensorMap,
          drivers::event,
          drivers::wait,
          drivers::drop,
          drivers::beginCapture,
          drivers::endCapture,
          drivers::replay,
          drivers::forget,
          drivers::close};
}

/// The name under which the library knows a member of DriverCalls.
#define LISPIER_DRIVER_SYMBOL(driver, member)                                                                          \
  ((driver).symbols[offsetof(::lispier::runtime::DriverCalls, member) / sizeof(void *)])
} // namespace lispier::runtime
#endif
