//===- DriverDevice.cpp - open and close a device -------------------------===//
#include "DriverDevice.h"
#include "Core/StartTimes.h"
#include <cstdio>

namespace lispier::runtime {
namespace {
Status readLimits(DriverDevice &device) {
  Driver &driver = *device.driver;
  Limits &limits = device.limits;
  CALL(device, deviceName, limits.name, int(sizeof(limits.name)), device.number);
  size_t bytes = 0;
  CALL(device, deviceMemory, &bytes, device.number);
  limits.memoryBytes = int64_t(bytes);
  auto attribute = [&](int number) {
    int value = 0;
    driver.calls.deviceAttribute(&value, number, device.number);
    return value;
  };
  const DriverAttributes &numbers = driver.attributes;
  limits.processors = attribute(numbers.processors);
  limits.threadsPerBlock = attribute(numbers.threadsPerBlock);
  device.maxSharedWithoutAsking = attribute(numbers.sharedBytes);
  int64_t most = attribute(numbers.sharedBytesOnRequest);
  limits.sharedBytes = most > device.maxSharedWithoutAsking ? most : device.maxSharedWithoutAsking;
  limits.warpSize = attribute(numbers.warpSize);
  device.maxGridY = attribute(numbers.gridY);
  device.managed = attribute(numbers.concurrentManaged) != 0;
  device.hostPointers = attribute(numbers.hostPointers) != 0;
  driver.architecture(driver, device.number, limits.architecture);
  return Status();
}
} // namespace

namespace drivers {
namespace {
Status checkOrdinal(Driver &driver, int ordinal) {
  if (const Status &status = openDriver(driver); !status.ok())
    return status;
  if (ordinal >= 0 && ordinal < driver.devices)
    return Status();
  char there[400] = "";
  for (int i = 0, length = 0; i < driver.devices && length < int(sizeof(there)) - 100; ++i) {
    int number = 0;
    char name[64] = "";
    driver.calls.deviceGet(&number, i);
    driver.calls.deviceName(name, int(sizeof(name)), number);
    length += snprintf(there + length, sizeof(there) - length, "%s %d (%s)", i ? "," : "", i, name);
  }
  return Status("open", 0, "no %s device %d; this machine has%s", driver.kind, ordinal, there);
}
} // namespace

Status describe(Driver &driver, int ordinal, Limits &limits) {
  if (Status status = checkOrdinal(driver, ordinal); !status.ok())
    return status;
  DriverDevice device{};
  device.driver = &driver;
  CALL(device, deviceGet, &device.number, ordinal);
  Status status = readLimits(device);
  limits = device.limits;
  return status;
}

Status open(Driver &driver, int ordinal, Device *&device) {
  if (Status status = checkOrdinal(driver, ordinal); !status.ok())
    return status;
  auto *made = static_cast<DriverDevice *>(calloc(1, sizeof(DriverDevice)));
  if (!made)
    return Status("malloc", 0, "no memory on the host");
  made->driver = &driver;
  auto start = [&](DriverDevice &device) {
    constexpr unsigned kApartFromDefault = 1;
    StartTimer timer(StartPart::Context);
    CALL(device, deviceGet, &device.number, ordinal);
    if (int code = driver.openContext(driver, device.number, device.context))
      return driverError(driver, driver.names.openContext, code);
    if (Status status = enter(device); !status.ok())
      return status;
    if (Status status = readLimits(device); !status.ok())
      return status;
    CALL(device, createStream, &device.ownStream, kApartFromDefault);
    device.stream = device.ownStream;
    return Status();
  };
  if (Status status = start(*made); !status.ok()) {
    if (made->context)
      driver.closeContext(driver, made->number);
    ::free(made);
    return status;
  }
  ++driver.open;
  device = reinterpret_cast<Device *>(made);
  return Status();
}

Status limits(Device *device, Limits &limits) {
  limits = own(device).limits;
  return Status();
}

/// Releases everything even if a call fails, and returns the first error.
Status close(Device *handle) {
  DriverDevice &device = own(handle);
  Status status = wait(handle, nullptr);
  const DriverCalls &calls = device.driver->calls;
  auto note = [&](const char *call, int code) {
    if (code && status.ok())
      status = driverError(*device.driver, call, code);
  };
  for (DriverGraph *graph = device.graphs; graph; graph = graph->next)
    note(LISPIER_DRIVER_SYMBOL(*device.driver, destroyExecutable), calls.destroyExecutable(graph->executable));
  for (DriverEvent *event = device.events; event; event = event->next)
    note(LISPIER_DRIVER_SYMBOL(*device.driver, destroyEvent), calls.destroyEvent(event->handle));
  device.trace.release(*device.driver);
  for (DriverModule *module = device.modules; module; module = module->next)
    note(LISPIER_DRIVER_SYMBOL(*device.driver, unloadModule), calls.unloadModule(module->handle));
  for (int64_t i = 0; i < device.allocationCount; ++i)
    if (device.allocations[i].state != Allocation::Returned)
      note(LISPIER_DRIVER_SYMBOL(*device.driver, free), giveBack(device, device.allocations[i]));
  note(LISPIER_DRIVER_SYMBOL(*device.driver, freeHost), device.staging.release(device));
  if (device.pool)
    note(LISPIER_DRIVER_SYMBOL(*device.driver, destroyPool), calls.destroyPool(device.pool));
  note(LISPIER_DRIVER_SYMBOL(*device.driver, destroyStream), calls.destroyStream(device.ownStream));
  note(device.driver->names.closeContext, device.driver->closeContext(*device.driver, device.number));
  freeAll(device.graphs);
  freeAll(device.events);
  freeAll(device.modules);
  freeAll(device.kernels);
  ::free(device.allocations);
  ::free(device.maps);
  --device.driver->open;
  ::free(&device);
  return status;
}
} // namespace drivers
} // namespace lispier::runtime
