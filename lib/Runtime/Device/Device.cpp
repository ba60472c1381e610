//===- Device.cpp - the kinds of devices and the default device -----------===//
#include "lispier/Runtime/Device/Device.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace lispier::runtime {
int64_t tensorElementBytes(int64_t type) {
  switch (TensorMapType(type)) {
  case TensorMapType::U8:
    return 1;
  case TensorMapType::U16:
  case TensorMapType::F16:
  case TensorMapType::BF16:
    return 2;
  case TensorMapType::U32:
  case TensorMapType::S32:
  case TensorMapType::F32:
  case TensorMapType::F32Ftz:
  case TensorMapType::TF32:
  case TensorMapType::TF32Ftz:
    return 4;
  case TensorMapType::U64:
  case TensorMapType::S64:
  case TensorMapType::F64:
    return 8;
  }
  return 0;
}

const DeviceTable *const *deviceTables() {
  static const DeviceTable *const tables[] = {&kCudaDevice, &kHipDevice, &kCpuDevice, &kSimDevice, nullptr};
  return tables;
}

Status firstDevice(int &ordinal) {
  ordinal = 0;
  const char *text = getenv("LISPIER_DEVICE");
  if (!text || !*text)
    return Status();
  char *end = nullptr;
  long value = strtol(text, &end, 10);
  if (*end || value < 0 || value >= INT32_MAX)
    return Status("LISPIER_DEVICE", 0, "`%s` is no device's number; `lispier devices` lists them", text);
  ordinal = int(value);
  return Status();
}

const DeviceTable *findDeviceTable(const char *kind) {
  for (const DeviceTable *const *table = deviceTables(); *table; ++table)
    if (strcmp((*table)->kind, kind) == 0)
      return *table;
  return nullptr;
}
} // namespace lispier::runtime
