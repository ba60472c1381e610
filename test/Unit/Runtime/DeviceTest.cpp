// What every kind of device must do: one list of cases, run for each device of this machine.
#include "lispier/Runtime/Device/Device.h"
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <numeric>
#include <string>
#include <vector>

using namespace lispier::runtime;

namespace {
struct Found {
  const DeviceTable *table;
  int ordinal;
};
std::vector<Found> found() {
  std::vector<Found> result;
  for (const DeviceTable *const *table = deviceTables(); *table; ++table)
    for (int ordinal = 0; ordinal < (*table)->count(); ++ordinal)
      result.push_back({*table, ordinal});
  return result;
}

bool isThisProcessor(const DeviceTable &table) { return &table == &kCpuDevice || &table == &kSimDevice; }

//===- The kernel `places` in each kind's form ----------------------------===//
// places(out: pointer to i32, scale: i32): out[p] = scale * p, where p counts the threads of the grid, x fastest.

void placesOnCpu(LispierSimThread *thread, void *arguments) {
  auto **each = static_cast<void **>(arguments);
  int32_t *out = *static_cast<int32_t **>(each[0]);
  int32_t scale = *static_cast<int32_t *>(each[1]);
  int64_t place = 0;
  for (int dim = 2; dim >= 0; --dim)
    place = place * thread->gridDim[dim] * thread->blockDim[dim] + thread->blockId[dim] * thread->blockDim[dim] +
            thread->threadId[dim];
  out[place] = scale * int32_t(place);
}

struct Image {
  const void *data;
  int64_t bytes;
};
Image imageFor(const DeviceTable &table) {
  static const CpuKernel cpu[] = {{"other", nullptr, 0, 0}, {"places", placesOnCpu, 0, 0}};
  // Read by NVIDIA's driver; those of test/Unit/FakeDriver see only that there is an entry.
  static const char ptx[] = R"(.version 7.0
.target sm_52
.address_size 64
.visible .entry places(.param .u64 out, .param .u32 scale) {
  .reg .u64 %a, %o;
  .reg .u32 %p, %s, %n, %m, %t;
  mov.u32 %p, %ctaid.z; mov.u32 %n, %ntid.z; mov.u32 %t, %tid.z; mad.lo.u32 %p, %p, %n, %t;
  mov.u32 %n, %nctaid.y; mov.u32 %m, %ntid.y; mul.lo.u32 %n, %n, %m; mul.lo.u32 %p, %p, %n;
  mov.u32 %n, %ctaid.y; mov.u32 %t, %tid.y; mad.lo.u32 %n, %n, %m, %t; add.u32 %p, %p, %n;
  mov.u32 %n, %nctaid.x; mov.u32 %m, %ntid.x; mul.lo.u32 %n, %n, %m; mul.lo.u32 %p, %p, %n;
  mov.u32 %n, %ctaid.x; mov.u32 %t, %tid.x; mad.lo.u32 %n, %n, %m, %t; add.u32 %p, %p, %n;
  ld.param.u64 %o, [out];
  ld.param.u32 %s, [scale];
  mul.wide.u32 %a, %p, 4;
  add.u64 %a, %a, %o;
  mul.lo.u32 %s, %s, %p;
  cvta.to.global.u64 %a, %a;
  st.global.u32 [%a], %s;
  ret;
}
)";
  if (isThisProcessor(table))
    return {cpu, sizeof(cpu)};
  if (std::string(table.kind) == "cuda" || getenv("LISPIER_FAKE_DEVICES"))
    return {ptx, sizeof(ptx)};
  ADD_FAILURE() << "no image for devices of kind " << table.kind;
  return {nullptr, 0};
}

testing::AssertionResult ok(const Status &status) {
  if (status.ok())
    return testing::AssertionSuccess();
  return testing::AssertionFailure() << status.call << ": " << status.reason << " (" << status.code << ")";
}
testing::AssertionResult failsWith(const Status &status, const char *call, const std::string &part) {
  if (status.ok())
    return testing::AssertionFailure() << "it worked";
  bool ours = std::string(status.call).find("cu") != 0 && std::string(status.call).find("hip") != 0;
  if ((ours && std::string(status.call) != call) || std::string(status.reason).find(part) == std::string::npos)
    return testing::AssertionFailure() << status.call << ": " << status.reason;
  return testing::AssertionSuccess();
}

