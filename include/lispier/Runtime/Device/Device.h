//===- Device.h - interface of a device ------------------------*- C++ -*-===//
//
// One function table for each kind of device; the code above it (the mgpu*
// functions, lispier_rt_device_*) is written once over the table. Every call takes
// its device: a process may have several open. One thread at a time may use a
// device. It has one in-order queue for copies, fills, launches and events. Calls
// that enqueue work may return before the work is done.
//
// Every function that can fail returns a Status; none prints, exits or throws.
// test/Unit/Runtime/DeviceTest.cpp is the conformance test of all kinds.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_RUNTIME_DEVICE_H
#define LISPIER_RUNTIME_DEVICE_H

#include "lispier/Runtime/Core/Status.h"
#include "lispier/Runtime/Sim/Sim.h"
#include <cstdint>

namespace lispier::runtime {
struct Limits {
  char name[64];         ///< Product name.
  char architecture[32]; ///< Architecture to compile for: "sm_90", "gfx942"; empty for the CPU.
  int64_t memoryBytes;   ///< Total, including memory in use.
  int64_t processors;    ///< Number of multiprocessors.
  int64_t threadsPerBlock;
  int64_t sharedBytes; ///< Maximum for a block, including the part that needs an opt-in.
  int64_t warpSize;
};

/// Grid size in blocks, block size in threads; x first.
struct LaunchShape {
  int64_t grid[3] = {1, 1, 1};
  int64_t block[3] = {1, 1, 1};
  int64_t sharedBytes = 0; ///< Dynamic shared memory.
  /// Programmatic dependent launch: may start before preceding work has finished. Ignored where there is none.
  bool dependentLaunch = false;
  int64_t cluster[3] = {0, 0, 0}; ///< Blocks in a thread block cluster; all zero: none. An error where there are none.
};

/// Parameters of an NVIDIA tensor map: a tensor and the box of it that one TMA copy moves. Outermost dimension first.
struct TensorMap {
  static constexpr int kMostDimensions = 5, kBytes = 128;
  void *data;
  int rank;
  int64_t sizes[kMostDimensions], strides[kMostDimensions], box[kMostDimensions]; ///< In elements. strides[rank-1]: 1.
  int type, interleave, swizzle, promotion, outside; ///< Values of cuda.h's CUtensorMap enums; outside: OOBfill.
};

/// cuda.h's CUtensorMapDataType, which TensorMap::type holds.
enum class TensorMapType : int32_t { U8, U16, U32, S32, U64, S64, F16, F32, F64, BF16, F32Ftz, TF32, TF32Ftz };

/// Bytes of one element of a tensor map's data type; 0 if `type` is none of TensorMapType.
int64_t tensorElementBytes(int64_t type);

struct Device; ///< Opaque handles, defined by each kind. A successful call never returns null for one.
struct Module;
struct Kernel;
struct Event;
struct Graph;

struct DeviceTable {
  const char *kind; ///< "cuda", "hip", "cpu", "sim".
  /// Number of devices in this machine; valid ordinals are below it.
  int (*count)();
  /// Returns the reason why there are no devices, such as a missing driver; an error whenever count() is 0.
  Status (*absent)();

