//===- Device.h - what the runtime asks of a device ------------*- C++ -*-===//
//
// One table of functions for each kind of device; everything above (the mgpu*
// functions of compiled programs, examples) is written once, over the table. A
// device is an argument of every call: a process may have several open. Each has
// one queue, in which copies, fills, launches and events happen in order; the
// caller goes on at once, or does not, as the kind of device will have it.
//
// Every function answers a Status; nothing here prints, exits or throws.
// test/Unit/Runtime/DeviceTest.cpp is the list of what all kinds must do.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_RUNTIME_DEVICE_H
#define LISPIER_RUNTIME_DEVICE_H

#include "lispier/Runtime/Sim.h"
#include <cstdint>

namespace lispier::runtime {
struct Status {
  const char *call = nullptr; ///< What failed, "alloc" or a driver's own function; null when all is well.
  int code = 0;               ///< The driver's.
  char reason[504];           ///< Its name and the figures: "out of memory: 8 bytes asked for, 4 held".

  bool ok() const { return !call; }
  Status() {}
  /// printf's format.
  [[gnu::format(printf, 4, 5)]] Status(const char *call, int code, const char *format, ...);
};

struct Limits {
  char name[64];         ///< The device's, for people.
  char architecture[32]; ///< What its code is made for: "sm_90", "gfx942"; empty for the CPU.
  int64_t memoryBytes; ///< All of it, used or not.
  int64_t processors;  ///< That run blocks at the same time.
  int64_t threadsPerBlock;
  int64_t sharedBytes; ///< Of a block, what must be asked for included.
  int64_t warpSize;
};

/// Sizes of a launch in blocks, of a block in threads, x first.
struct LaunchShape {
  int64_t grid[3] = {1, 1, 1};
  int64_t block[3] = {1, 1, 1};
  int64_t sharedBytes = 0; ///< Beyond what the kernel declares.
  bool early = false;      ///< May begin before the work before it is done: the kernel itself waits for that.
};

struct Device; ///< These are the kind's own; null is never one of them.
struct Module;
struct Kernel;
struct Event;
struct Graph;

struct DeviceTable {
  const char *kind; ///< "cpu", "cuda", "hip".
  /// How many there are in this machine; open takes 0 to one less.
  int (*count)();
  /// Why there are none: no driver, no device. Not ok where count is 0.
  Status (*absent)();

  /// The limits of one that need not be open; that costs much less than opening it.
  Status (*describe)(int ordinal, Limits &limits);
  Status (*open)(int ordinal, Device *&device);
  Status (*limits)(Device *device, Limits &limits);
  /// Zero bytes are allowed. The address is a multiple of 256.
  Status (*alloc)(Device *device, int64_t bytes, void *&memory);
  /// Memory that the host can read and write as well, whenever the queue is empty.
  Status (*allocShared)(Device *device, int64_t bytes, void *&memory);
  /// Of either kind; null is allowed. What is in the queue may still use the memory.
  Status (*free)(Device *device, void *memory);
  /// Whether the memory came from here and was not freed.
  bool (*owns)(Device *device, const void *memory);
  /// Host memory from elsewhere that kernels may use until it is unregistered.
  Status (*registerHost)(Device *device, void *memory, int64_t bytes);
  Status (*unregisterHost)(Device *device, void *memory);
  /// Either side may be the host's; the ranges do not overlap. Host memory is free again after `wait`.
  Status (*copy)(Device *device, void *to, const void *from, int64_t bytes);
  /// `count` times the lowest `width` bytes of `pattern`; width is 1, 2 or 4, and `to` a multiple of it.
  Status (*fill)(Device *device, void *to, uint32_t pattern, int width, int64_t count);
  /// Compiled code in the kind's own form (CpuKernels for "cpu"). `image` must outlive the device.
  Status (*load)(Device *device, const void *image, int64_t bytes, Module *&module);
  Status (*kernel)(Module *module, const char *name, Kernel *&kernel);
  /// `arguments[i]` points to the i-th argument; they are read before this returns.
  Status (*launch)(Device *device, Kernel *kernel, const LaunchShape &shape, void **arguments);
  /// A point in the queue: after all that was put there until now.
  Status (*event)(Device *device, Event *&event);
  /// Until the event has happened; it is gone then. Null: until the queue is empty.
  Status (*wait)(Device *device, Event *event);
  /// Between these two, copies, fills and launches are noted instead of done; the CPU cannot.
  Status (*beginCapture)(Device *device);
  Status (*endCapture)(Device *device, Graph *&graph);
  /// Puts all that was noted into the queue, as one piece.
  Status (*replay)(Device *device, Graph *graph);
  /// The graph is not needed any more; null is none.
  Status (*forget)(Device *device, Graph *graph);
  /// Waits, then releases the device and all that was made with it.
  Status (*close)(Device *device);
};

/// Every kind that this library knows, in order of preference, ending with null.
const DeviceTable *const *deviceTables();
/// Null when there is no such kind.
const DeviceTable *findDeviceTable(const char *kind);

extern const DeviceTable kCpuDevice;
/// Through the vendors' driver libraries, which are opened when they are first asked for.
extern const DeviceTable kCudaDevice, kHipDevice;

/// Whether code of a format, made for an architecture, runs on a device: "cuda", "sm_80", "ptx", "sm_90" does.
bool codeRunsOn(const char *kind, const char *architecture, const char *format, const char *device);

/// A kernel of a CPU image; an image is an array of them. `function` is a LispierSimKernel (Runtime/Sim.h); it gets
/// the launch's `arguments`. Flags are LispierSimFlags.
struct CpuKernel {
  const char *name;
  void (*function)(LispierSimThread *thread, void *arguments);
  int64_t sharedBytes;
  int32_t flags;
};
} // namespace lispier::runtime
#endif
