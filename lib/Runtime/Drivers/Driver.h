//===- Driver.h - a vendor's driver library, opened at run time -*- C++ -*-===//
//
// CUDA's driver API and HIP have the same structure. DriverCalls.def lists the
// functions with their names in both; CudaDriver.cpp and HipDriver.cpp have a Driver each,
// with the constants and the functions that differ.
// The declarations are our own, so no vendor header or library is needed to build or
// to start.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_RUNTIME_DRIVER_H
#define LISPIER_LIB_RUNTIME_DRIVER_H

#include "Device/OpenDevices.h"
#include "lispier/Runtime/Device/Device.h"
#include <atomic>
#include <cstddef>

namespace lispier::runtime {
/// Functions with the same signature in CUDA and HIP; DriverCalls.def lists them.
struct DriverCalls {
#define CALL(member, cuda, hip, parameters) int(*member) parameters;
#include "Drivers/DriverCalls.def"
};

/// The members before it must be there.
constexpr size_t kRequiredCalls = offsetof(DriverCalls, createPool) / sizeof(void *);

/// The symbols of each library for the members of DriverCalls, in their order.
inline constexpr const char *kCudaCalls[] = {
#define CALL(member, cuda, hip, parameters) #cuda,
#include "Drivers/DriverCalls.def"
};
inline constexpr const char *kHipCalls[] = {
#define CALL(member, cuda, hip, parameters) #hip,
#include "Drivers/DriverCalls.def"
};

/// Attribute numbers for deviceAttribute.
struct DriverAttributes {
  int threadsPerBlock, sharedBytes, sharedBytesOnRequest, warpSize, processors, gridY, concurrentManaged, hostPointers;
};

/// Names of the functions that differ in more than the name, for messages; empty for those that cannot fail.
struct DriverNames {
  const char *use, *openContext, *closeContext = "", *copy, *copyRows, *allowShared = "", *launchWith = "",
                                 *encodeTensorMap = "";
};

struct DriverSymbol {
  const char *name;
  void *address; ///< Of a pointer to the function.
};

/// A registered range of host memory, with its address on each device by ordinal; null until first queried.
struct Registered {
  Registered *next;
  char *host;
  int64_t bytes;
  char *on[kMostDevices];
};

/// A vendor's library: constants, and functions that differ in more than the name. Those that return an int return the
/// driver's error code, 0 for success.
struct Driver {
  static constexpr const char *kNone[] = {nullptr};

  const char *kind;
  const char *const *libraries; ///< Names to open, the newest first, ending with null.
  /// Searched after the default path: glob patterns of folders, and environment variables that name a folder above
  /// `lib`. Of a pattern's matches the last one is tried first. Both lists end with null.
  const char *const *folders = kNone, *const *variables = kNone;
  const DriverAttributes attributes;
  int64_t mostThreads = 0;    ///< Maximum of blocks times threads along each grid dimension; 0: unlimited.
  const char *const *symbols; ///< The library's symbol for each member of DriverCalls.
  const DriverNames names;
  const DriverSymbol *required; ///< Symbols that the functions below need, ending with a null name.

  void (*prepare)(Driver &driver);                       ///< Resolves symbols that a library may lack.
  int (*use)(Driver &driver, int device, void *context); ///< Makes the device current for this thread.
  int (*openContext)(Driver &driver, int device, void *&context) = [](Driver &driver, int device, void *&context) {
    context = nullptr;
    return driver.use(driver, device, nullptr);
  };
  int (*closeContext)(Driver &driver, int device) = [](Driver &, int) { return 0; };
  int (*copy)(Driver &driver, void *to, const void *from, size_t bytes, void *stream);
  /// The pitches are at least rowBytes and less than 2 GiB.
  int (*copyRows)(Driver &driver, void *to, size_t toPitch, const void *from, size_t fromPitch, size_t rowBytes,
                  size_t rows, void *stream);
  /// Opts in to more dynamic shared memory, where a driver wants that.
  int (*allowShared)(Driver &driver, void *function, int64_t bytes) = [](Driver &, void *, int64_t) { return 0; };
  /// Launch with attributes: programmatic dependent launch or clusters. Null if unsupported; `prepare` sets it.
  int (*launchWith)(Driver &driver, void *function, const LaunchShape &shape, void *stream, void **arguments) = nullptr;
  /// Writes TensorMap::kBytes bytes to `made`. Null if unsupported; `prepare` sets it.
  int (*encodeTensorMap)(Driver &driver, const TensorMap &map, void *made) = nullptr;
  const char *(*errorName)(Driver &driver, int code); ///< Null if the code is unknown.
  void (*architecture)(Driver &driver, int device, char (&name)[32]);

