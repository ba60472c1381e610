//===- CudaDriver.cpp - NVIDIA's driver library, libcuda ------------------===//
#include "Driver.h"
#include "lispier/TargetInfo/TargetNames.h"
#include <cstdio>
#include <cstdlib>

namespace lispier::runtime {
namespace {
// Installed with the kernel driver, on the default path.
constexpr const char *kLibraries[] = {"libcuda.so.1", "libcuda.so", nullptr};

int (*retainContext)(void **context, int device);
int (*releaseContext)(int device);
int (*setContext)(void *context);
int (*copyAsync)(void *to, const void *from, size_t bytes, void *stream);
/// Members of CUDA_MEMCPY2D in cuda.h.
struct RowsSide {
  size_t x, y;
  int type;
  const void *host, *device, *array;
  size_t pitch;
};
struct RowsCopy {
  RowsSide from, to;
  size_t rowBytes, rows;
};
int (*copyRowsAsync)(const RowsCopy *copy, void *stream);
int (*setFunctionAttribute)(void *function, int attribute, int value);
int (*getErrorName)(int code, const char **name);

/// cuTensorMapEncodeTiled: dimensions are innermost first; strides are in bytes, and the innermost one is omitted.
int (*encodeTiled)(void *map, int type, unsigned rank, void *data, const uint64_t *sizes, const uint64_t *strides,
                   const unsigned *box, const unsigned *elementStrides, int interleave, int swizzle, int promotion,
                   int outside);

/// CUlaunchAttribute and CUlaunchConfig of cuda.h, with the members used here.
struct LaunchAttribute {
  int id;
  char padding[4];
  union {
    char bytes[64];
    int allowed;
    unsigned cluster[3];
  } value;
};
struct LaunchConfig {
  unsigned gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes;
  void *stream;
  LaunchAttribute *attributes;
  unsigned count;
};
/// Set by LISPIER_SERIAL: ignore programmatic dependent launch, so each launch waits for the previous one.
bool inOrder;
/// Available since CUDA 12.
int (*launchWithConfig)(const LaunchConfig *config, void *function, void **arguments, void **extra);

int launchWith(Driver &, void *function, const LaunchShape &shape, void *stream, void **arguments) {
  constexpr int kClusterDimension = 4, kProgrammaticStreamSerialization = 6;
  LaunchAttribute attributes[2] = {};
  unsigned count = 0;
  if (shape.dependentLaunch && !inOrder) {
    attributes[count].id = kProgrammaticStreamSerialization;
    attributes[count++].value.allowed = 1;
  }
  if (shape.cluster[0]) {
    attributes[count].id = kClusterDimension;
    for (int i = 0; i < 3; ++i)
      attributes[count].value.cluster[i] = unsigned(shape.cluster[i]);
    ++count;
  }
  LaunchConfig config = {unsigned(shape.grid[0]),
                         unsigned(shape.grid[1]),
                         unsigned(shape.grid[2]),
                         unsigned(shape.block[0]),
                         unsigned(shape.block[1]),
                         unsigned(shape.block[2]),
                         unsigned(shape.sharedBytes),
                         stream,
                         attributes,
                         count};
  return launchWithConfig(&config, function, arguments, nullptr);
}

int encodeTensorMap(Driver &, const TensorMap &map, void *made) {
  uint64_t sizes[TensorMap::kMostDimensions], strides[TensorMap::kMostDimensions];
  unsigned box[TensorMap::kMostDimensions], ones[TensorMap::kMostDimensions];
  for (int i = 0; i < map.rank; ++i) {
    int from = map.rank - 1 - i;
    sizes[i] = uint64_t(map.sizes[from]);
    box[i] = unsigned(map.box[from]);
    ones[i] = 1;
    if (i > 0)
      strides[i - 1] = uint64_t(map.strides[from] * tensorElementBytes(map.type));
  }
  return encodeTiled(made, map.type, unsigned(map.rank), map.data, sizes, strides, box, ones, map.interleave,
                     map.swizzle, map.promotion, map.outside);
}

constexpr DriverNames kNames = {.use = "cuCtxSetCurrent",
                                .openContext = "cuDevicePrimaryCtxRetain",
                                .closeContext = "cuDevicePrimaryCtxRelease_v2",
                                .copy = "cuMemcpyAsync",
                                .copyRows = "cuMemcpy2DAsync_v2",
                                .allowShared = "cuFuncSetAttribute",
                                .launchWith = "cuLaunchKernelEx",
                                .encodeTensorMap = "cuTensorMapEncodeTiled"};

constexpr DriverSymbol kRequired[] = {{kNames.openContext, &retainContext},
                                      {kNames.closeContext, &releaseContext},
                                      {kNames.use, &setContext},
                                      {kNames.copy, &copyAsync},
                                      {kNames.copyRows, &copyRowsAsync},
                                      {kNames.allowShared, &setFunctionAttribute},
                                      {"cuGetErrorName", &getErrorName},
                                      {}};

void findNewerCalls(Driver &driver) {
  inOrder = getenv("LISPIER_SERIAL") != nullptr;
  if (findSymbol(driver, kNames.launchWith, *reinterpret_cast<void **>(&launchWithConfig)).ok())
    driver.launchWith = launchWith;
  if (findSymbol(driver, kNames.encodeTensorMap, *reinterpret_cast<void **>(&encodeTiled)).ok())
    driver.encodeTensorMap = encodeTensorMap;
}

int copyRows(Driver &, void *to, size_t toPitch, const void *from, size_t fromPitch, size_t rowBytes, size_t rows,
             void *stream) {
  constexpr int kByAddress = 4; // CU_MEMORYTYPE_UNIFIED
  RowsCopy copy = {{0, 0, kByAddress, nullptr, from, nullptr, fromPitch},
                   {0, 0, kByAddress, nullptr, to, nullptr, toPitch},
                   rowBytes,
                   rows};
  return copyRowsAsync(&copy, stream);
}

void architecture(Driver &driver, int device, char (&name)[32]) {
  constexpr int kMajor = 75, kMinor = 76;
  int major = 0, minor = 0;
  driver.calls.deviceAttribute(&major, kMajor, device);
  driver.calls.deviceAttribute(&minor, kMinor, device);
  snprintf(name, sizeof(name), "sm_%d%d", major, minor);
}

constexpr int kMaxDynamicSharedBytes = 8; // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES

Driver cuda = {
    .kind = kCudaName.deviceKind,
    .libraries = kLibraries,
    .attributes = {1, 8, 97, 10, 16, 6, 89, 91},
    .symbols = kCudaCalls,
    .names = kNames,
    .required = kRequired,
    .prepare = findNewerCalls,
    .use = [](Driver &, int, void *context) { return setContext(context); },
    .openContext = [](Driver &, int device, void *&context) { return retainContext(&context, device); },
    .closeContext = [](Driver &, int device) { return releaseContext(device); },
    .copy = [](Driver &, void *to, const void *from, size_t bytes,
               void *stream) { return copyAsync(to, from, bytes, stream); },
    .copyRows = copyRows,
    .allowShared = [](Driver &, void *function,
                      int64_t bytes) { return setFunctionAttribute(function, kMaxDynamicSharedBytes, int(bytes)); },
    .errorName = [](Driver &, int code) -> const char * {
      const char *name = nullptr;
      return getErrorName && getErrorName(code, &name) == 0 ? name : nullptr;
    },
    .architecture = architecture};
} // namespace

constinit const DeviceTable kCudaDevice = driverTable<cuda>(kCudaName.deviceKind);
} // namespace lispier::runtime
