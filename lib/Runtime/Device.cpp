//===- Device.cpp - the kinds of devices ----------------------------------===//
#include "lispier/Runtime/Device.h"
#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace lispier::runtime {
Status::Status(const char *call, int code, const char *format, ...) : call(call), code(code) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(reason, sizeof(reason), format, arguments);
  va_end(arguments);
}

const DeviceTable *const *deviceTables() {
  static const DeviceTable *const tables[] = {&kCudaDevice, &kHipDevice, &kCpuDevice, nullptr};
  return tables;
}

const DeviceTable *findDeviceTable(const char *kind) {
  for (const DeviceTable *const *table = deviceTables(); *table; ++table)
    if (strcmp((*table)->kind, kind) == 0)
      return *table;
  return nullptr;
}
} // namespace lispier::runtime
