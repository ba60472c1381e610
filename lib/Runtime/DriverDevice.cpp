//===- DriverDevice.cpp - devices behind a vendor's driver ----------------===//
//
// One implementation for CUDA and HIP, over Driver.h. A device has one stream.
// Memory that is freed is kept for the next request of its size: the driver's own
// allocation waits for the device, and the one stream keeps the uses in order.
//
//===----------------------------------------------------------------------===//
#include "Driver.h"
#include "QueueTrace.h"
#include "StartTimes.h"
#include "lispier/Runtime/Trace.h"
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace lispier::runtime {
namespace {
constexpr int64_t kGranule = 512; ///< Pieces are multiples of it; drivers align to 256 at least.
/// More shared memory than this must be asked for, per kernel.
constexpr int64_t kSharedWithoutAsking = 48 << 10;

struct Piece {
  void *memory;
  int64_t bytes;
  enum Kind : uint8_t { Device, Managed, Host } kind;
  bool used;
};
struct DriverDevice {
  Driver *driver;
  int number;
  void *context, *stream;
  Limits limits;
  int64_t maxGridY, maxSharedWithoutAsking;
  bool managed; ///< Host and device may touch memory at the same time.
  bool capturing;
  Piece *pieces;
  int64_t pieceCount, pieceCapacity, usedBytes;
  struct DriverModule *modules;
  struct DriverKernel *kernels;
  struct DriverEvent *events;
  struct DriverGraph *graphs;
  QueueTrace trace;
};
struct DriverModule {
  DriverModule *next;
  DriverDevice *device;
  void *handle;
};
struct DriverKernel {
  DriverKernel *next;
  void *function;
  int64_t sharedAllowed, staticShared;
  char name[128];
};
struct DriverEvent {
  DriverEvent *next;
  void *handle;
};
struct DriverGraph {
  DriverGraph *next;
  void *executable;
};

DriverDevice &own(Device *device) { return *reinterpret_cast<DriverDevice *>(device); }

#define CALL(device, member, ...)                                                                                      \
  if (int code = (device).driver->calls.member(__VA_ARGS__))                                                          \
  return driverError(*(device).driver, LISPIER_DRIVER_SYMBOL(*(device).driver, member), code)

template <typename T> Status addTo(T *&list, T *&made) {
  made = static_cast<T *>(calloc(1, sizeof(T)));
  if (!made)
    return Status("malloc", 0, "no memory on the host");
  made->next = list;
  list = made;
  return Status();
}
template <typename T> void freeAll(T *list) {
  while (list) {
    T *next = list->next;
    ::free(list);
    list = next;
  }
}
template <typename T> void dropFirst(T *&list) {
  T *first = list;
  list = first->next;
  ::free(first);
}

/// The thread may be new to the driver, or another device's.
Status enter(DriverDevice &device) {
  if (int code = device.driver->use(*device.driver, device.number, device.context))
    return driverError(*device.driver, "set device", code);
  return Status();
}

/// A piece of work is put into the queue: its place in a trace. Captured work has none, only its replay.
class Traced {
public:
  Traced(DriverDevice &device, const char *kind, const char *name, int64_t bytes = -1)
      : traced(lispier_rt_tracing() && !device.capturing ? &device : nullptr) {
    if (traced)
      traced->trace.begin(*traced->driver, traced->stream, kind, name, bytes);
  }
  ~Traced() {
    if (traced)
      traced->trace.end(*traced->driver, traced->stream);
  }

private:
  DriverDevice *traced;
};

Status readLimits(DriverDevice &device) {
  Driver &driver = *device.driver;
  Limits &limits = device.limits;
  CALL(device, deviceName, limits.name, int(sizeof(limits.name)), device.number);
  size_t bytes = 0;
  CALL(device, deviceMemory, &bytes, device.number);
  limits.memoryBytes = int64_t(bytes);
  auto attribute = [&](int number) {
    int value = 0;
    driver.calls.deviceAttribute(&value, number, device.number);
    return value;
  };
  const DriverAttributes &numbers = driver.attributes;
  limits.processors = attribute(numbers.processors);
  limits.threadsPerBlock = attribute(numbers.threadsPerBlock);
  device.maxSharedWithoutAsking = attribute(numbers.sharedBytes);
  int64_t most = attribute(numbers.sharedBytesOnRequest);
  limits.sharedBytes = most > device.maxSharedWithoutAsking ? most : device.maxSharedWithoutAsking;
  limits.warpSize = attribute(numbers.warpSize);
  device.maxGridY = attribute(numbers.gridY);
  device.managed = attribute(numbers.concurrentManaged) != 0;
  driver.architecture(driver, device.number, limits.architecture);
  return Status();
}

//===- Memory -------------------------------------------------------------===//

Status outOfMemory(DriverDevice &device, const char *call, int code, int64_t bytes) {
  size_t free = 0, total = 0;
  device.driver->calls.memoryInfo(&free, &total);
  Status named = driverError(*device.driver, call, code);
  return Status(call, code, "%s: %" PRId64 " bytes asked for, %" PRId64 " held, %zu free of %zu", named.reason, bytes,
                device.usedBytes, free, total);
}

int allocate(DriverDevice &device, Piece::Kind kind, int64_t bytes, void *&memory) {
  constexpr unsigned kForAllStreams = 1, kPortableMapped = 1 | 2;
  const DriverCalls &calls = device.driver->calls;
  switch (kind) {
  case Piece::Device:
    return calls.alloc(&memory, bytes);
  case Piece::Managed:
    return calls.allocManaged(&memory, bytes, kForAllStreams);
  case Piece::Host:
    return calls.allocHost(&memory, bytes, kPortableMapped);
  }
  return -1;
}

int giveBack(DriverDevice &device, const Piece &piece) {
  const DriverCalls &calls = device.driver->calls;
  return piece.kind == Piece::Host ? calls.freeHost(piece.memory) : calls.free(piece.memory);
}

/// Pieces that nobody uses go back to the driver.
void giveBackUnused(DriverDevice &device) {
  device.driver->calls.waitStream(device.stream);
  int64_t kept = 0;
  for (int64_t i = 0; i < device.pieceCount; ++i) {
    if (device.pieces[i].used)
      device.pieces[kept++] = device.pieces[i];
    else
      giveBack(device, device.pieces[i]);
  }
  device.pieceCount = kept;
}

bool reserve(DriverDevice &device) {
  if (device.pieceCount < device.pieceCapacity)
    return true;
  int64_t capacity = device.pieceCapacity ? 2 * device.pieceCapacity : 64;
  auto *grown = static_cast<Piece *>(realloc(device.pieces, capacity * sizeof(Piece)));
  if (!grown)
    return false;
  device.pieces = grown;
  device.pieceCapacity = capacity;
  return true;
}

Status allocOf(DriverDevice &device, Piece::Kind kind, int64_t bytes, void *&memory) {
  if (bytes < 0)
    return Status("alloc", 0, "%" PRId64 " bytes asked for", bytes);
  if (Status status = enter(device); !status.ok())
    return status;
  const Driver &driver = *device.driver;
  const char *call = kind == Piece::Device    ? LISPIER_DRIVER_SYMBOL(driver, alloc)
                     : kind == Piece::Managed ? LISPIER_DRIVER_SYMBOL(driver, allocManaged)
                                              : LISPIER_DRIVER_SYMBOL(driver, allocHost);
  constexpr int kOutOfMemory = 2; // The same number in CUDA and HIP.
  if (bytes > device.limits.memoryBytes)
    return outOfMemory(device, call, kOutOfMemory, bytes);
  int64_t size = bytes == 0 ? kGranule : (bytes + kGranule - 1) / kGranule * kGranule;
  for (int64_t i = 0; i < device.pieceCount; ++i)
    if (Piece &piece = device.pieces[i]; !piece.used && piece.bytes == size && piece.kind == kind) {
      piece.used = true;
      device.usedBytes += size;
      memory = piece.memory;
      return Status();
    }
  if (!reserve(device))
    return Status("malloc", 0, "no memory on the host");
  void *made = nullptr;
  int code = allocate(device, kind, size, made);
  if (code == kOutOfMemory && !device.capturing) {
    giveBackUnused(device);
    code = allocate(device, kind, size, made);
  }
  if (code == kOutOfMemory)
    return outOfMemory(device, call, code, bytes);
  if (code)
    return driverError(*device.driver, call, code);
  device.pieces[device.pieceCount++] = {made, size, kind, true};
  device.usedBytes += size;
  memory = made;
  return Status();
}
} // namespace

namespace drivers {
namespace {
Status checkOrdinal(Driver &driver, int ordinal) {
  if (const Status &status = openDriver(driver); !status.ok())
    return status;
  if (ordinal >= 0 && ordinal < driver.devices)
    return Status();
  char there[400] = "";
  for (int i = 0, length = 0; i < driver.devices && length < int(sizeof(there)) - 100; ++i) {
    int number = 0;
    char name[64] = "";
    driver.calls.deviceGet(&number, i);
    driver.calls.deviceName(name, int(sizeof(name)), number);
    length += snprintf(there + length, sizeof(there) - length, "%s %d (%s)", i ? "," : "", i, name);
  }
  return Status("open", 0, "no %s device %d; this machine has%s", driver.kind, ordinal, there);
}
} // namespace

Status describe(Driver &driver, int ordinal, Limits &limits) {
  if (Status status = checkOrdinal(driver, ordinal); !status.ok())
    return status;
  DriverDevice device{};
  device.driver = &driver;
  CALL(device, deviceGet, &device.number, ordinal);
  Status status = readLimits(device);
  limits = device.limits;
  return status;
}

Status open(Driver &driver, int ordinal, Device *&device) {
  if (Status status = checkOrdinal(driver, ordinal); !status.ok())
    return status;
  auto *made = static_cast<DriverDevice *>(calloc(1, sizeof(DriverDevice)));
  if (!made)
    return Status("malloc", 0, "no memory on the host");
  made->driver = &driver;
  auto start = [&](DriverDevice &device) {
    constexpr unsigned kApartFromDefault = 1;
    StartTimer timer(StartPart::Context);
    CALL(device, deviceGet, &device.number, ordinal);
    if (int code = driver.openContext(driver, device.number, device.context))
      return driverError(driver, "open context", code);
    if (Status status = enter(device); !status.ok())
      return status;
    if (Status status = readLimits(device); !status.ok())
      return status;
    CALL(device, createStream, &device.stream, kApartFromDefault);
    return Status();
  };
  if (Status status = start(*made); !status.ok()) {
    if (made->context)
      driver.closeContext(driver, made->number);
    ::free(made);
    return status;
  }
  device = reinterpret_cast<Device *>(made);
  return Status();
}

Status limits(Device *device, Limits &limits) {
  limits = own(device).limits;
  return Status();
}

Status alloc(Device *device, int64_t bytes, void *&memory) { return allocOf(own(device), Piece::Device, bytes, memory); }

/// Managed memory moves to where it is used; pinned host memory stays, and the device reaches for it.
Status allocShared(Device *device, int64_t bytes, void *&memory) {
  bool managed = own(device).managed;
  if (const char *wish = getenv("LISPIER_SHARED_MEMORY"))
    managed = strcmp(wish, "host") != 0;
  if (managed) {
    Status status = allocOf(own(device), Piece::Managed, bytes, memory);
    constexpr int kNotSupported = 801;
    if (status.code != kNotSupported)
      return status;
    own(device).managed = false;
  }
  return allocOf(own(device), Piece::Host, bytes, memory);
}

Status release(Device *handle, void *memory) {
  DriverDevice &device = own(handle);
  if (!memory)
    return Status();
  for (int64_t i = 0; i < device.pieceCount; ++i) {
    Piece &piece = device.pieces[i];
    if (piece.memory != memory || !piece.used)
      continue;
    // The next owner may be the host, which is in no queue.
    if (piece.kind != Piece::Device)
      if (Status status = wait(handle, nullptr); !status.ok())
        return status;
    piece.used = false;
    device.usedBytes -= piece.bytes;
    return Status();
  }
  return Status("free", 0, "%p is no memory of this device", memory);
}

bool owns(Device *handle, const void *memory) {
  const DriverDevice &device = own(handle);
  for (int64_t i = 0; i < device.pieceCount; ++i)
    if (device.pieces[i].memory == memory && device.pieces[i].used)
      return true;
  return false;
}

Status registerHost(Device *handle, void *memory, int64_t bytes) {
  constexpr unsigned kPortableMapped = 1 | 2;
  DriverDevice &device = own(handle);
  if (Status status = enter(device); !status.ok())
    return status;
  CALL(device, registerHost, memory, size_t(bytes), kPortableMapped);
  return Status();
}

Status unregisterHost(Device *handle, void *memory) {
  DriverDevice &device = own(handle);
  if (Status status = wait(handle, nullptr); !status.ok())
    return status;
  CALL(device, unregisterHost, memory);
  return Status();
}

namespace {
const char *copyName(const DriverDevice &device) {
  return strcmp(device.driver->kind, "hip") ? "cuMemcpyAsync" : "hipMemcpyAsync";
}
} // namespace

Status copy(Device *handle, void *to, const void *from, int64_t bytes) {
  DriverDevice &device = own(handle);
  if (bytes < 0)
    return Status("copy", 0, "%" PRId64 " bytes asked for", bytes);
  if (Status status = enter(device); !status.ok() || bytes == 0)
    return status;
  Traced traced(device, "copy", "copy", bytes);
  int code = device.driver->copy(*device.driver, to, from, size_t(bytes), device.stream);
  return code ? driverError(*device.driver, copyName(device), code) : Status();
}

namespace {
/// Drivers fill by up to four bytes; wider patterns are copied from what is filled already, twice as much each time.
Status fillWide(DriverDevice &device, char *to, uint64_t pattern, int64_t count) {
  auto low = unsigned(pattern), high = unsigned(pattern >> 32);
  if (low == high) {
    CALL(device, fill32, to, low, size_t(2 * count), device.stream);
    return Status();
  }
  CALL(device, fill32, to, low, 1, device.stream);
  CALL(device, fill32, to + 4, high, 1, device.stream);
  for (int64_t done = 1; done < count;) {
    int64_t more = done < count - done ? done : count - done;
    if (int code = device.driver->copy(*device.driver, to + 8 * done, to, size_t(8 * more), device.stream))
      return driverError(*device.driver, copyName(device), code);
    done += more;
  }
  return Status();
}
} // namespace

Status fill(Device *handle, void *to, uint64_t pattern, int width, int64_t count) {
  DriverDevice &device = own(handle);
  if ((width != 1 && width != 2 && width != 4 && width != 8) || count < 0 || reinterpret_cast<uintptr_t>(to) % width)
    return Status("fill", 0, "%" PRId64 " patterns of %d bytes at %p", count, width, to);
  if (Status status = enter(device); !status.ok() || count == 0)
    return status;
  Traced traced(device, "fill", "fill", width * count);
  if (width == 8)
    return fillWide(device, static_cast<char *>(to), pattern, count);
  if (width == 1) {
    CALL(device, fill8, to, static_cast<unsigned char>(pattern), size_t(count), device.stream);
  } else if (width == 2) {
    CALL(device, fill16, to, static_cast<unsigned short>(pattern), size_t(count), device.stream);
  } else {
    CALL(device, fill32, to, static_cast<unsigned>(pattern), size_t(count), device.stream);
  }
  return Status();
}

//===- Kernels ------------------------------------------------------------===//

Status load(Device *handle, const void *image, int64_t bytes, Module *&module) {
  DriverDevice &device = own(handle);
  if (!image || bytes <= 0)
    return Status("load", 0, "an image of %" PRId64 " bytes is no code", bytes);
  if (Status status = enter(device); !status.ok())
    return status;
  DriverModule *made = nullptr;
  if (Status status = addTo(device.modules, made); !status.ok())
    return status;
  made->device = &device;
  StartTimer timer(StartPart::Module);
  // PTX is compiled here; what its compiler says belongs to the error.
  char log[400] = "";
  int keys[] = {5, 6}; // CU_JIT_ERROR_LOG_BUFFER and its size; HIP takes no options.
  void *values[] = {log, reinterpret_cast<void *>(sizeof(log))};
  unsigned options = strcmp(device.driver->kind, "cuda") == 0 ? 2 : 0;
  int code = device.driver->calls.loadModule(&made->handle, image, options, keys, values);
  if (code == 0) {
    module = reinterpret_cast<Module *>(made);
    return Status();
  }
  dropFirst(device.modules);
  const char *call = LISPIER_DRIVER_SYMBOL(*device.driver, loadModule);
  Status named = driverError(*device.driver, call, code);
  log[sizeof(log) - 1] = 0;
  return log[0] ? Status(call, code, "%s: %s", named.reason, log) : named;
}

Status kernel(Module *handle, const char *name, Kernel *&kernel) {
  auto &module = *reinterpret_cast<DriverModule *>(handle);
  DriverDevice &device = *module.device;
  if (Status status = enter(device); !status.ok())
    return status;
  void *function = nullptr;
  if (int code = device.driver->calls.getFunction(&function, module.handle, name)) {
    const char *call = LISPIER_DRIVER_SYMBOL(*device.driver, getFunction);
    Status named = driverError(*device.driver, call, code);
    return Status(call, code, "%s: kernel `%s`", named.reason, name);
  }
  DriverKernel *made = nullptr;
  if (Status status = addTo(device.kernels, made); !status.ok())
    return status;
  constexpr int kSharedBytes = 1;
  int shared = 0;
  device.driver->calls.functionAttribute(&shared, kSharedBytes, function);
  made->function = function;
  made->staticShared = shared;
  strncpy(made->name, name, sizeof(made->name) - 1);
  kernel = reinterpret_cast<Kernel *>(made);
  return Status();
}

namespace {
Status checkShape(const DriverDevice &device, const DriverKernel &kernel, const LaunchShape &shape) {
  const Limits &limits = device.limits;
  int64_t threads = 1;
  for (int64_t size : shape.block) {
    if (size < 1 || size > limits.threadsPerBlock)
      return Status("launch", 0, "kernel `%s`: a block of %" PRId64 " x %" PRId64 " x %" PRId64 " threads; %s allows 1 to %" PRId64,
                    kernel.name, shape.block[0], shape.block[1], shape.block[2], limits.name, limits.threadsPerBlock);
    threads *= size;
  }
  if (threads > limits.threadsPerBlock)
    return Status("launch", 0, "kernel `%s`: %" PRId64 " threads in a block; %s allows %" PRId64, kernel.name, threads,
                  limits.name, limits.threadsPerBlock);
  const int64_t most[] = {INT32_MAX, device.maxGridY, device.maxGridY};
  for (int i = 0; i < 3; ++i)
    if (shape.grid[i] < 0 || shape.grid[i] > most[i])
      return Status("launch", 0, "kernel `%s`: %" PRId64 " blocks along %c; %s allows %" PRId64, kernel.name, shape.grid[i],
                    "xyz"[i], limits.name, most[i]);
  if (shape.sharedBytes < 0 || shape.sharedBytes + kernel.staticShared > limits.sharedBytes)
    return Status("launch", 0, "kernel `%s`: %" PRId64 " bytes of shared memory; %s allows %" PRId64, kernel.name,
                  shape.sharedBytes + kernel.staticShared, limits.name, limits.sharedBytes);
  if (!shape.cluster[0])
    return Status();
  if (!device.driver->launchWith)
    return Status("launch", 0, "kernel `%s`: clusters of blocks; %s or its driver has none", kernel.name, limits.name);
  for (int i = 0; i < 3; ++i)
    if (shape.cluster[i] < 1 || shape.grid[i] % shape.cluster[i])
      return Status("launch", 0, "kernel `%s`: %" PRId64 " blocks along %c are not clusters of %" PRId64, kernel.name,
                    shape.grid[i], "xyz"[i], shape.cluster[i]);
  return Status();
}
} // namespace

Status launch(Device *handle, Kernel *kernelHandle, const LaunchShape &shape, void **arguments) {
  DriverDevice &device = own(handle);
  auto &kernel = *reinterpret_cast<DriverKernel *>(kernelHandle);
  if (Status status = checkShape(device, kernel, shape); !status.ok())
    return status;
  // No block, no work; drivers call it an error.
  if (shape.grid[0] == 0 || shape.grid[1] == 0 || shape.grid[2] == 0)
    return Status();
  if (Status status = enter(device); !status.ok())
    return status;
  if (shape.sharedBytes + kernel.staticShared > kSharedWithoutAsking && shape.sharedBytes > kernel.sharedAllowed) {
    if (int code = device.driver->allowShared(*device.driver, kernel.function, shape.sharedBytes))
      return driverError(*device.driver, "ask for shared memory", code);
    kernel.sharedAllowed = shape.sharedBytes;
  }
  Traced traced(device, "kernel", kernel.name);
  bool withAttributes = device.driver->launchWith && (shape.early || shape.cluster[0]);
  int code =
      withAttributes
          ? device.driver->launchWith(*device.driver, kernel.function, shape, device.stream, arguments)
          : device.driver->calls.launch(kernel.function, unsigned(shape.grid[0]), unsigned(shape.grid[1]), unsigned(shape.grid[2]),
                                        unsigned(shape.block[0]), unsigned(shape.block[1]), unsigned(shape.block[2]),
                                        unsigned(shape.sharedBytes), device.stream, arguments, nullptr);
  if (code == 0)
    return Status();
  const char *call = withAttributes ? "cuLaunchKernelEx" : LISPIER_DRIVER_SYMBOL(*device.driver, launch);
  Status named = driverError(*device.driver, call, code);
  return Status(call, code, "%s: kernel `%s`", named.reason, kernel.name);
}

Status tensorMap(Device *handle, const TensorMap &map, void *&memory) {
  DriverDevice &device = own(handle);
  if (!device.driver->encodeTensorMap)
    return Status("tensor map", 0, "%s or its driver does not copy tiles of tensors", device.limits.name);
  if (map.rank < 1 || map.rank > TensorMap::kMostDimensions)
    return Status("tensor map", 0, "%d dimensions; 1 to %d are possible", map.rank, TensorMap::kMostDimensions);
  if (map.strides[map.rank - 1] != 1)
    return Status("tensor map", 0, "elements in steps of %" PRId64 "; those of the last dimension must lie side by side",
                  map.strides[map.rank - 1]);
  if (Status status = enter(device); !status.ok())
    return status;
  alignas(kTensorMapAlignment) char made[kTensorMapBytes] = {};
  if (int code = device.driver->encodeTensorMap(*device.driver, map, made))
    return driverError(*device.driver, "cuTensorMapEncodeTiled", code);
  if (Status status = alloc(handle, kTensorMapBytes, memory); !status.ok())
    return status;
  if (Status status = copy(handle, memory, made, kTensorMapBytes); !status.ok())
    return status;
  return wait(handle, nullptr); // Before `made` goes.
}

//===- The queue ----------------------------------------------------------===//

Status event(Device *handle, Event *&event) {
  DriverDevice &device = own(handle);
  if (Status status = enter(device); !status.ok())
    return status;
  constexpr unsigned kWithoutTime = 2;
  DriverEvent *made = nullptr;
  if (Status status = addTo(device.events, made); !status.ok())
    return status;
  auto record = [&]() -> Status {
    CALL(device, createEvent, &made->handle, kWithoutTime);
    CALL(device, recordEvent, made->handle, device.stream);
    return Status();
  };
  if (Status status = record(); !status.ok()) {
    if (made->handle)
      device.driver->calls.destroyEvent(made->handle);
    dropFirst(device.events);
    return status;
  }
  event = reinterpret_cast<Event *>(made);
  return Status();
}

namespace {
/// The driver's event, which the caller destroys; null when the device has no such event.
void *take(DriverDevice &device, Event *event) {
  DriverEvent **link = &device.events;
  while (*link && *link != reinterpret_cast<DriverEvent *>(event))
    link = &(*link)->next;
  void *known = *link ? (*link)->handle : nullptr;
  if (known)
    dropFirst(*link);
  return known;
}
} // namespace

Status wait(Device *handle, Event *event) {
  DriverDevice &device = own(handle);
  if (Status status = enter(device); !status.ok())
    return status;
  if (!event) {
    CALL(device, waitStream, device.stream);
    device.trace.write(*device.driver);
    return Status();
  }
  void *known = take(device, event);
  if (!known)
    return Status("wait", 0, "no such event on this device");
  int code = device.driver->calls.waitEvent(known);
  device.driver->calls.destroyEvent(known);
  return code ? driverError(*device.driver, LISPIER_DRIVER_SYMBOL(*device.driver, waitEvent), code) : Status();
}

Status drop(Device *handle, Event *event) {
  DriverDevice &device = own(handle);
  if (Status status = enter(device); !status.ok() || !event)
    return status;
  void *known = take(device, event);
  if (!known)
    return Status("drop", 0, "no such event on this device");
  CALL(device, destroyEvent, known);
  return Status();
}

Status beginCapture(Device *handle) {
  DriverDevice &device = own(handle);
  if (Status status = enter(device); !status.ok())
    return status;
  constexpr int kThisThreadOnly = 1;
  CALL(device, beginCapture, device.stream, kThisThreadOnly);
  device.capturing = true;
  return Status();
}

Status endCapture(Device *handle, Graph *&graph) {
  DriverDevice &device = own(handle);
  if (Status status = enter(device); !status.ok())
    return status;
  device.capturing = false;
  void *noted = nullptr, *executable = nullptr;
  CALL(device, endCapture, device.stream, &noted);
  int code = device.driver->calls.instantiate(&executable, noted, 0);
  device.driver->calls.destroyGraph(noted);
  if (code)
    return driverError(*device.driver, LISPIER_DRIVER_SYMBOL(*device.driver, instantiate), code);
  DriverGraph *made = nullptr;
  if (Status status = addTo(device.graphs, made); !status.ok()) {
    device.driver->calls.destroyExecutable(executable);
    return status;
  }
  made->executable = executable;
  graph = reinterpret_cast<Graph *>(made);
  return Status();
}

Status replay(Device *handle, Graph *graph) {
  DriverDevice &device = own(handle);
  if (Status status = enter(device); !status.ok())
    return status;
  Traced traced(device, "graph", "graph");
  CALL(device, replay, reinterpret_cast<DriverGraph *>(graph)->executable, device.stream);
  return Status();
}

Status forget(Device *handle, Graph *graph) {
  DriverDevice &device = own(handle);
  if (Status status = enter(device); !status.ok())
    return status;
  DriverGraph **link = &device.graphs;
  while (*link && *link != reinterpret_cast<DriverGraph *>(graph))
    link = &(*link)->next;
  if (!*link)
    return Status("forget", 0, "no such graph on this device");
  void *executable = (*link)->executable;
  dropFirst(*link);
  CALL(device, destroyExecutable, executable);
  return Status();
}

/// The first thing that goes wrong is reported; the rest is released all the same.
Status close(Device *handle) {
  DriverDevice &device = own(handle);
  Status status = wait(handle, nullptr);
  const DriverCalls &calls = device.driver->calls;
  auto note = [&](const char *call, int code) {
    if (code && status.ok())
      status = driverError(*device.driver, call, code);
  };
  for (DriverGraph *graph = device.graphs; graph; graph = graph->next)
    note(LISPIER_DRIVER_SYMBOL(*device.driver, destroyExecutable), calls.destroyExecutable(graph->executable));
  for (DriverEvent *event = device.events; event; event = event->next)
    note(LISPIER_DRIVER_SYMBOL(*device.driver, destroyEvent), calls.destroyEvent(event->handle));
  device.trace.release(*device.driver);
  for (DriverModule *module = device.modules; module; module = module->next)
    note(LISPIER_DRIVER_SYMBOL(*device.driver, unloadModule), calls.unloadModule(module->handle));
  for (int64_t i = 0; i < device.pieceCount; ++i)
    note(LISPIER_DRIVER_SYMBOL(*device.driver, free), giveBack(device, device.pieces[i]));
  note(LISPIER_DRIVER_SYMBOL(*device.driver, destroyStream), calls.destroyStream(device.stream));
  note("close context", device.driver->closeContext(*device.driver, device.number));
  freeAll(device.graphs);
  freeAll(device.events);
  freeAll(device.modules);
  freeAll(device.kernels);
  ::free(device.pieces);
  ::free(&device);
  return status;
}
} // namespace drivers
} // namespace lispier::runtime
