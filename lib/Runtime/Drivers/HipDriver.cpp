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

constexpr const char *kSymbols[] = {
#define CALL(member, cuda, hip, parameters) #hip,
#include "Drivers/DriverCalls.def"
};

constexpr DriverNames kNames = {
    "hipSetDevice", "hipSetDevice", "", "hipMemcpyAsync", "hipMemcpy2DAsync", "", "", ""}; // The others cannot fail.

// Functions that differ between CUDA and HIP in more than the name.
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

Status prepare(Driver &driver) {
  Status found = findSymbols(driver, {
                                         {kNames.use, &setDevice},
                                         {kNames.copy, &copyAsync},
                                         {kNames.copyRows, &copyRowsAsync},
                                         {"hipGetErrorName", &getErrorName},
                                     });
  if (!found.ok())
    return found;
  for (const Properties &each : kProperties)
    if (void *function = nullptr; findSymbol(driver, each.symbol, function).ok()) {
      getProperties = reinterpret_cast<int (*)(void *, int)>(function);
      architectureAt = each.architecture;
      break;
    }
  return Status();
}

int use(Driver &, int device, void *) { return setDevice(device); }
int openContext(Driver &, int device, void *&context) {
  context = nullptr;
  return setDevice(device);
}
int closeContext(Driver &, int) { return 0; }
int copy(Driver &, void *to, const void *from, size_t bytes, void *stream) {
  return copyAsync(to, from, bytes, kByAddress, stream);
}
int copyRows(Driver &, void *to, size_t toPitch, const void *from, size_t fromPitch, size_t rowBytes, size_t rows,
             void *stream) {
  return copyRowsAsync(to, toPitch, from, fromPitch, rowBytes, rows, kByAddress, stream);
}
int allowShared(Driver &, void *, int64_t) { return 0; } // No opt-in is needed.
const char *errorName(Driver &, int code) { return getErrorName ? getErrorName(code) : nullptr; }

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

Driver hip = {kRocmName.deviceKind,
              kLibraries,
              kFolders,
              kVariables,
              {56, 74, 74, 87, 63, 30, 9, 4},
              /*mostThreads=*/UINT32_MAX,
              kSymbols,
              kNames,
              prepare,
              use,
              openContext,
              closeContext,
              copy,
              copyRows,
              allowShared,
              /*launchWith=*/nullptr,
              /*encodeTensorMap=*/nullptr,
              errorName,
              architecture};
} // namespace

constinit const DeviceTable kHipDevice = driverTable<hip>(kRocmName.deviceKind);
} // namespace lispier::runtime
