//===- DriverMemory.cpp - device memory behind a vendor's driver ----------===//
//
// Freed memory is cached for the next request of its size, because the driver's
// own allocation synchronises with the device. The single stream orders its uses.
// Work in callers' streams has memory of a pool of the driver (CallerQueue.cpp).
//
//===----------------------------------------------------------------------===//
#include "DriverDevice.h"
#include <cinttypes>
#include <cstring>

namespace lispier::runtime {
namespace {
constexpr int64_t kGranule = 512; ///< Sizes are rounded up to it; drivers align to at least 256 bytes.

Status outOfMemory(DriverDevice &device, const char *call, int code, int64_t bytes) {
  size_t free = 0, total = 0;
  device.driver->calls.memoryInfo(&free, &total);
  Status named = driverError(*device.driver, call, code);
  return Status(call, code, "%s: %" PRId64 " bytes asked for, %" PRId64 " held, %zu free of %zu", named.reason, bytes,
                device.usedBytes, free, total);
}

int allocate(DriverDevice &device, Allocation::Kind kind, int64_t bytes, void *&memory) {
  constexpr unsigned kForAllStreams = 1, kPortableMapped = 1 | 2;
  const DriverCalls &calls = device.driver->calls;
  switch (kind) {
  case Allocation::Device:
    return calls.alloc(&memory, bytes);
  case Allocation::Managed:
    return calls.allocManaged(&memory, bytes, kForAllStreams);
  case Allocation::Host:
    return calls.allocHost(&memory, bytes, kPortableMapped);
  case Allocation::Pool:
    break;
  }
  return -1;
}
} // namespace

int giveBack(DriverDevice &device, const Allocation &allocation) {
  const DriverCalls &calls = device.driver->calls;
  return allocation.kind == Allocation::Host   ? calls.freeHost(allocation.memory)
         : allocation.kind == Allocation::Pool ? calls.freeAsync(allocation.memory, device.stream)
                                               : calls.free(allocation.memory);
}

const Allocation *allocationAround(const DriverDevice &device, const void *address) {
  for (int64_t i = 0; i < device.allocationCount; ++i) {
    const Allocation &allocation = device.allocations[i];
    if (allocation.state != Allocation::Returned &&
        uintptr_t(address) - uintptr_t(allocation.memory) < uint64_t(allocation.bytes))
      return &allocation;
  }
  return nullptr;
}

namespace {
/// Returns all cached allocations to the driver. Addresses of other than device memory may be the host's afterwards.
void giveBackUnused(DriverDevice &device) {
  device.driver->calls.waitStream(device.ownStream);
  int64_t kept = 0;
  for (int64_t i = 0; i < device.allocationCount; ++i) {
    Allocation allocation = device.allocations[i];
    if (allocation.state == Allocation::Cached) {
      giveBack(device, allocation);
      allocation.state = Allocation::Returned;
    }
    if (allocation.state == Allocation::Used || allocation.kind == Allocation::Device)
      device.allocations[kept++] = allocation;
  }
  device.allocationCount = kept;
}

/// Returns the entry of an allocation that begins at `memory`, also of one that was returned, or null.
Allocation *findAllocation(const DriverDevice &device, const void *memory) {
  for (int64_t i = 0; i < device.allocationCount; ++i)
    if (device.allocations[i].memory == memory)
      return &device.allocations[i];
  return nullptr;
}

bool reserve(DriverDevice &device) {
  if (device.allocationCount < device.allocationCapacity)
    return true;
  int64_t capacity = device.allocationCapacity ? 2 * device.allocationCapacity : 64;
  auto *grown = static_cast<Allocation *>(realloc(device.allocations, capacity * sizeof(Allocation)));
  if (!grown)
    return false;
  device.allocations = grown;
  device.allocationCapacity = capacity;
  return true;
}

void countUsed(DriverDevice &device, int64_t bytes) {
  device.usedBytes += bytes;
  if (device.usedBytes > device.mostBytes)
    device.mostBytes = device.usedBytes;
}

/// Records an allocation of the driver in the list, whose capacity has been reserved.
void note(DriverDevice &device, void *made, int64_t size, Allocation::Kind kind) {
  Allocation *entry = findAllocation(device, made); // An address that was returned, and is in use again.
  *(entry ? entry : &device.allocations[device.allocationCount++]) = {made, size, kind, Allocation::Used};
  countUsed(device, size);
}

/// Waits until memory that both reach, and that was freed, is no longer in use. A caller's work with it has been waited
/// for when it was freed.
Status waitForOwnQueue(DriverDevice &device) {
  if (!device.isCallers)
    return drivers::wait(reinterpret_cast<Device *>(&device), nullptr);
  CALL(device, waitStream, device.ownStream);
  return Status();
}

Status allocOf(DriverDevice &device, Allocation::Kind kind, int64_t bytes, void *&memory) {
  if (bytes < 0)
    return Status("alloc", 0, "%" PRId64 " bytes asked for", bytes);
  int64_t size = bytes == 0 ? kGranule : (bytes + kGranule - 1) / kGranule * kGranule;
  if (device.isCallers && kind == Allocation::Device) {
    if (!reserve(device))
      return Status("malloc", 0, "no memory on the host");
    bool isDone = false;
    Status status = allocFromPool(device, size, memory, isDone);
    if (isDone && status.ok())
      note(device, memory, size, Allocation::Pool);
    if (isDone)
      return status;
  }
  for (int64_t i = 0; i < device.allocationCount; ++i)
    if (Allocation &allocation = device.allocations[i];
        allocation.state == Allocation::Cached && allocation.bytes == size && allocation.kind == kind) {
      // The next user may be the host, whose accesses the queue does not order.
      if (kind != Allocation::Device)
        if (Status status = waitForOwnQueue(device); !status.ok())
          return status;
      allocation.state = Allocation::Used;
      countUsed(device, size);
      memory = allocation.memory;
      return Status();
    }
  if (Status status = enter(device); !status.ok())
    return status;
  const Driver &driver = *device.driver;
  const char *call = kind == Allocation::Device    ? LISPIER_DRIVER_SYMBOL(driver, alloc)
                     : kind == Allocation::Managed ? LISPIER_DRIVER_SYMBOL(driver, allocManaged)
                                                   : LISPIER_DRIVER_SYMBOL(driver, allocHost);
  constexpr int kOutOfMemory = 2; // The same in CUDA and HIP.
  if (bytes > device.limits.memoryBytes)
    return outOfMemory(device, call, kOutOfMemory, bytes);
  if (!reserve(device))
    return Status("malloc", 0, "no memory on the host");
  void *made = nullptr;
  TraceSpan span("allocation", call, nullptr, size); // By the driver, which may wait for the device.
  int code = allocate(device, kind, size, made);
  if (code == kOutOfMemory && !device.capturing && !device.deferring) {
    giveBackUnused(device);
    code = allocate(device, kind, size, made);
  }
  if (code == kOutOfMemory)
    return outOfMemory(device, call, code, bytes);
  if (code)
    return driverError(*device.driver, call, code);
  note(device, made, size, kind);
  memory = made;
  return Status();
}
} // namespace

namespace drivers {
Status alloc(Device *device, int64_t bytes, void *&memory) {
  return allocOf(own(device), Allocation::Device, bytes, memory);
}

/// Managed memory migrates to where it is used; pinned host memory stays, and the device accesses it remotely.
Status allocShared(Device *device, int64_t bytes, void *&memory) {
  bool managed = own(device).managed;
  if (const char *wish = getenv("LISPIER_SHARED_MEMORY"))
    managed = strcmp(wish, "host") != 0;
  if (managed) {
    Status status = allocOf(own(device), Allocation::Managed, bytes, memory);
    constexpr int kNotSupported = 801;
    if (status.code != kNotSupported)
      return status;
    own(device).managed = false;
  }
  return allocOf(own(device), Allocation::Host, bytes, memory);
}

Status release(Device *handle, void *memory) {
  DriverDevice &device = own(handle);
  if (!memory)
    return Status();
  Allocation *allocation = findAllocation(device, memory);
  if (!allocation)
    return Status("free", 0, "%p is no memory of this device", memory);
  if (allocation->state != Allocation::Used)
    return Status("free", 0, "memory is freed a second time");
  device.usedBytes -= allocation->bytes;
  if (allocation->kind == Allocation::Pool) {
    if (Status status = enter(device); !status.ok())
      return status;
    *allocation = device.allocations[--device.allocationCount];
    CALL(device, freeAsync, memory, device.stream);
    return Status();
  }
  if (device.isCallerCapturing) // Replays use it, for as long as the caller has the graph.
    return Status();
  if (device.isCallers) // The next user may be work in another stream.
    if (Status status = waitForQueue(device); !status.ok())
      return status;
  allocation->state = Allocation::Cached;
  return Status();
}

int64_t mostBytes(Device *handle) { return own(handle).mostBytes; }

bool holds(Device *handle, const void *address) { return allocationAround(own(handle), address) != nullptr; }

void defer(Device *handle, bool defers) { own(handle).deferring = defers; }

bool owns(Device *handle, const void *memory) { return findAllocation(own(handle), memory) != nullptr; }

Status registerHost(Device *handle, void *memory, int64_t bytes) {
  constexpr unsigned kPortableMapped = 1 | 2;
  DriverDevice &device = own(handle);
  if (Status status = enter(device); !status.ok())
    return status;
  CALL(device, registerHost, memory, size_t(bytes), kPortableMapped);
  ++device.driver->registered;
  Registered *made = nullptr;
  if (Status status = addTo(device.driver->hostMemory, made); !status.ok())
    return status;
  made->host = static_cast<char *>(memory);
  made->bytes = bytes;
  void *address = nullptr;
  return addressOf(handle, memory, /*readsPointers=*/false,
                   address); // Query it now: it cannot be queried while work is captured.
}

/// Fails if the registered memory holds, from `from` on, a host address of registered memory.
static Status refuseHostPointers(const DriverDevice &device, const Registered &range, const char *from) {
  constexpr uintptr_t kWord = sizeof(void *);
  const char *end = range.host + range.bytes;
  auto *word = reinterpret_cast<const char *>((uintptr_t(from) + kWord - 1) / kWord * kWord);
  for (; end - word >= ptrdiff_t(kWord); word += kWord) {
    uintptr_t value;
    memcpy(&value, word, kWord);
    for (const Registered *other = device.driver->hostMemory; other; other = other->next)
      if (value - uintptr_t(other->host) < uint64_t(other->bytes))
        return Status("launch", 0,
                      "the kernel reads pointers from memory that holds the host address %p, %td bytes behind its "
                      "argument; this device has that registered memory elsewhere. Pass the pointer itself to the "
                      "kernel, or put what it points to in device memory",
                      reinterpret_cast<void *>(value), word - from);
  }
  return Status();
}

Status addressOf(Device *handle, void *memory, bool readsPointers, void *&address) {
  DriverDevice &device = own(handle);
  address = memory;
  for (Registered *range = device.driver->hostMemory; range && !device.hostPointers; range = range->next) {
    uint64_t offset = uintptr_t(memory) - uintptr_t(range->host);
    if (offset >= uint64_t(range->bytes))
      continue;
    char *&start = range->on[device.number];
    if (!start) {
      constexpr unsigned kNoFlags = 0;
      void *found = nullptr;
      if (Status status = enter(device); !status.ok())
        return status;
      CALL(device, deviceAddress, &found, range->host, kNoFlags);
      start = static_cast<char *>(found);
    }
    address = start + offset;
    return readsPointers && address != memory ? refuseHostPointers(device, *range, static_cast<char *>(memory))
                                              : Status();
  }
  return Status();
}

Status unregisterHost(Device *handle, void *memory) {
  DriverDevice &device = own(handle);
  if (Status status = wait(handle, nullptr); !status.ok())
    return status;
  for (Registered **link = &device.driver->hostMemory; *link; link = &(*link)->next)
    if ((*link)->host == memory) {
      dropFirst(*link);
      break;
    }
  CALL(device, unregisterHost, memory);
  --device.driver->registered;
  return Status();
}

Status copy(Device *handle, void *to, const void *from, int64_t bytes) {
  DriverDevice &device = own(handle);
  if (bytes < 0)
    return Status("copy", 0, "%" PRId64 " bytes asked for", bytes);
  if (Status status = enter(device); !status.ok() || bytes == 0)
    return status;
  if (device.isCallerCapturing && !(isDeviceMemory(device, to) && isDeviceMemory(device, from)))
    return refuseInCapture(device.driver->names.copy, "copies memory of the host");
  if (Staging::Way way = device.staging.wayOf(device, to, from, bytes); way != Staging::None)
    return way == Staging::Up ? device.staging.upload(device, to, from, bytes)
                              : device.staging.download(device, to, from, bytes);
  Traced traced(device, "copy", "copy", bytes);
  int code = device.driver->copy(*device.driver, to, from, size_t(bytes), device.stream);
  return code ? driverError(*device.driver, device.driver->names.copy, code) : Status();
}

/// Rows that overlap or have a negative or too large pitch for the driver are copied one by one.
Status copyRows(Device *handle, void *to, int64_t toPitch, const void *from, int64_t fromPitch, int64_t rowBytes,
                int64_t rows) {
  DriverDevice &device = own(handle);
  if (rowBytes < 0 || rows < 0)
    return Status("copy", 0, "%" PRId64 " rows of %" PRId64 " bytes asked for", rows, rowBytes);
  if (Status status = enter(device); !status.ok() || rowBytes == 0 || rows == 0)
    return status;
  constexpr int64_t kMostPitch = INT32_MAX;
  Driver &driver = *device.driver;
  Traced traced(device, "copy", "copy", rowBytes * rows);
  auto fits = [&](int64_t pitch) { return pitch >= rowBytes && pitch <= kMostPitch; };
  if (rows > 1 && fits(toPitch) && fits(fromPitch)) {
    int code = driver.copyRows(driver, to, size_t(toPitch), from, size_t(fromPitch), size_t(rowBytes), size_t(rows),
                               device.stream);
    return code ? driverError(driver, driver.names.copyRows, code) : Status();
  }
  for (int64_t row = 0; row < rows; ++row)
    if (int code = driver.copy(driver, static_cast<char *>(to) + row * toPitch,
                               static_cast<const char *>(from) + row * fromPitch, size_t(rowBytes), device.stream))
      return driverError(driver, driver.names.copy, code);
  return Status();
}

namespace {
/// Drivers fill with patterns of at most four bytes. Wider ones are filled by copying, doubling the filled part.
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
      return driverError(*device.driver, device.driver->names.copy, code);
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
  if (Status status = addressOf(handle, to, /*readsPointers=*/false, to); !status.ok())
    return status;
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
} // namespace drivers
} // namespace lispier::runtime
