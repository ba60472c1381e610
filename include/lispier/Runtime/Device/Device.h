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

#include "lispier/Runtime/Sim/Sim.h"
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
  int64_t memoryBytes;   ///< All of it, used or not.
  int64_t processors;    ///< That run blocks at the same time.
  int64_t threadsPerBlock;
  int64_t sharedBytes; ///< Of a block, what must be asked for included.
  int64_t warpSize;
};

/// Sizes of a launch in blocks, of a block in threads, x first.
struct LaunchShape {
  int64_t grid[3] = {1, 1, 1};
  int64_t block[3] = {1, 1, 1};
  int64_t sharedBytes = 0;        ///< Beyond what the kernel declares.
  bool early = false;             ///< May begin before the work before it is done: the kernel itself waits for that.
  int64_t cluster[3] = {0, 0, 0}; ///< Blocks that reach each other's shared memory; zeros: each block is alone.
};

/// A tensor in memory, and the box of it that a kernel copies at a time (NVIDIA's TMA). Dimensions from the outermost.
struct TensorMap {
  static constexpr int kMostDimensions = 5;
  void *data;
  int rank;
  int64_t sizes[kMostDimensions], strides[kMostDimensions], box[kMostDimensions]; ///< In elements.
  int type, interleave, swizzle, promotion, outside; ///< Numbers of cuda.h's CUtensorMap enums.
};

/// Bytes of an element of a TensorMap's type; 0 when there is no such type.
int64_t tensorElementBytes(int64_t type);

struct Device; ///< These are the kind's own; null is never one of them.
struct Module;
struct Kernel;
struct Event;
struct Graph;

struct DeviceTable {
  const char *kind; ///< "cuda", "hip", "cpu", "sim".
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
  /// Whether the memory came from here. Freed memory that the device keeps for later requests still counts: to free it
  /// again is a mistake for `free` to report, and never the C library's business.
  bool (*owns)(Device *device, const void *memory);
  /// Host memory from elsewhere that kernels may use until it is unregistered.
  Status (*registerHost)(Device *device, void *memory, int64_t bytes);
  Status (*unregisterHost)(Device *device, void *memory);
  /// Where kernels find what the host has at an address: another one inside registered memory that the device maps
  /// elsewhere, and the same everywhere else.
  Status (*addressOf)(Device *device, void *memory, void *&address);
  /// Either side may be the host's; the ranges do not overlap. Host memory is free again after `wait`.
  Status (*copy)(Device *device, void *to, const void *from, int64_t bytes);
  /// The same of `rows` rows, which begin `toPitch` bytes from each other on one side and `fromPitch` on the other: any
  /// numbers, as long as no byte is written twice.
  Status (*copyRows)(Device *device, void *to, int64_t toPitch, const void *from, int64_t fromPitch, int64_t rowBytes,
                     int64_t rows);
  /// `count` times the lowest `width` bytes of `pattern`; width is 1, 2, 4 or 8, and `to` a multiple of it.
  Status (*fill)(Device *device, void *to, uint64_t pattern, int width, int64_t count);
  /// Compiled code in the kind's own form (CpuKernels for "cpu" and "sim"). `image` must outlive the device.
  Status (*load)(Device *device, const void *image, int64_t bytes, Module *&module);
  Status (*kernel)(Module *module, const char *name, Kernel *&kernel);
  /// `arguments[i]` points to the i-th argument; they are read before this returns.
  Status (*launch)(Device *device, Kernel *kernel, const LaunchShape &shape, void **arguments);
  /// Writes to the device's memory what kernels copy tiles of a tensor by; `free` takes it back.
  Status (*tensorMap)(Device *device, const TensorMap &map, void *&memory);
  /// A point in the queue: after all that was put there until now.
  Status (*event)(Device *device, Event *&event);
  /// Until the event has happened; it is gone then. Null: until the queue is empty.
  Status (*wait)(Device *device, Event *event);
  /// Nobody will wait for the event; null is none.
  Status (*drop)(Device *device, Event *event);
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
/// The number of the device for those who name none: LISPIER_DEVICE, else 0.
Status firstDevice(int &ordinal);
/// Null when there is no such kind.
const DeviceTable *findDeviceTable(const char *kind);

extern const DeviceTable kCpuDevice;
/// The CPU, whose blocks run one after the other, the same way each time; kernels that lispier-check-kernels has seen
/// are checked.
extern const DeviceTable kSimDevice;
/// Through the vendors' driver libraries, which are opened when they are first asked for.
extern const DeviceTable kCudaDevice, kHipDevice;

/// Whether code of a format, made for an architecture, runs on a device: "cuda", "sm_80", "ptx", "sm_90" does.
bool codeRunsOn(const char *kind, const char *architecture, const char *format, const char *device);

/// A kernel of a CPU image; an image is an array of them. `function` is a LispierSimKernel (Runtime/Sim/Sim.h); it gets
/// the launch's `arguments`. Flags are LispierSimFlags.
struct CpuKernel {
  const char *name;
  void (*function)(LispierSimThread *thread, void *arguments);
  int64_t sharedBytes;
  int32_t flags;
};
} // namespace lispier::runtime
#endif
