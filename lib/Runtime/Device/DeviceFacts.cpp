//===- DeviceFacts.cpp - what a program reads of its device ---------------===//
#include "OpenDevices.h"
#include "lispier/Runtime/Device/DeviceProgram.h"
#include <string.h>
#include <sys/resource.h>

using namespace lispier::runtime;

const char *lispier_device_name() {
  static char name[sizeof(Limits::name)];
  name[0] = 0;
  forEachOpenDevice(
      [](const DeviceTable &table, Device *device, void *) {
        Limits limits;
        // The CPU's and the simulator's architecture is empty.
        if (!table.limits(device, limits).ok() || limits.architecture[0] == 0)
          return false;
        memcpy(name, limits.name, sizeof name);
        return true;
      },
      nullptr);
  return name;
}

int64_t lispier_memory_used() {
  int64_t bytes = 0;
  forEachOpenDevice(
      [](const DeviceTable &table, Device *device, void *sum) {
        *static_cast<int64_t *>(sum) += table.mostBytes(device);
        return false;
      },
      &bytes);
  rusage usage;
  if (bytes == 0 && getrusage(RUSAGE_SELF, &usage) == 0)
    bytes = int64_t(usage.ru_maxrss) * 1024;
  return bytes;
}
