//===- HipDriver.cpp - AMD's driver library, libamdhip64 -------------------===//
#include "Driver.h"
#include "lispier/TargetInfo/TargetNames.h"
#include <cstdio>
#include <cstring>

namespace lispier::runtime {
namespace {
constexpr const char *kLibraries[] = {"libamdhip64.so.8", "libamdhip64.so.7", "libamdhip64.so.6",
                                      "libamdhip64.so.5", "libamdhip64.so",   nullptr};
// Installation folders of ROCm packages that are not on the loader's search path.
constexpr const char *kFolders[] = {"/opt/rocm/lib", "/opt/rocm/lib64", "/opt/rocm/hip/lib", "/opt/rocm-[0-9]*/lib",
                                    nullptr};
constexpr const char *kVariables[] = {"ROCM_PATH", "HIP_PATH", nullptr};

int (*setDevice)(int device);
int (*copyAsync)(void *to, const void *from, size_t bytes, int kind, void *stream);
int (*copyRowsAsync)(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t rowBytes, size_t rows,
                     int kind, void *stream);
constexpr int kByAddress = 4; // hipMemcpyDefault
const char *(*getErrorName)(int code);
int (*getProperties)(void *properties, int device);

/// A version of hipGetDeviceProperties, and where its hipDeviceProp_t has `char gcnArchName[256]`: the symbol names the
/// layout (hip_runtime_api.h of ROCm 6 and of ROCm 5).
struct Properties {
  const char *symbol;
  size_t architecture;
};
constexpr Properties kProperties[] = {{"hipGetDevicePropertiesR0600", 1160}, {"hipGetDeviceProperties", 396}};
size_t architectureAt;

constexpr DriverNames kNames = { // The others cannot fail.
    .use = "hipSetDevice",
    .openContext = "hipSetDevice",
    .copy = "hipMemcpyAsync",
    .copyRows = "hipMemcpy2DAsync"};

constexpr DriverSymbol kRequired[] = {{kNames.use, &setDevice},
                                      {kNames.copy, &copyAsync},
                                      {kNames.copyRows, &copyRowsAsync},
                                      {"hipGetErrorName", &getErrorName},
                                      {}};

void findProperties(Driver &driver) {
  for (const Properties &each : kProperties)
    if (findSymbol(driver, each.symbol, *reinterpret_cast<void **>(&getProperties)).ok()) {
      architectureAt = each.architecture;
      return;
    }
}

void architecture(Driver &, int device, char (&name)[32]) {
  alignas(16) static char properties[16384]; // More than any version of the struct has.
  snprintf(name, sizeof(name), "unknown");
  memset(properties, 0, sizeof(properties));
  if (!getProperties || getProperties(properties, device) != 0)
    return;
  const char *known = properties + architectureAt;
  size_t length = strcspn(known, ":"); // gfx942:sramecc+:xnack-
  if (length > 0)
    snprintf(name, sizeof(name), "%.*s", int(length < 31 ? length : 31), known);
}

Driver hip = {
    .kind = kRocmName.deviceKind,
    .libraries = kLibraries,
    .folders = kFolders,
    .variables = kVariables,
    .attributes = {56, 74, 74, 87, 63, 30, 9, 4},
    .mostThreads = UINT32_MAX,
    .symbols = kHipCalls,
    .names = kNames,
    .required = kRequired,
    .prepare = findProperties,
    .use = [](Driver &, int device, void *) { return setDevice(device); },
    .copy = [](Driver &, void *to, const void *from, size_t bytes,
               void *stream) { return copyAsync(to, from, bytes, kByAddress, stream); },
    .copyRows =
        [](Driver &, void *to, size_t toPitch, const void *from, size_t fromPitch, size_t rowBytes, size_t rows,
           void *stream) { return copyRowsAsync(to, toPitch, from, fromPitch, rowBytes, rows, kByAddress, stream); },
    .errorName = [](Driver &, int code) { return getErrorName ? getErrorName(code) : nullptr; },
    .architecture = architecture};
} // namespace

constinit const DeviceTable kHipDevice = driverTable<hip>(kRocmName.deviceKind);
} // namespace lispier::runtime