  /// Queries the limits of a device without opening it, which is much faster.
  Status (*describe)(int ordinal, Limits &limits);
  Status (*open)(int ordinal, Device *&device);
  Status (*limits)(Device *device, Limits &limits);
  /// Allocates device memory, aligned to 256 bytes. `bytes` may be 0: `memory` is not null then, either; free it.
  Status (*alloc)(Device *device, int64_t bytes, void *&memory);
  /// Allocates memory that the host may access too while the queue is empty.
  Status (*allocShared)(Device *device, int64_t bytes, void *&memory);
  /// Frees memory of alloc or allocShared. `memory` may be null, or still in use by queued work.
  Status (*free)(Device *device, void *memory);
  /// Whether `memory` came from this device. Includes freed memory that the device caches, so that `free` reports a
  /// second release instead of passing the pointer to the C library.
  bool (*owns)(Device *device, const void *memory);
  /// Whether the address is in memory of alloc or allocShared of this device.
  bool (*holds)(Device *device, const void *address);
  /// Between defer(true) and defer(false) the caller has work that it will enqueue later: memory that is freed may be
  /// allocated again, but stays memory of the device; if there is no other, alloc fails.
  void (*defer)(Device *device, bool defers);
  /// The most bytes of memory that were allocated at once; 0 where that is not counted.
  int64_t (*mostBytes)(Device *device);
  /// Allocates device memory with the contents of the host's, which are there on return for work in any queue, also
  /// while the caller's is captured.
  Status (*upload)(Device *device, const void *from, int64_t bytes, void *&memory);
  /// Makes host memory accessible to kernels until it is unregistered.
  Status (*registerHost)(Device *device, void *memory, int64_t bytes);
  Status (*unregisterHost)(Device *device, void *memory);
  /// Sets `address` to the device address of a host address: a different one within registered memory if the device
  /// maps it elsewhere, otherwise the same. With `readsPointers`, kernels read pointers from that memory: an error if
  /// it holds an address that only the host can use.
  Status (*addressOf)(Device *device, void *memory, bool readsPointers, void *&address);
  /// Enqueues a copy; either side may be host memory. The ranges must not overlap. Host memory is in use until `wait`.
  Status (*copy)(Device *device, void *to, const void *from, int64_t bytes);
  /// Enqueues a copy of `rows` rows of `rowBytes` bytes. The pitches are the distances in bytes between the starts of
  /// consecutive rows; they may be any numbers for which the destination rows do not overlap. Host memory,
  /// and overlap of the two sides, as for `copy`.
  Status (*copyRows)(Device *device, void *to, int64_t toPitch, const void *from, int64_t fromPitch, int64_t rowBytes,
                     int64_t rows);
  /// Enqueues a fill with `count` repetitions of the low `width` bytes of `pattern`. Width is 1, 2, 4 or 8, and `to` is
  /// aligned to it.
  Status (*fill)(Device *device, void *to, uint64_t pattern, int width, int64_t count);
  /// Loads a kernel binary in the kind's format (an array of CpuKernel for "cpu" and "sim"). `image` must outlive the
  /// device.
  Status (*load)(Device *device, const void *image, int64_t bytes, Module *&module);
  Status (*kernel)(Module *module, const char *name, Kernel *&kernel);
  /// Enqueues a launch. `arguments[i]` points to argument i; all are read before this returns.
  Status (*launch)(Device *device, Kernel *kernel, const LaunchShape &shape, void **arguments);
  /// Writes a tensor map descriptor, an argument of kernels, of TensorMap::kBytes. An error where there are none.
  Status (*tensorMap)(Device *device, const TensorMap &map, void *made);
  /// Enqueues an event, which completes when all work enqueued before it has.
  Status (*event)(Device *device, Event *&event);
  /// Blocks until `event` completes and destroys it; with null, until the queue drains.
  Status (*wait)(Device *device, Event *event);
  /// Sets `done` to whether `event` has completed. Does not block.
  Status (*isDone)(Device *device, Event *event, bool &done);
  /// Destroys an event without waiting for it. `event` may be null.
  Status (*drop)(Device *device, Event *event);
  /// Capture the copies, fills and launches between these calls into a graph instead of enqueuing them. Call nothing
  /// else in between: drivers may refuse it and the capture. endCapture ends the capture even if it fails. Errors for
  /// "cpu" and "sim".
  Status (*beginCapture)(Device *device);
  Status (*endCapture)(Device *device, Graph *&graph);
  /// Enqueues a captured graph as one unit of work.
  Status (*replay)(Device *device, Graph *graph);
  /// Destroys a graph, which may still have a replay in the queue; null does nothing.
  Status (*forget)(Device *device, Graph *graph);
  /// From now on, work goes to a queue of the caller, for CUDA and HIP a stream of theirs, and memory that is allocated
  /// for it is freed in its order. Null: to the device's own queue, as at first; the calling thread's device is then
  /// what it was. Errors for "cpu" and "sim", which have no queue.
  Status (*useQueue)(Device *device, void *const *queue);
  /// The queue to which work goes, for other libraries: for CUDA and HIP a stream. The device's context is the calling
  /// thread's on return. Null for "cpu" and "sim", and on errors.
  void *(*queue)(Device *device);
  /// Whether the caller's queue is being captured into a graph of theirs.
  bool (*isCaptured)(Device *device);
  /// Drains the queue, then releases the device and all its allocations, modules, events and graphs.
  Status (*close)(Device *device);
};

/// All kinds, in order of preference, terminated by null.
const DeviceTable *const *deviceTables();
/// Returns the ordinal of the default device: LISPIER_DEVICE if set, else 0.
Status firstDevice(int &ordinal);
/// Returns null for an unknown kind.
const DeviceTable *findDeviceTable(const char *kind);

extern const DeviceTable kCpuDevice;
/// The CPU as a deterministic simulator: blocks run one after the other, and the checks that lispier-check-kernels
/// inserted into a kernel are executed.
extern const DeviceTable kSimDevice;
/// Implemented over the vendors' driver libraries, which are opened on first use.
extern const DeviceTable kCudaDevice, kHipDevice;

/// Whether code of this format and architecture runs on a device: ("cuda", "sm_80", "ptx", "sm_90") does.
bool codeRunsOn(const char *kind, const char *architecture, const char *format, const char *device);

/// A kernel of a "cpu" or "sim" image, which is an array of these. `function` is a LispierSimKernel (Sim.h)
/// that receives the launch's `arguments`. `flags` are LispierSimFlags.
struct CpuKernel {
  const char *name;
  void (*function)(LispierSimThread *thread, void *arguments);
  int64_t sharedBytes;
  int32_t flags;
};
} // namespace lispier::runtime
#endif
