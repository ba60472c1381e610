// Each call of a driver goes wrong once: one status with the driver's name for the call and for the error, and nothing
// is left when the device is closed. On the drivers of test/Unit/FakeDriver, which say at the end what was not
// released.
#include "lispier/Runtime/Device/Device.h"
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>

using namespace lispier::runtime;

namespace {
struct Names {
  const char *cuda, *hip; ///< Null where the vendor has no such call.
};
// As they are first needed by `useAll`.
constexpr Names kCalls[] = {
    {"cuDeviceGet", "hipDeviceGet"},
    {"cuDevicePrimaryCtxRetain", nullptr},
    {"cuCtxSetCurrent", "hipSetDevice"},
    {"cuDeviceGetName", "hipDeviceGetName"},
    {"cuStreamCreate", "hipStreamCreateWithFlags"},
    {"cuMemAlloc_v2", "hipMalloc"},
    {"cuMemAllocManaged", "hipMallocManaged"},
    {"cuMemcpyAsync", "hipMemcpyAsync"},
    {"cuMemcpy2DAsync_v2", "hipMemcpy2DAsync"},
    {"cuMemsetD8Async", "hipMemsetD8Async"},
    {"cuMemsetD16Async", "hipMemsetD16Async"},
    {"cuMemsetD32Async", "hipMemsetD32Async"},
    {"cuModuleLoadDataEx", "hipModuleLoadDataEx"},
    {"cuModuleGetFunction", "hipModuleGetFunction"},
    {"cuLaunchKernel", "hipModuleLaunchKernel"},
    {"cuFuncSetAttribute", nullptr},
    {"cuLaunchKernelEx", nullptr},
    {"cuTensorMapEncodeTiled", nullptr},
    {"cuEventCreate", "hipEventCreateWithFlags"},
    {"cuEventRecord", "hipEventRecord"},
    {"cuEventSynchronize", "hipEventSynchronize"},
    {"cuStreamSynchronize", "hipStreamSynchronize"},
    {"cuStreamBeginCapture_v2", "hipStreamBeginCapture"},
    {"cuStreamEndCapture", "hipStreamEndCapture"},
    {"cuGraphInstantiateWithFlags", "hipGraphInstantiateWithFlags"},
    {"cuGraphLaunch", "hipGraphLaunch"},
    {"cuMemHostRegister_v2", "hipHostRegister"},
};

#define TRY(...)                                                                                                       \
  if (Status status = (__VA_ARGS__); !status.ok())                                                                     \
  return status

Status useAll(const DeviceTable &table, Device *&device) {
  static const char ptx[] = ".visible .entry places";
  int32_t host[16] = {}, scale = 1;
  void *memory = nullptr, *shared = nullptr;
  char map[TensorMap::kBytes];
  Module *module = nullptr;
  Kernel *kernel = nullptr;
  Event *event = nullptr;
  Graph *graph = nullptr;
  TRY(table.open(1, device));
  TRY(table.alloc(device, sizeof(host), memory));
  TRY(table.allocShared(device, sizeof(host), shared));
  TRY(table.copy(device, memory, host, sizeof(host)));
  TRY(table.copyRows(device, memory, 16, host, 32, 8, 2));
  for (int width : {1, 2, 4})
    TRY(table.fill(device, memory, 0, width, 4));
  TRY(table.load(device, ptx, sizeof(ptx), module));
  TRY(table.kernel(module, "places", kernel));
  void *arguments[] = {&memory, &scale};
  LaunchShape shape{{2, 1, 1}, {4, 1, 1}, 0};
  TRY(table.launch(device, kernel, shape, arguments));
  if (&table == &kCudaDevice) { // What HIP has no word for: shared memory that is asked for, clusters, tensor maps.
    shape.sharedBytes = 60 << 10;
    TRY(table.launch(device, kernel, shape, arguments));
    shape.cluster[0] = shape.cluster[1] = shape.cluster[2] = 1;
    TRY(table.launch(device, kernel, shape, arguments));
    TRY(table.tensorMap(device, {memory, 1, {16}, {1}, {4}, 7, 0, 0, 0, 0}, map));
  }
  TRY(table.event(device, event));
  TRY(table.wait(device, event));
  TRY(table.wait(device, nullptr));
  TRY(table.beginCapture(device));
  Status filled = table.fill(device, memory, 0, 4, 4);
  TRY(table.endCapture(device, graph));
  TRY(filled);
  TRY(table.replay(device, graph));
  TRY(table.registerHost(device, host, sizeof(host)));
  return table.unregisterHost(device, host);
}

class DriverErrors : public testing::TestWithParam<const DeviceTable *> {};
} // namespace

TEST_P(DriverErrors, AreNamedAndLeaveNothing) {
  const DeviceTable &table = *GetParam();
  if (!getenv("LISPIER_FAKE_DEVICES"))
    GTEST_SKIP() << "no driver whose calls can be made to fail";
  ASSERT_EQ(table.count(), 2); // The driver is open from here on.
  for (const Names &names : kCalls) {
    const char *name = &table == &kCudaDevice ? names.cuda : names.hip;
    if (!name)
      continue;
    setenv("LISPIER_FAKE_FAIL", (std::string(name) + ":700").c_str(), 1);
    Device *device = nullptr;
    Status status = useAll(table, device);
    unsetenv("LISPIER_FAKE_FAIL");
    EXPECT_STREQ(status.call, name);
    if (!status.ok()) {
      EXPECT_EQ(status.code, 700) << name;
      EXPECT_NE(std::string(status.reason)
                    .find(&table == &kCudaDevice ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "hipErrorIllegalAddress"),
                std::string::npos)
          << status.reason;
    }
    if (device)
      EXPECT_TRUE(table.close(device).ok()) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Vendors, DriverErrors, testing::Values(&kCudaDevice, &kHipDevice),
                         [](const auto &info) { return std::string(info.param->kind); });