class DeviceTest : public testing::TestWithParam<Found> {
protected:
  const DeviceTable &table = *GetParam().table;
  Device *device = nullptr;

  void SetUp() override { ASSERT_TRUE(ok(table.open(GetParam().ordinal, device))); }
  void TearDown() override {
    if (device)
      EXPECT_TRUE(ok(table.close(device)));
  }
  void *alloc(int64_t bytes) {
    void *memory = nullptr;
    EXPECT_TRUE(ok(table.alloc(device, bytes, memory)));
    return memory;
  }
  template <typename T> std::vector<T> read(const void *memory, int64_t count) {
    std::vector<T> result(count);
    EXPECT_TRUE(ok(table.copy(device, result.data(), memory, count * sizeof(T))));
    EXPECT_TRUE(ok(table.wait(device, nullptr)));
    return result;
  }
  Kernel *places() {
    Image image = imageFor(table);
    Module *module = nullptr;
    Kernel *kernel = nullptr;
    EXPECT_TRUE(ok(table.load(device, image.data, image.bytes, module)));
    EXPECT_TRUE(ok(table.kernel(module, "places", kernel)));
    return kernel;
  }
};
} // namespace

TEST_P(DeviceTest, LimitsAreFilledIn) {
  Limits limits{};
  ASSERT_TRUE(ok(table.limits(device, limits)));
  EXPECT_NE(limits.name[0], 0);
  EXPECT_GT(limits.memoryBytes, 0);
  EXPECT_GE(limits.processors, 1);
  EXPECT_GE(limits.threadsPerBlock, 256);
  EXPECT_GE(limits.sharedBytes, 16 << 10);
  EXPECT_TRUE(limits.warpSize == 32 || limits.warpSize == 64);
  Limits described{};
  ASSERT_TRUE(ok(table.describe(0, described)));
  EXPECT_STREQ(described.architecture, limits.architecture);
  EXPECT_EQ(described.memoryBytes, limits.memoryBytes);
}

TEST_P(DeviceTest, NoDeviceBeyondTheLast) {
  Device *none = nullptr;
  EXPECT_FALSE(table.open(table.count(), none).ok());
  EXPECT_FALSE(table.open(-1, none).ok());
  EXPECT_EQ(none, nullptr);
}

TEST_P(DeviceTest, MemoryIsAlignedAndDistinct) {
  void *a = alloc(1), *b = alloc(1000), *c = alloc(0);
  for (void *memory : {a, b})
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % 256, 0u);
  EXPECT_NE(a, b);
  for (void *memory : {b, a, c, static_cast<void *>(nullptr)})
    EXPECT_TRUE(ok(table.free(device, memory)));
}

TEST_P(DeviceTest, TooMuchMemoryIsAnErrorThatPasses) {
  void *kept = alloc(4096), *none = nullptr;
  EXPECT_TRUE(failsWith(table.alloc(device, INT64_MAX, none), "alloc", std::to_string(INT64_MAX)));
  EXPECT_TRUE(failsWith(table.alloc(device, int64_t(1) << 60, none), "alloc", "4096"));
  EXPECT_FALSE(table.alloc(device, -1, none).ok());
  EXPECT_EQ(none, nullptr);
  EXPECT_TRUE(ok(table.fill(device, kept, 7, 4, 1024)));
  EXPECT_EQ(read<int32_t>(kept, 1024), std::vector<int32_t>(1024, 7));
}

TEST_P(DeviceTest, CopiesThereAcrossAndBack) {
  std::vector<int32_t> values(1000);
  std::iota(values.begin(), values.end(), -500);
  int64_t bytes = values.size() * sizeof(int32_t);
  void *a = alloc(bytes), *b = alloc(bytes);
  ASSERT_TRUE(ok(table.copy(device, a, values.data(), bytes)));
  ASSERT_TRUE(ok(table.copy(device, b, a, bytes)));
  EXPECT_EQ(read<int32_t>(b, values.size()), values);
  EXPECT_TRUE(ok(table.copy(device, a, b, 0)));
}