  // Set by openDriver.
  void *library = nullptr;
  DriverCalls calls{};
  bool tried = false;
  int devices = 0;
  Status state{}; ///< The reason if there are no devices.

  std::atomic<int> open = 0, registered = 0; ///< Numbers of open devices and of registered host ranges.
  Registered *hostMemory = nullptr;          ///< The registered host ranges.
};

constexpr int64_t kTensorMapAlignment = 64;

/// Opens the library and counts the devices on the first call. Returns driver.state.
const Status &openDriver(Driver &driver);
/// Looks up a symbol of the library, for `prepare`.
Status findSymbol(Driver &driver, const char *name, void *&address);

/// Status with the call and the error's name: "cuMemAlloc_v2: CUDA_ERROR_OUT_OF_MEMORY".
Status driverError(Driver &driver, const char *call, int code);

/// Implementations of a driver's DeviceTable entries; see DriverDevice.h.
namespace drivers {
Status describe(Driver &driver, int ordinal, Limits &limits);
Status open(Driver &driver, int ordinal, Device *&device);
Status limits(Device *device, Limits &limits);
Status alloc(Device *device, int64_t bytes, void *&memory);
Status allocShared(Device *device, int64_t bytes, void *&memory);
Status release(Device *device, void *memory);
bool owns(Device *device, const void *memory);
bool holds(Device *device, const void *address);
void defer(Device *device, bool defers);
int64_t mostBytes(Device *device);
Status upload(Device *device, const void *from, int64_t bytes, void *&memory);
Status registerHost(Device *device, void *memory, int64_t bytes);
Status unregisterHost(Device *device, void *memory);
Status addressOf(Device *device, void *memory, bool readsPointers, void *&address);
Status copy(Device *device, void *to, const void *from, int64_t bytes);
Status copyRows(Device *device, void *to, int64_t toPitch, const void *from, int64_t fromPitch, int64_t rowBytes,
                int64_t rows);
Status fill(Device *device, void *to, uint64_t pattern, int width, int64_t count);
Status load(Device *device, const void *image, int64_t bytes, Module *&module);
Status kernel(Module *module, const char *name, Kernel *&kernel);
Status launch(Device *device, Kernel *kernel, const LaunchShape &shape, void **arguments);
Status tensorMap(Device *device, const TensorMap &map, void *made);
Status event(Device *device, Event *&event);
Status wait(Device *device, Event *event);
Status isDone(Device *device, Event *event, bool &done);
Status drop(Device *device, Event *event);
Status beginCapture(Device *device);
Status endCapture(Device *device, Graph *&graph);
Status replay(Device *device, Graph *graph);
Status forget(Device *device, Graph *graph);
Status useQueue(Device *device, void *const *queue);
void *queue(Device *device);
bool isCaptured(Device *device);
Status close(Device *device);
} // namespace drivers

/// The device table of a driver. `kind` is driver.kind, which is no constant.
template <Driver &driver> constexpr DeviceTable driverTable(const char *kind) {
  return {kind,
          [] { return openDriver(driver).ok() ? driver.devices : 0; },
          []() -> Status { return openDriver(driver); },
          [](int ordinal, Limits &limits) { return drivers::describe(driver, ordinal, limits); },
          [](int ordinal, Device *&device) { return drivers::open(driver, ordinal, device); },
          drivers::limits,
          drivers::alloc,
          drivers::allocShared,
          drivers::release,
          drivers::owns,
          drivers::holds,
          drivers::defer,
          drivers::mostBytes,
          drivers::upload,
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
          drivers::isDone,
          drivers::drop,
          drivers::beginCapture,
          drivers::endCapture,
          drivers::replay,
          drivers::forget,
          drivers::useQueue,
          drivers::queue,
          drivers::isCaptured,
          drivers::close};
}

/// The library's name of a member of DriverCalls.
#define LISPIER_DRIVER_SYMBOL(driver, member)                                                                          \
  ((driver).symbols[offsetof(::lispier::runtime::DriverCalls, member) / sizeof(void *)])
} // namespace lispier::runtime
#endif
