//===- DriverKernels.cpp - load and launch kernels ------------------------===//
#include "Core/StartTimes.h"
#include "DriverDevice.h"
#include "lispier/TargetInfo/TargetNames.h"
#include <cinttypes>
#include <cstring>

namespace lispier::runtime::drivers {
/// More dynamic shared memory than this needs an opt-in per kernel.
static constexpr int64_t kSharedWithoutAsking = 48 << 10;

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
  // Loading compiles PTX; the compiler's log becomes part of the error.
  char log[400] = "";
  int keys[] = {5, 6}; // CU_JIT_ERROR_LOG_BUFFER and its size; HIP takes no options.
  void *values[] = {log, reinterpret_cast<void *>(sizeof(log))};
  unsigned options = strcmp(device.driver->kind, kCudaName.deviceKind) == 0 ? 2 : 0;
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
      return Status("launch", 0,
                    "kernel `%s`: a block of %" PRId64 " x %" PRId64 " x %" PRId64 " threads; %s allows 1 to %" PRId64,
                    kernel.name, shape.block[0], shape.block[1], shape.block[2], limits.name, limits.threadsPerBlock);
    threads *= size;
  }
  if (threads > limits.threadsPerBlock)
    return Status("launch", 0, "kernel `%s`: %" PRId64 " threads in a block; %s allows %" PRId64, kernel.name, threads,
                  limits.name, limits.threadsPerBlock);
  const int64_t most[] = {INT32_MAX, device.maxGridY, device.maxGridY};
  for (int i = 0; i < 3; ++i)
    if (shape.grid[i] < 0 || shape.grid[i] > most[i])
      return Status("launch", 0, "kernel `%s`: %" PRId64 " blocks along %c; %s allows %" PRId64, kernel.name,
                    shape.grid[i], "xyz"[i], limits.name, most[i]);
  for (int i = 0; i < 3; ++i)
    if (int64_t most = device.driver->mostThreads; most && shape.grid[i] * shape.block[i] > most)
      return Status("launch", 0,
                    "kernel `%s`: %" PRId64 " blocks of %" PRId64 " threads along %c; %s allows %" PRId64 " threads",
                    kernel.name, shape.grid[i], shape.block[i], "xyz"[i], limits.name, most);
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
  // A launch without blocks does nothing; drivers would reject it.
  if (shape.grid[0] == 0 || shape.grid[1] == 0 || shape.grid[2] == 0)
    return Status();
  if (Status status = enter(device); !status.ok())
    return status;
  if (shape.sharedBytes + kernel.staticShared > kSharedWithoutAsking && shape.sharedBytes > kernel.sharedAllowed) {
    if (int code = device.driver->allowShared(*device.driver, kernel.function, shape.sharedBytes))
      return driverError(*device.driver, device.driver->names.allowShared, code);
    kernel.sharedAllowed = shape.sharedBytes;
  }
  Traced traced(device, "kernel", kernel.name);
  bool withAttributes = device.driver->launchWith && (shape.dependentLaunch || shape.cluster[0]);
  int code = withAttributes
                 ? device.driver->launchWith(*device.driver, kernel.function, shape, device.stream, arguments)
                 : device.driver->calls.launch(kernel.function, unsigned(shape.grid[0]), unsigned(shape.grid[1]),
                                               unsigned(shape.grid[2]), unsigned(shape.block[0]),
                                               unsigned(shape.block[1]), unsigned(shape.block[2]),
                                               unsigned(shape.sharedBytes), device.stream, arguments, nullptr);
  if (code == 0)
    return Status();
  const char *call = withAttributes ? device.driver->names.launchWith : LISPIER_DRIVER_SYMBOL(*device.driver, launch);
  Status named = driverError(*device.driver, call, code);
  return Status(call, code, "%s: kernel `%s`", named.reason, kernel.name);
}

namespace {
/// Steps make the same maps again, some hundreds, and the driver takes microseconds for each.
constexpr unsigned kKnownMaps = 1024;

bool isSame(const TensorMap &a, const TensorMap &b) {
  bool areSizes = true;
  for (int i = 0; i < TensorMap::kMostDimensions; ++i)
    areSizes &= a.sizes[i] == b.sizes[i] && a.strides[i] == b.strides[i] && a.box[i] == b.box[i];
  return areSizes && a.data == b.data && a.rank == b.rank && a.type == b.type && a.interleave == b.interleave &&
         a.swizzle == b.swizzle && a.promotion == b.promotion && a.outside == b.outside;
}

unsigned placeOf(const TensorMap &map) {
  uint64_t hash = uint64_t(reinterpret_cast<uintptr_t>(map.data));
  auto add = [&](int64_t number) { hash = (hash ^ uint64_t(number)) * 0x9E3779B97F4A7C15u; };
  for (int i = 0; i < map.rank; ++i) {
    add(map.sizes[i]);
    add(map.strides[i]);
    add(map.box[i]);
  }
  return unsigned(hash >> 32) % kKnownMaps;
}
} // namespace

Status tensorMap(Device *handle, const TensorMap &map, void *made) {
  DriverDevice &device = own(handle);
  if (!device.driver->encodeTensorMap)
    return Status("tensor map", 0, "%s or its driver does not copy tiles of tensors", device.limits.name);
  if (map.rank < 1 || map.rank > TensorMap::kMostDimensions)
    return Status("tensor map", 0, "%d dimensions; 1 to %d are possible", map.rank, TensorMap::kMostDimensions);
  if (map.strides[map.rank - 1] != 1)
    return Status("tensor map", 0,
                  "elements in steps of %" PRId64 "; those of the last dimension must lie side by side",
                  map.strides[map.rank - 1]);
  if (!device.maps)
    device.maps = static_cast<KnownMap *>(calloc(kKnownMaps, sizeof(KnownMap)));
  KnownMap *known = device.maps ? &device.maps[placeOf(map)] : nullptr;
  if (known && known->map.rank && isSame(known->map, map)) {
    memcpy(made, known->made, sizeof(known->made));
    return Status();
  }
  if (Status status = enter(device); !status.ok())
    return status;
  alignas(kTensorMapAlignment) char aligned[TensorMap::kBytes] = {};
  if (int code = device.driver->encodeTensorMap(*device.driver, map, aligned))
    return driverError(*device.driver, device.driver->names.encodeTensorMap, code);
  memcpy(made, aligned, sizeof(aligned));
  if (known) {
    known->map = map;
    memcpy(known->made, aligned, sizeof(aligned));
  }
  return Status();
}
} // namespace lispier::runtime::drivers
