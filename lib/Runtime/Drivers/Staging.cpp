//===- Staging.cpp - pinned staging buffer for small copies ---------------===//
#include "Staging.h"
#include "DriverDevice.h"
#include <cstring>

namespace lispier::runtime {
bool Staging::isThere(DriverDevice &device) {
  if (tried)
    return memory;
  tried = true;
  const char *wish = getenv("LISPIER_STAGING");
  if (wish && strcmp(wish, "0") == 0)
    return false;
  constexpr unsigned kPlain = 0;
  void *made = nullptr;
  if (device.driver->calls.allocHost(&made, size_t(kUploadBytes + kMostBytes), kPlain) == 0)
    memory = static_cast<char *>(made);
  return memory;
}

Staging::Way Staging::wayOf(DriverDevice &device, void *to, const void *from, int64_t bytes) {
  const Driver &driver = *device.driver;
  // Memory of another device or registered with the driver may be written by a device; the host must not touch it here.
  if (bytes > kMostBytes || device.capturing || device.isCallers || driver.open != 1 || driver.registered != 0)
    return None;
  const Allocation *target = allocationAround(device, to), *source = allocationAround(device, from);
  Way way = target && !source && target->kind == Allocation::Device   ? Up
            : source && !target && source->kind == Allocation::Device ? Down
                                                                      : None;
  return way != None && isThere(device) ? way : None;
}

Status Staging::upload(DriverDevice &device, void *to, const void *from, int64_t bytes) {
  constexpr int64_t kAlignment = 64;
  int64_t size = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  if (used + size > kUploadBytes) {
    if (Status status = waitForQueue(device); !status.ok())
      return status;
    device.idle = false;
  }
  char *place = memory + used;
  memcpy(place, from, size_t(bytes));
  Traced traced(device, "copy", "copy", bytes);
  if (int code = device.driver->copy(*device.driver, to, place, size_t(bytes), device.stream))
    return driverError(*device.driver, device.driver->names.copy, code);
  used += size;
  return Status();
}

Status Staging::download(DriverDevice &device, void *to, const void *from, int64_t bytes) {
  char *place = memory + kUploadBytes;
  auto put = [&]() -> Status {
    Traced traced(device, "copy", "copy", bytes); // Its event must be enqueued before the wait, not after it.
    int code = device.driver->copy(*device.driver, place, from, size_t(bytes), device.stream);
    return code ? driverError(*device.driver, device.driver->names.copy, code) : Status();
  };
  if (Status status = put(); !status.ok())
    return status;
  if (Status status = waitForQueue(device); !status.ok())
    return status;
  device.trace.write(*device.driver);
  memcpy(to, place, size_t(bytes));
  return Status();
}

int Staging::release(DriverDevice &device) { return memory ? device.driver->calls.freeHost(memory) : 0; }
} // namespace lispier::runtime
