//===- OpenDevices.h - the devices that this process uses ------*- C++ -*-===//
//
// A device is opened on first use and stays open until the process ends, so that
// the program's own launches and the mgpu* functions share its queue and memory.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_RUNTIME_OPENDEVICES_H
#define LISPIER_LIB_RUNTIME_OPENDEVICES_H

#include "lispier/Runtime/Device/Device.h"

namespace lispier::runtime {
constexpr int kMostDevices = 32; ///< Of one kind.

/// Opens device `ordinal` of a kind, or returns the already open one.
Status openDevice(const DeviceTable &table, int ordinal, Device *&device);

/// Calls `body` for each open device, until it returns true.
void forEachOpenDevice(bool (*body)(const DeviceTable &table, Device *device, void *context), void *context);

/// Hooks defined by the files that launch kernels, DeviceProgram.cpp and Mgpu.cpp; each returns whether it handled the
/// call. They register host memory with the device, or unregister it if `bytes` is negative. Weak: a program without
/// kernels links neither file.
[[gnu::weak]] bool registerForProgram(void *memory, int64_t bytes);
[[gnu::weak]] bool registerForModules(void *memory, int64_t bytes);
/// Returns the device address of registered host memory, for kernels of modules that Mgpu.cpp loaded; `memory` itself
/// if it is not registered.
[[gnu::weak]] void *addressForModules(void *memory);
} // namespace lispier::runtime
#endif