TEST_P(DeviceTest, CopiesRowsThatLieApart) {
  std::vector<int32_t> values(60);
  std::iota(values.begin(), values.end(), 0);
  auto *a = static_cast<int32_t *>(alloc(240)), *b = static_cast<int32_t *>(alloc(240));
  // Columns 2 to 4 of 6 rows of 10, to rows of 5; then every other of these to rows of 4; and back to rows of 3.
  ASSERT_TRUE(ok(table.fill(device, a, 99, 4, 60)));
  ASSERT_TRUE(ok(table.fill(device, b, 99, 4, 60)));
  ASSERT_TRUE(ok(table.copyRows(device, a, 20, values.data() + 2, 40, 12, 6)));
  EXPECT_EQ(read<int32_t>(a, 11), (std::vector<int32_t>{2, 3, 4, 99, 99, 12, 13, 14, 99, 99, 22}));
  EXPECT_EQ(read<int32_t>(a + 25, 4), (std::vector<int32_t>{52, 53, 54, 99}));
  ASSERT_TRUE(ok(table.copyRows(device, b, 16, a, 40, 12, 3)));
  EXPECT_EQ(read<int32_t>(b, 12), (std::vector<int32_t>{2, 3, 4, 99, 22, 23, 24, 99, 42, 43, 44, 99}));
  std::vector<int32_t> rows(9);
  ASSERT_TRUE(ok(table.copyRows(device, rows.data(), 12, b, 16, 12, 3)));
  ASSERT_TRUE(ok(table.wait(device, nullptr)));
  EXPECT_EQ(rows, (std::vector<int32_t>{2, 3, 4, 22, 23, 24, 42, 43, 44}));
  // One row again and again, rows from the last to the first, and none.
  ASSERT_TRUE(ok(table.copyRows(device, b, 8, a, 0, 8, 3)));
  EXPECT_EQ(read<int32_t>(b, 7), (std::vector<int32_t>{2, 3, 2, 3, 2, 3, 42 - 18}));
  ASSERT_TRUE(ok(table.copyRows(device, b, 4, a + 25, -20, 4, 6)));
  EXPECT_EQ(read<int32_t>(b, 6), (std::vector<int32_t>{52, 42, 32, 22, 12, 2}));
  EXPECT_TRUE(ok(table.copyRows(device, b, 8, a, 8, 8, 0)));
  EXPECT_TRUE(ok(table.copyRows(device, b, 8, a, 8, 0, 3)));
  EXPECT_FALSE(table.copyRows(device, b, 8, a, 8, 8, -1).ok());
  EXPECT_FALSE(table.copyRows(device, b, 8, a, 8, -8, 1).ok());
}

TEST_P(DeviceTest, SharedMemoryIsTheHostsToo) {
  void *memory = nullptr;
  ASSERT_TRUE(ok(table.allocShared(device, 400, memory)));
  EXPECT_TRUE(table.owns(device, memory));
  EXPECT_TRUE(table.holds(device, memory) && table.holds(device, static_cast<char *>(memory) + 399));
  EXPECT_FALSE(table.holds(device, &memory));
  auto *values = static_cast<int32_t *>(memory);
  values[99] = 1;
  int32_t scale = 2;
  void *arguments[] = {&memory, &scale};
  ASSERT_TRUE(ok(table.launch(device, places(), {{1, 1, 1}, {99, 1, 1}, 0}, arguments)));
  ASSERT_TRUE(ok(table.wait(device, nullptr)));
  EXPECT_EQ(values[98], 196);
  EXPECT_EQ(values[99], 1);
  EXPECT_TRUE(ok(table.free(device, memory)));
  EXPECT_FALSE(table.free(device, memory).ok()); // A second time.
}

