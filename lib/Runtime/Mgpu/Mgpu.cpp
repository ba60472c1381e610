//===- Mgpu.cpp - the functions that MLIR's gpu-to-llvm calls -------------===//
//
// Implemented over the device table, for modules that MLIR's own passes have
// lowered and for programs that call these functions themselves. Names and
// parameters are LLVM 22's. All streams of a device are its one in-order queue,
// which is a stronger order than requested and makes creating a stream free;
// lowered code creates one before every launch. A module is loaded, and a function
// looked up, once on each device, when it is first launched there.
//
// The functions receive no source location: messages name the function.
//
//===----------------------------------------------------------------------===//
#include "Device/OpenDevices.h"
#include "lispier/Runtime/Core/Failure.h"
#include "lispier/Runtime/Core/MemRef.h"
#include "lispier/Runtime/Core/Trace.h"
#include "lispier/TargetInfo/TargetNames.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace lispier::runtime;

namespace {
/// The queue of one device; all its streams are handles to it.
struct Queue {
  Device *device;
  int ordinal;
};
struct Function {
  Function *next;
  struct Image *image;
  Kernel *on[kMostDevices];
  char name[1]; ///< Variable length.
};
struct Image {
  const void *bytes;
  int64_t size;
  Module *on[kMostDevices];
  Function *functions;
};
struct Point {
  Queue *queue;
  Event *event; ///< Null until recorded, and after completion.
};

Queue queues[kMostDevices];
const DeviceTable *table; ///< The process's kind of device: its first module's, or else the first with a device.
thread_local int chosen = -1;

/// Ends without running destructors, which would call these functions again.
[[noreturn]] void die(const char *function, const Status &status) {
  fail({.ending = Ending::AtOnce}, "lispier: error: %s: %s: %s", function, status.call, status.reason);
}
void check(const char *function, const Status &status) {
  if (!status.ok())
    die(function, status);
}

const DeviceTable &tableOf(const char *function) {
  for (const DeviceTable *const *each = deviceTables(); !table && *each; ++each)
    if ((*each)->count() > 0)
      table = *each;
  if (table->count() == 0)
    die(function, table->absent());
  return *table;
}

Queue &queueOf(const char *function, void *stream) {
  if (stream)
    return *static_cast<Queue *>(stream);
  int ordinal = chosen;
  if (ordinal < 0)
    check(function, firstDevice(ordinal));
  Device *device = nullptr;
  check(function, openDevice(tableOf(function), ordinal, device));
  queues[ordinal] = {device, ordinal};
  return queues[ordinal];
}

/// AMD code is an ELF file for their processors or a bundle of such files; everything else is NVIDIA's.
bool isForHip(const void *image) {
  constexpr int kMachine = 18, kAmdGpu = 224;
  auto *bytes = static_cast<const unsigned char *>(image);
  return memcmp(bytes, "\177ELF", 4) == 0 ? bytes[kMachine] == kAmdGpu : memcmp(bytes, "__CLANG_OFFLOAD", 15) == 0;
}

Kernel *kernelOn(const char *function, const Queue &queue, Function &wanted) {
  Kernel *&kernel = wanted.on[queue.ordinal];
  Module *&module = wanted.image->on[queue.ordinal];
  if (!module)
    check(function, table->load(queue.device, wanted.image->bytes, wanted.image->size, module));
  if (!kernel)
    check(function, table->kernel(module, wanted.name, kernel));
  return kernel;
}

template <typename T> T *make(const char *function, size_t bytes = sizeof(T)) {
  auto *made = static_cast<T *>(calloc(1, bytes));
  if (!made)
    die(function, Status("malloc", 0, "no memory on the host"));
  return made;
}

void launch(const char *function, void *wanted, const LaunchShape &shape, void *stream, void **arguments) {
  Queue &queue = queueOf(function, stream);
  auto &known = *static_cast<Function *>(wanted);
  TraceSpan span("launch", known.name);
  check(function, table->launch(queue.device, kernelOn(function, queue, known), shape, arguments));
}

void fill(const char *function, void *to, uint32_t pattern, int width, size_t count, void *stream) {
  check(function, table->fill(queueOf(function, stream).device, to, pattern, width, int64_t(count)));
}
} // namespace

bool lispier::runtime::registerForModules(void *memory, int64_t bytes) {
  if (!table)
    return false;
  Device *device = queueOf("mgpuMemHostRegister", nullptr).device;
  if (bytes < 0)
    check("mgpuMemHostUnregister", table->unregisterHost(device, memory));
  else
    check("mgpuMemHostRegister", table->registerHost(device, memory, bytes));
  return true;
}

void *lispier::runtime::addressForModules(void *memory) {
  constexpr const char *function = "mgpuMemGetDeviceMemRef";
  if (table)
    check(function, table->addressOf(queueOf(function, nullptr).device, memory, /*readsPointers=*/false, memory));
  return memory;
}

