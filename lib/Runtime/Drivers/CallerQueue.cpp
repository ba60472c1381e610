//===- CallerQueue.cpp - work in streams of callers -----------------------===//
//
// Functions of a library enqueue their work in the stream that their caller names.
// Memory for it comes from a pool of the driver, which orders allocations and frees by
// streams, and makes them part of a graph while a caller captures. Calls of the driver
// that it forbids during a capture, such as loading a module, are allowed for as long
// as the device uses the stream; they are not part of the graph.
//
//===----------------------------------------------------------------------===//
#include "DriverDevice.h"
#include <cstring>
#include <utility>

namespace lispier::runtime {
Status refuseInCapture(const char *call, const char *what) {
  return Status(call, 0, "the caller captures the stream, and this function %s, which a graph cannot replay", what);
}

namespace {
/// CUmemPoolProps and hipMemPoolProps.
struct PoolProperties {
  int allocationType = 1 /* pinned */, handleTypes = 0, locationType = 1 /* a device */, locationId = 0;
  void *security = nullptr;
  size_t mostBytes = 0;
  unsigned char reserved[56] = {};
};
static_assert(sizeof(PoolProperties) == 88);

/// Makes the pool, which keeps freed memory when the device is idle. It stays null where drivers or devices have none.
void makePool(DriverDevice &device) {
  device.isPoolTried = true;
  const DriverCalls &calls = device.driver->calls;
  if (!calls.createPool || !calls.setPoolAttribute || !calls.destroyPool || !calls.allocFromPool || !calls.freeAsync)
    return;
  PoolProperties properties;
  properties.locationId = device.number;
  void *pool = nullptr;
  constexpr int kReleaseThreshold = 4;
  uint64_t all = UINT64_MAX;
  if (calls.createPool(&pool, &properties) == 0 && calls.setPoolAttribute(pool, kReleaseThreshold, &all) == 0)
    device.pool = pool;
}
} // namespace

Status allocFromPool(DriverDevice &device, int64_t bytes, void *&memory, bool &isDone) {
  if (Status status = enter(device); !status.ok())
    return status;
  if (!device.isPoolTried)
    makePool(device);
  isDone = device.pool != nullptr;
  if (isDone)
    CALL(device, allocFromPool, &memory, size_t(bytes), device.pool, device.stream);
  return Status();
}

bool isDeviceMemory(DriverDevice &device, const void *memory) {
  // Of memory that is part of a graph, drivers know nothing yet.
  if (const Allocation *own = allocationAround(device, memory))
    return own->kind != Allocation::Host;
  constexpr int kMemoryType = 2, kDevice = 2, kUnified = 4;
  unsigned type = 0;
  const DriverCalls &calls = device.driver->calls;
  return calls.pointerAttribute && calls.pointerAttribute(&type, kMemoryType, const_cast<void *>(memory)) == 0 &&
         (type == kDevice || type == kUnified);
}

namespace {
Status useCallers(DriverDevice &device, void *stream) {
  const DriverCalls &calls = device.driver->calls;
  void *context = nullptr;
  CALL(device, currentContext, &context);
  device.callersContext = context;
  bool isCurrent = context && context == device.context; // HIP has none.
  if (Status status = isCurrent ? Status() : enter(device); !status.ok())
    return status;
  int status = 0;
  if (stream) // The default stream cannot be captured.
    CALL(device, isCapturing, stream, &status);
  device.stream = stream;
  device.isCallers = true;
  device.isCallerCapturing = status != 0;
  device.callersCaptureMode = 2; // CU_STREAM_CAPTURE_MODE_RELAXED
  if (device.isCallerCapturing && calls.exchangeCaptureMode)
    CALL(device, exchangeCaptureMode, &device.callersCaptureMode);
  return Status();
}
} // namespace

bool drivers::isCaptured(Device *handle) { return own(handle).isCallerCapturing; }

Status drivers::upload(Device *handle, const void *from, int64_t bytes, void *&memory) {
  DriverDevice &device = own(handle);
  bool isCallers = std::exchange(device.isCallers, false);
  bool isCallerCapturing = std::exchange(device.isCallerCapturing, false);
  void *stream = std::exchange(device.stream, device.ownStream);
  Status status = alloc(handle, bytes, memory);
  if (status.ok())
    status = copy(handle, memory, from, bytes);
  if (status.ok())
    status = wait(handle, nullptr);
  device.isCallers = isCallers;
  device.isCallerCapturing = isCallerCapturing;
  device.stream = stream;
  return status;
}

Status drivers::useQueue(Device *handle, void *const *queue) {
  DriverDevice &device = own(handle);
  if (queue)
    return useCallers(device, *queue);
  Driver &driver = *device.driver;
  if (!device.isCallers)
    return Status();
  device.stream = device.ownStream;
  device.isCallers = false;
  if (device.isCallerCapturing && driver.calls.exchangeCaptureMode)
    driver.calls.exchangeCaptureMode(&device.callersCaptureMode);
  device.isCallerCapturing = false;
  if (device.callersContext && device.callersContext == device.context)
    return Status();
  int number = 0; // HIP has the device's number in place of a context.
  memcpy(&number, &device.callersContext, sizeof(number));
  if (int code = driver.use(driver, number, device.callersContext))
    return driverError(driver, driver.names.use, code);
  return Status();
}
} // namespace lispier::runtime