TEST_P(DeviceTest, CapturedWorkIsReplayed) {
  void *out = alloc(64);
  ASSERT_TRUE(ok(table.fill(device, out, 9, 4, 16)));
  Kernel *kernel = places(); // Not while capturing: it may load a module.
  EXPECT_TRUE(ok(table.forget(device, nullptr)));
  Status begun = table.beginCapture(device);
  if (isThisProcessor(table)) {
    EXPECT_FALSE(begun.ok());
    return;
  }
  ASSERT_TRUE(ok(begun));
  int32_t scale = 3;
  void *arguments[] = {&out, &scale};
  ASSERT_TRUE(ok(table.launch(device, kernel, {{1, 1, 1}, {16, 1, 1}, 0}, arguments)));
  ASSERT_TRUE(ok(table.fill(device, out, 5, 4, 1)));
  Graph *graph = nullptr;
  ASSERT_TRUE(ok(table.endCapture(device, graph)));
  EXPECT_EQ(read<int32_t>(out, 16), std::vector<int32_t>(16, 9)) << "it was captured, not executed";
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(ok(table.fill(device, out, 9, 4, 16)));
    ASSERT_TRUE(ok(table.replay(device, graph)));
    std::vector<int32_t> values = read<int32_t>(out, 16);
    EXPECT_EQ(values[0], 5);
    EXPECT_EQ(values[15], 45);
  }
  EXPECT_TRUE(ok(table.forget(device, graph)));
  EXPECT_FALSE(table.forget(device, graph).ok()); // A second time.
}

TEST_P(DeviceTest, FillsByPatternsOfEachWidth) {
  char *memory = static_cast<char *>(alloc(16));
  ASSERT_TRUE(ok(table.fill(device, memory, 0xff, 1, 16)));
  ASSERT_TRUE(ok(table.fill(device, memory + 1, 0x11, 1, 2)));
  ASSERT_TRUE(ok(table.fill(device, memory + 4, 0x3322, 2, 1)));
  ASSERT_TRUE(ok(table.fill(device, memory + 8, 0x77665544, 4, 1)));
  EXPECT_EQ(read<uint32_t>(memory, 4), (std::vector<uint32_t>{0xff1111ff, 0xffff3322, 0x77665544, 0xffffffff}));
  char *wide = static_cast<char *>(alloc(8 * 37));
  for (uint64_t pattern : {0x0000000500000005, 0x0000000700000005}) {
    ASSERT_TRUE(ok(table.fill(device, wide, pattern, 8, 37)));
    EXPECT_EQ(read<uint64_t>(wide, 37), std::vector<uint64_t>(37, pattern));
  }
  EXPECT_FALSE(table.fill(device, memory, 0, 3, 1).ok());
  EXPECT_FALSE(table.fill(device, memory + 1, 0, 4, 1).ok());
}

TEST_P(DeviceTest, LaunchesEveryThreadOnce) {
  LaunchShape shape{{3, 2, 2}, {4, 1, 3}, 0};
  constexpr int64_t kThreads = 3 * 2 * 2 * 4 * 1 * 3;
  void *out = alloc(kThreads * sizeof(int32_t));
  ASSERT_TRUE(ok(table.fill(device, out, 0xdeadbeef, 4, kThreads)));
  int32_t scale = 5;
  void *arguments[] = {&out, &scale};
  ASSERT_TRUE(ok(table.launch(device, places(), shape, arguments)));
  scale = 0; // they were read when launch returned
  std::vector<int32_t> expected(kThreads);
  for (int64_t i = 0; i < kThreads; ++i)
    expected[i] = int32_t(5 * i);
  EXPECT_EQ(read<int32_t>(out, kThreads), expected);
}

