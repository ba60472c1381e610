//===- CpuDevice.cpp - the devices "cpu" and "sim" ------------------------===//
//
// Device memory is host memory, and every call completes its work before it
// returns. Kernels run with SIMT semantics (Sim.h): on "cpu" with blocks in
// parallel, on "sim" sequentially with the checks that were compiled in.
//
//===----------------------------------------------------------------------===//
#include "lispier/Runtime/Core/Runtime.h"
#include "lispier/Runtime/Device/Device.h"
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace lispier::runtime {
// The first member of each is the public handle; lists are linked through `next` and freed by close.
struct Module {
  const CpuKernel *kernels;
  int64_t count;
  Device *device;
  Module *next;
};
struct Kernel {
  CpuKernel code;
  Kernel *next;
};
struct Event {
  Event *next;
};
struct Device {
  bool checked;
  struct Block *blocks; ///< Allocations not yet freed.
  int64_t heldBytes;
  Module *modules;
  Kernel *kernels;
  Event *events;
};
/// Header before each allocation, padded to the alignment that alloc promises.
struct Block {
  Block *next, *previous;
  int64_t bytes;
};

namespace {
constexpr int64_t kAlignment = 256;
static_assert(sizeof(Block) <= kAlignment);

/// Adds a new, zeroed T to the front of a device's list.
template <typename T> T *addTo(T *&list) {
  T *made = static_cast<T *>(calloc(1, sizeof(T)));
  if (made) {
    made->next = list;
    list = made;
  }
  return made;
}
template <typename T> void freeAll(T *list) {
  while (list) {
    T *next = list->next;
    free(list);
    list = next;
  }
}

Status noMemory(const char *call, int64_t bytes, int64_t held) {
  return Status(call, 0, "out of memory: %" PRId64 " bytes asked for, %" PRId64 " held", bytes, held);
}

int count() { return 1; }
Status absent() { return Status(); }

Status open(const char *kind, int ordinal, Device *&device) {
  if (ordinal != 0)
    return Status("open", 0, "no %s device %d; this machine has 0 (this processor)", kind, ordinal);
  device = static_cast<Device *>(calloc(1, sizeof(Device)));
  return device ? Status() : noMemory("open", sizeof(Device), 0);
}
Status openPlain(int ordinal, Device *&device) { return open("cpu", ordinal, device); }
Status openChecked(int ordinal, Device *&device) {
  Status status = open("sim", ordinal, device);
  if (status.ok())
    device->checked = true;
  return status;
}

Status describe(const char *name, Limits &limits) {
  snprintf(limits.name, sizeof(limits.name), "%s", name);
  limits.architecture[0] = 0;
  limits.memoryBytes = int64_t(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  limits.processors = lispier_rt_threads();
  limits.threadsPerBlock = kSimMaxThreadsPerBlock;
  limits.sharedBytes = kSimMaxSharedBytes;
  limits.warpSize = 32;
  return Status();
}

Status describePlain(int, Limits &limits) { return describe("this processor", limits); }
Status describeChecked(int, Limits &limits) { return describe("this processor, every access checked", limits); }
Status limits(Device *device, Limits &limits) {
  return device->checked ? describeChecked(0, limits) : describePlain(0, limits);
}

Status alloc(Device *device, int64_t bytes, void *&memory) {
  if (bytes < 0)
    return Status("alloc", 0, "%" PRId64 " bytes asked for", bytes);
  void *start = nullptr;
  if (bytes > INT64_MAX - kAlignment || posix_memalign(&start, kAlignment, kAlignment + bytes) != 0)
    return noMemory("alloc", bytes, device->heldBytes);
  auto *block = static_cast<Block *>(start);
  *block = {device->blocks, nullptr, bytes};
  if (device->blocks)
    device->blocks->previous = block;
  device->blocks = block;
  device->heldBytes += bytes;
  memory = static_cast<char *>(start) + kAlignment;
  return Status();
}

int64_t mostBytes(Device *) { return 0; }

bool owns(Device *device, const void *memory) {
  for (const Block *block = device->blocks; block; block = block->next)
    if (reinterpret_cast<const char *>(block) + kAlignment == memory)
      return true;
  return false;
}

bool holds(Device *device, const void *address) {
  for (const Block *block = device->blocks; block; block = block->next)
    if (uintptr_t(address) - uintptr_t(block) - kAlignment < uint64_t(block->bytes))
      return true;
  return false;
}

void defer(Device *, bool) {} // Freed memory is the C library's, and work is done at once.

Status release(Device *device, void *memory) {
  if (!memory)
    return Status();
  if (!owns(device, memory))
    return Status("free", 0, "%p is no memory of this device", memory);
  auto *block = reinterpret_cast<Block *>(static_cast<char *>(memory) - kAlignment);
  (block->previous ? block->previous->next : device->blocks) = block->next;
  if (block->next)
    block->next->previous = block->previous;
  device->heldBytes -= block->bytes;
  free(block);
  return Status();
}

Status registerHost(Device *, void *, int64_t) { return Status(); }
Status unregisterHost(Device *, void *) { return Status(); }
Status addressOf(Device *, void *memory, bool, void *&address) {
  address = memory;
  return Status();
}

Status copy(Device *, void *to, const void *from, int64_t bytes) {
  if (bytes < 0)
    return Status("copy", 0, "%" PRId64 " bytes asked for", bytes);
  memcpy(to, from, bytes);
  return Status();
}

Status copyRows(Device *, void *to, int64_t toPitch, const void *from, int64_t fromPitch, int64_t rowBytes,
                int64_t rows) {
  if (rowBytes < 0 || rows < 0)
    return Status("copy", 0, "%" PRId64 " rows of %" PRId64 " bytes asked for", rows, rowBytes);
  for (int64_t row = 0; row < rows; ++row)
    memcpy(static_cast<char *>(to) + row * toPitch, static_cast<const char *>(from) + row * fromPitch, rowBytes);
  return Status();
}

Status fill(Device *, void *to, uint64_t pattern, int width, int64_t count) {
  if ((width != 1 && width != 2 && width != 4 && width != 8) || count < 0 || reinterpret_cast<uintptr_t>(to) % width)
    return Status("fill", 0, "%" PRId64 " patterns of %d bytes at %p", count, width, to);
  if (width == 1)
    memset(to, int(pattern), count);
  else
    for (int64_t i = 0; i < count; ++i)
      memcpy(static_cast<char *>(to) + i * width, &pattern, width);
  return Status();
}

Status load(Device *device, const void *image, int64_t bytes, Module *&module) {
  if (bytes <= 0 || bytes % int64_t(sizeof(CpuKernel)) || !image)
    return Status("load", 0, "an image of %" PRId64 " bytes is no array of CPU kernels", bytes);
  module = addTo(device->modules);
  if (!module)
    return noMemory("load", sizeof(Module), device->heldBytes);
  module->kernels = static_cast<const CpuKernel *>(image);
  module->count = bytes / int64_t(sizeof(CpuKernel));
  module->device = device;
  return Status();
}

Status kernel(Module *module, const char *name, Kernel *&kernel) {
  for (int64_t i = 0; i < module->count; ++i) {
    if (strcmp(module->kernels[i].name, name) != 0)
      continue;
    kernel = addTo(module->device->kernels);
    if (!kernel)
      return noMemory("kernel", sizeof(Kernel), module->device->heldBytes);
    kernel->code = module->kernels[i];
    return Status();
  }
  return Status("kernel", 0, "the module has no kernel `%s`", name);
}

Status launch(Device *device, Kernel *kernel, const LaunchShape &shape, void **arguments) {
  const CpuKernel &code = kernel->code;
  if (shape.cluster[0])
    return Status("launch", 0, "kernel `%s`: the CPU has no clusters of blocks", code.name);
  const char *message =
      lispier_sim_launch(code.function, arguments, shape.grid[0], shape.grid[1], shape.grid[2], shape.block[0],
                         shape.block[1], shape.block[2], code.sharedBytes, shape.sharedBytes,
                         code.flags | (device->checked ? kSimChecked : 0), code.name, "launch");
  return message ? Status("launch", 0, "%s", message) : Status();
}

Status tensorMap(Device *, const TensorMap &, void *) {
  return Status("tensor map", 0, "the CPU does not copy tiles of tensors");
}

Status event(Device *device, Event *&event) {
  event = addTo(device->events);
  return event ? Status() : noMemory("event", sizeof(Event), device->heldBytes);
}

Status wait(Device *device, Event *event) {
  for (Event **link = &device->events; event && *link; link = &(*link)->next)
    if (*link == event) {
      *link = event->next;
      free(event);
      return Status();
    }
  return event ? Status("wait", 0, "no such event on this device") : Status();
}

Status isDone(Device *, Event *, bool &done) {
  done = true; // Work is done at once.
  return Status();
}

void *queue(Device *) { return nullptr; }

Status drop(Device *device, Event *event) { return event ? wait(device, event) : Status(); }

Status noCapture(const char *call) {
  return Status(call, 0, "the CPU does its work at once; there is nothing to note");
}
Status beginCapture(Device *) { return noCapture("beginCapture"); }
Status endCapture(Device *, Graph *&) { return noCapture("endCapture"); }
Status replay(Device *, Graph *) { return noCapture("replay"); }
Status forget(Device *, Graph *graph) { return graph ? noCapture("forget") : Status(); }

Status close(Device *device) {
  freeAll(device->blocks);
  freeAll(device->modules);
  freeAll(device->kernels);
  freeAll(device->events);
  free(device);
  return Status();
}

Status useQueue(Device *, void *const *queue) {
  return queue ? Status("queue", 0, "the CPU has no queues of callers") : Status();
}

bool isCaptured(Device *) { return false; }

Status upload(Device *device, const void *from, int64_t bytes, void *&memory) {
  Status status = alloc(device, bytes, memory);
  return status.ok() ? copy(device, memory, from, bytes) : status;
}
} // namespace

namespace {

constexpr DeviceTable tableOf(const char *kind, Status (*describe)(int ordinal, Limits &limits),
                              Status (*open)(int ordinal, Device *&device)) {
  return {kind,     count,        absent,     describe,  open,   limits,       alloc,          alloc,      release,
          owns,     holds,        defer,      mostBytes, upload, registerHost, unregisterHost, addressOf,  copy,
          copyRows, fill,         load,       kernel,    launch, tensorMap,    event,          wait,       isDone,
          drop,     beginCapture, endCapture, replay,    forget, useQueue,     queue,          isCaptured, close};
}
} // namespace

constinit const DeviceTable kCpuDevice = tableOf("cpu", describePlain, openPlain),
                            kSimDevice = tableOf("sim", describeChecked, openChecked);
} // namespace lispier::runtime
