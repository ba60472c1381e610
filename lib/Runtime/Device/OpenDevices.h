//===- OpenDevices.h - the devices that this process uses ------*- C++ -*-===//
//
// Each is opened when it is first asked for and stays open as long as the process:
// a program's own launches and the mgpu* functions share its queue and its memory.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_RUNTIME_OPENDEVICES_H
#define LISPIER_LIB_RUNTIME_OPENDEVICES_H

#include "lispier/Runtime/Device/Device.h"

namespace lispier::runtime {
constexpr int kMostDevices = 32; ///< Of one kind.

Status openDevice(const DeviceTable &table, int ordinal, Device *&device);

/// Whoever runs kernels defines one of these, and answers whether it did: host memory becomes usable by kernels, or, by
/// fewer than 0 bytes, is so no more. Weak: a program for the CPU alone has nobody to tell.
[[gnu::weak]] bool registerForProgram(void *memory, int64_t bytes);
[[gnu::weak]] bool registerForModules(void *memory, int64_t bytes);
/// Where kernels of modules find registered memory.
[[gnu::weak]] void *addressForModules(void *memory);
} // namespace lispier::runtime
#endif