TEST_P(DeviceTest, WorkHappensInOrder) {
  constexpr int64_t kCount = 1 << 16;
  void *out = alloc(kCount * sizeof(int32_t));
  Kernel *kernel = places();
  Event *middle = nullptr, *end = nullptr;
  for (int32_t scale = 1; scale <= 10; ++scale) {
    void *arguments[] = {&out, &scale};
    ASSERT_TRUE(ok(table.fill(device, out, 0, 4, kCount)));
    ASSERT_TRUE(ok(table.launch(device, kernel, {{kCount / 256, 1, 1}, {256, 1, 1}, 0}, arguments)));
    if (scale == 5)
      ASSERT_TRUE(ok(table.event(device, middle)));
  }
  ASSERT_TRUE(ok(table.event(device, end)));
  bool done = false; // Asked for, an event is not waited for, and stays.
  for (int64_t tries = 0; !done && tries < 100000000; ++tries)
    ASSERT_TRUE(ok(table.isDone(device, end, done)));
  EXPECT_TRUE(done);
  EXPECT_TRUE(ok(table.wait(device, end)));
  EXPECT_TRUE(ok(table.wait(device, middle)));
  std::vector<int32_t> values = read<int32_t>(out, kCount);
  EXPECT_EQ(values[1], 10);
  EXPECT_EQ(values[kCount - 1], 10 * (kCount - 1));
}

TEST_P(DeviceTest, EventsMayBeDropped) {
  Event *kept = nullptr, *unused = nullptr;
  ASSERT_TRUE(ok(table.event(device, kept)));
  ASSERT_TRUE(ok(table.event(device, unused)));
  EXPECT_TRUE(ok(table.drop(device, unused)));
  EXPECT_FALSE(table.wait(device, unused).ok());
  EXPECT_TRUE(ok(table.wait(device, kept)));
  EXPECT_TRUE(ok(table.drop(device, nullptr)));
}

TEST_P(DeviceTest, ClustersAreWholeOrAnError) {
  void *out = alloc(8 * sizeof(int32_t));
  int32_t scale = 1;
  void *arguments[] = {&out, &scale};
  Kernel *kernel = places();
  EXPECT_FALSE(table.launch(device, kernel, {{3, 1, 1}, {1, 1, 1}, 0, false, {2, 1, 1}}, arguments).ok());
  Status status = table.launch(device, kernel, {{4, 1, 1}, {2, 1, 1}, 0, false, {2, 1, 1}}, arguments);
  if (status.ok())
    EXPECT_EQ(read<int32_t>(out, 8)[7], 7);
  else
    EXPECT_NE(std::string(status.reason).find("places"), std::string::npos) << status.reason;
}

TEST_P(DeviceTest, TensorMapsAreMadeOrAnError) {
  TensorMap map{alloc(1 << 16), 2, {64, 128}, {128, 1}, {8, 16}, 7, 0, 0, 0, 0};
  char made[TensorMap::kBytes] = {}, none[TensorMap::kBytes] = {};
  Status status = table.tensorMap(device, map, made);
  EXPECT_EQ(status.ok(), memcmp(made, none, sizeof(made)) != 0) << status.reason;
  map.strides[1] = 2;
  EXPECT_FALSE(table.tensorMap(device, map, made).ok());
}

TEST_P(DeviceTest, ShapesThatDoNotFitAreErrors) {
  Limits limits{};
  ASSERT_TRUE(ok(table.limits(device, limits)));
  void *out = alloc(64);
  int32_t scale = 1;
  void *arguments[] = {&out, &scale};
  Kernel *kernel = places();
  EXPECT_FALSE(table.launch(device, kernel, {{1, 1, 1}, {0, 1, 1}, 0}, arguments).ok());
  EXPECT_FALSE(table.launch(device, kernel, {{1, 1, 1}, {limits.threadsPerBlock + 1, 1, 1}, 0}, arguments).ok());
  EXPECT_FALSE(table.launch(device, kernel, {{1, 1, 1}, {1, 1, 1}, int64_t(1) << 30}, arguments).ok());
  EXPECT_TRUE(ok(table.launch(device, kernel, {}, arguments)));
}