extern "C" {
void mgpuSetDefaultDevice(int32_t device) {
  if (device < 0 || device >= tableOf(__func__).count()) {
    Device *none = nullptr;
    die(__func__, table->open(device, none));
  }
  chosen = device;
}

void *mgpuModuleLoad(void *image, size_t bytes) {
  if (!table)
    table = findDeviceTable((isForHip(image) ? lispier::kRocmName : lispier::kCudaName).deviceKind);
  auto *made = make<Image>(__func__);
  made->bytes = image;
  made->size = int64_t(bytes);
  return made;
}
/// Loads NUL-terminated PTX. The optimisation level is ignored; drivers use their default.
void *mgpuModuleLoadJIT(void *text, int) { return mgpuModuleLoad(text, strlen(static_cast<const char *>(text)) + 1); }
/// Frees the handle only: code that a device has loaded stays until the device is closed when the process ends.
void mgpuModuleUnload(void *module) {
  auto *image = static_cast<Image *>(module);
  for (Function *function = image->functions, *next; function; function = next) {
    next = function->next;
    free(function);
  }
  free(image);
}
void *mgpuModuleGetFunction(void *module, const char *name) {
  auto *image = static_cast<Image *>(module);
  for (Function *known = image->functions; known; known = known->next)
    if (strcmp(known->name, name) == 0)
      return known;
  auto *made = make<Function>(__func__, sizeof(Function) + strlen(name));
  strcpy(made->name, name);
  made->image = image;
  made->next = image->functions;
  return image->functions = made;
}

void mgpuLaunchKernel(void *function, intptr_t gridX, intptr_t gridY, intptr_t gridZ, intptr_t blockX, intptr_t blockY,
                      intptr_t blockZ, int32_t sharedBytes, void *stream, void **arguments, void **, size_t) {
  launch(__func__, function, {{gridX, gridY, gridZ}, {blockX, blockY, blockZ}, sharedBytes}, stream, arguments);
}
void mgpuLaunchClusterKernel(void *function, intptr_t clusterX, intptr_t clusterY, intptr_t clusterZ, intptr_t gridX,
                             intptr_t gridY, intptr_t gridZ, intptr_t blockX, intptr_t blockY, intptr_t blockZ,
                             int32_t sharedBytes, void *stream, void **arguments, void **) {
  launch(__func__, function,
         {{gridX, gridY, gridZ}, {blockX, blockY, blockZ}, sharedBytes, false, {clusterX, clusterY, clusterZ}}, stream,
         arguments);
}

void *mgpuStreamCreate() { return &queueOf(__func__, nullptr); }
void mgpuStreamDestroy(void *) {}
void mgpuStreamSynchronize(void *stream) { check(__func__, table->wait(queueOf(__func__, stream).device, nullptr)); }

void *mgpuEventCreate() { return make<Point>(__func__); }
void mgpuEventRecord(void *event, void *stream) {
  auto &point = *static_cast<Point *>(event);
  if (point.event)
    check(__func__, table->drop(point.queue->device, point.event));
  point.queue = &queueOf(__func__, stream);
  check(__func__, table->event(point.queue->device, point.event));
}
void mgpuEventSynchronize(void *event) {
  auto &point = *static_cast<Point *>(event);
  if (point.event)
    check(__func__, table->wait(point.queue->device, point.event));
  point.event = nullptr;
}
void mgpuEventDestroy(void *event) {
  auto &point = *static_cast<Point *>(event);
  if (point.event)
    check(__func__, table->drop(point.queue->device, point.event));
  free(event);
}
/// Within one queue this holds already; for another device's event the host waits.
void mgpuStreamWaitEvent(void *stream, void *event) {
  if (static_cast<Point *>(event)->queue != &queueOf(__func__, stream))
    mgpuEventSynchronize(event);
}

void *mgpuMemAlloc(uint64_t bytes, void *stream, bool hostToo) {
  Queue &queue = queueOf(__func__, stream);
  void *memory = nullptr;
  check(__func__, (hostToo ? table->allocShared : table->alloc)(queue.device, int64_t(bytes), memory));
  return memory;
}
void mgpuMemFree(void *memory, void *stream) {
  Queue *owner = &queueOf(__func__, stream);
  for (Queue &queue : queues)
    if (queue.device && table->owns(queue.device, memory))
      owner = &queue;
  check(__func__, table->free(owner->device, memory));
}
void mgpuMemcpy(void *to, void *from, size_t bytes, void *stream) {
  check(__func__, table->copy(queueOf(__func__, stream).device, to, from, int64_t(bytes)));
}
void mgpuMemset32(void *to, uint32_t value, size_t count, void *stream) { fill(__func__, to, value, 4, count, stream); }
void mgpuMemset16(void *to, uint16_t value, size_t count, void *stream) { fill(__func__, to, value, 2, count, stream); }

/// Dimensions are outermost first. The enum values are those of cuda.h, which nvgpu's attributes also use.
void *mgpuTensorMapEncodeTiledMemref(int64_t rank, void *descriptor, int64_t type, int64_t interleave, int64_t swizzle,
                                     int64_t promotion, int64_t outside, int64_t *box) {
  MemRefView<char> view(rank, descriptor);
  TensorMap map{};
  map.data = view.data + view.offset * tensorElementBytes(type);
  map.rank = int(rank);
  for (int i = 0; i < rank && i < TensorMap::kMostDimensions; ++i) {
    map.sizes[i] = view.sizes[i];
    map.strides[i] = view.strides[i];
    map.box[i] = box[i];
  }
  map.type = int(type);
  map.interleave = int(interleave);
  map.swizzle = int(swizzle);
  map.promotion = int(promotion);
  map.outside = int(outside);
  char made[TensorMap::kBytes];
  void *memory = nullptr;
  Queue &queue = queueOf(__func__, nullptr);
  check(__func__, table->tensorMap(queue.device, map, made));
  check(__func__, table->alloc(queue.device, sizeof(made), memory));
  check(__func__, table->copy(queue.device, memory, made, sizeof(made)));
  check(__func__, table->wait(queue.device, nullptr)); // The copy reads `made`.
  return memory;
}
}