// Drivers call it an error; data of no elements is none.
TEST_P(DeviceTest, AGridOfNoBlocksIsNoWork) {
  void *out = alloc(4 * sizeof(int32_t));
  ASSERT_TRUE(ok(table.fill(device, out, 7, 4, 4)));
  int32_t scale = 1;
  void *arguments[] = {&out, &scale};
  Kernel *kernel = places();
  for (LaunchShape shape : {LaunchShape{{0, 1, 1}, {4, 1, 1}}, {{1, 0, 1}, {4, 1, 1}}, {{1, 1, 0}, {4, 1, 1}}})
    EXPECT_TRUE(ok(table.launch(device, kernel, shape, arguments)));
  EXPECT_FALSE(table.launch(device, kernel, {{0, 1, 1}, {0, 1, 1}}, arguments).ok());
  EXPECT_FALSE(table.launch(device, kernel, {{-1, 1, 1}, {4, 1, 1}}, arguments).ok());
  EXPECT_EQ(read<int32_t>(out, 4), std::vector<int32_t>(4, 7));
}

TEST_P(DeviceTest, MemoryIsFreedOnce) {
  void *memory = alloc(64), *other = alloc(64);
  ASSERT_TRUE(ok(table.free(device, memory)));
  EXPECT_FALSE(table.free(device, memory).ok());
  EXPECT_FALSE(table.free(device, static_cast<char *>(other) + 16).ok());
  EXPECT_TRUE(ok(table.free(device, other)));
  EXPECT_TRUE(ok(table.free(device, nullptr)));
}

TEST_P(DeviceTest, WhatIsNotThereIsNamed) {
  Image image = imageFor(table);
  Module *module = nullptr, *none = nullptr;
  Kernel *kernel = nullptr;
  ASSERT_TRUE(ok(table.load(device, image.data, image.bytes, module)));
  EXPECT_TRUE(failsWith(table.kernel(module, "no_such_kernel", kernel), "kernel", "no_such_kernel"));
  EXPECT_FALSE(table.load(device, "rubbish", 7, none).ok());
  EXPECT_EQ(kernel, nullptr);
  EXPECT_EQ(none, nullptr);
}

TEST_P(DeviceTest, TwoOpenedAtOnceAreApart) {
  Device *other = nullptr;
  ASSERT_TRUE(ok(table.open(GetParam().ordinal, other)));
  void *mine = alloc(4), *theirs = nullptr;
  ASSERT_TRUE(ok(table.alloc(other, 4, theirs)));
  ASSERT_TRUE(ok(table.fill(device, mine, 1, 4, 1)));
  ASSERT_TRUE(ok(table.fill(other, theirs, 2, 4, 1)));
  ASSERT_TRUE(ok(table.close(other)));
  EXPECT_EQ(read<int32_t>(mine, 1), std::vector<int32_t>{1});
}

INSTANTIATE_TEST_SUITE_P(Found, DeviceTest, testing::ValuesIn(found()), [](const testing::TestParamInfo<Found> &info) {
  return std::string(info.param.table->kind) + std::to_string(info.param.ordinal);
});

TEST(DeviceTables, KnowWhatCodeRunsWhere) {
  EXPECT_TRUE(codeRunsOn("cuda", "sm_80", "ptx", "sm_90"));
  EXPECT_FALSE(codeRunsOn("cuda", "sm_90", "ptx", "sm_80"));
  EXPECT_TRUE(codeRunsOn("cuda", "sm_90a", "ptx", "sm_90"));
  EXPECT_FALSE(codeRunsOn("cuda", "sm_90a", "ptx", "sm_100"));
  EXPECT_TRUE(codeRunsOn("cuda", "sm_80", "cubin", "sm_86"));
  EXPECT_FALSE(codeRunsOn("cuda", "sm_80", "cubin", "sm_90"));
  EXPECT_FALSE(codeRunsOn("cuda", "nonsense", "ptx", "sm_90"));
  EXPECT_TRUE(codeRunsOn("hip", "gfx942", "hsaco", "gfx942"));
  EXPECT_FALSE(codeRunsOn("hip", "gfx942", "hsaco", "gfx90a"));
}

TEST(DeviceTables, AreFoundByKind) {
  EXPECT_EQ(findDeviceTable("cpu"), &kCpuDevice);
  EXPECT_EQ(findDeviceTable("sim"), &kSimDevice);
  EXPECT_EQ(findDeviceTable("cuda"), &kCudaDevice);
  EXPECT_EQ(findDeviceTable("hip"), &kHipDevice);
  EXPECT_EQ(findDeviceTable("abacus"), nullptr);
}
