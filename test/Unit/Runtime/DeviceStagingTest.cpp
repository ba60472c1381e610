// Which copies go through pinned memory, by the calls that test/Unit/FakeDriver writes down.
#include "lispier/Runtime/Device/Device.h"
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

using namespace lispier::runtime;

namespace {
constexpr int64_t kMost = 64 << 10;

class DeviceStaging : public testing::TestWithParam<const DeviceTable *> {
protected:
  const DeviceTable &table = *GetParam();
  const bool isCuda = &table == &kCudaDevice;
  Device *device = nullptr;
  char *memory = nullptr;
  std::vector<char> host = std::vector<char>(2 * kMost);

  void SetUp() override {
    if (!getenv("LISPIER_FAKE_LOG"))
      GTEST_SKIP() << "no driver that writes down its calls";
    std::iota(host.begin(), host.end(), 1);
    open();
  }
  void TearDown() override {
    unsetenv("LISPIER_STAGING");
    unsetenv("LISPIER_FAKE_FAIL");
    if (device)
      EXPECT_TRUE(table.close(device).ok());
  }
  void open() {
    ASSERT_TRUE(table.open(0, device).ok());
    void *made = nullptr;
    ASSERT_TRUE(table.alloc(device, 4 * kMost, made).ok());
    memory = static_cast<char *>(made);
  }
  void fail(const char *cuda, const char *hip, int code) {
    setenv("LISPIER_FAKE_FAIL", ((isCuda ? cuda : hip) + (":" + std::to_string(code))).c_str(), 1);
  }
  Status copy(void *to, const void *from, int64_t bytes) { return table.copy(device, to, from, bytes); }

  /// The driver's allocations of pinned memory (A), copies (C) and waits (W) while `work` was done.
  template <typename Work> std::string calls(const Work &work) {
    const char *path = getenv("LISPIER_FAKE_LOG");
    std::ifstream before(path, std::ios::ate);
    auto start = before.tellg();
    work();
    std::ifstream log(path);
    log.seekg(start);
    std::string result;
    for (std::string line; std::getline(log, line);)
      result += line == "cuMemHostAlloc" || line == "hipHostMalloc"               ? "A"
                : line == "cuMemcpyAsync" || line == "hipMemcpyAsync"             ? "C"
                : line == "cuStreamSynchronize" || line == "hipStreamSynchronize" ? "W"
                                                                                  : "";
    return result;
  }
};
} // namespace

TEST_P(DeviceStaging, SmallCopiesGoThroughIt) {
  std::vector<char> back(2 * kMost);
  EXPECT_EQ(calls([&] { EXPECT_TRUE(copy(memory, host.data(), 5).ok()); }), "AC");
  EXPECT_EQ(calls([&] { EXPECT_TRUE(copy(memory + 5, host.data() + 5, 2).ok()); }), "C");
  EXPECT_EQ(calls([&] { EXPECT_TRUE(copy(back.data(), memory, 7).ok()); }), "CW") << "it waits";
  EXPECT_EQ(calls([&] { EXPECT_TRUE(table.wait(device, nullptr).ok()); }), "") << "it has waited";
  EXPECT_TRUE(table.fill(device, memory + 7, 0, 1, 1).ok());
  EXPECT_EQ(calls([&] { EXPECT_TRUE(table.wait(device, nullptr).ok()); }), "W");
  EXPECT_EQ(back[6], 7);
  EXPECT_EQ(back[7], 0);
  // The bytes were taken when the copy returned.
  host[0] = 100;
  EXPECT_TRUE(copy(back.data(), memory, 1).ok());
  EXPECT_EQ(back[0], 1);
  host[0] = 1;
  // One byte more than there is room for is the driver's.
  EXPECT_EQ(calls([&] {
              EXPECT_TRUE(copy(memory, host.data(), kMost + 1).ok());
              EXPECT_TRUE(copy(back.data(), memory, kMost + 1).ok());
            }),
            "CC");
  EXPECT_TRUE(std::equal(back.begin(), back.begin() + kMost + 1, host.begin()));
}

TEST_P(DeviceStaging, WaitsWhenItIsFull) {
  auto upload = [&](int times) {
    return calls([&] {
      for (int i = 0; i < times; ++i)
        EXPECT_TRUE(copy(memory + i % 4 * kMost, host.data() + i, kMost).ok());
    });
  };
  EXPECT_EQ(upload(6), "ACCCCWCC");
  std::vector<char> back(kMost);
  EXPECT_TRUE(copy(back.data(), memory + kMost, kMost).ok());
  EXPECT_EQ(back[0], host[5]);
  EXPECT_EQ(back[kMost - 1], host[kMost + 4]);
  // An empty queue needs no room.
  EXPECT_EQ(upload(4), "CCCC");
  EXPECT_TRUE(table.wait(device, nullptr).ok());
  EXPECT_EQ(upload(4), "CCCC");
}

TEST_P(DeviceStaging, IsNotForMemoryThatTheDriverKnows) {
  void *shared = nullptr, *other = nullptr;
  ASSERT_TRUE(table.allocShared(device, kMost, shared).ok());
  EXPECT_EQ(calls([&] {
              EXPECT_TRUE(copy(memory, shared, 8).ok());
              EXPECT_TRUE(copy(shared, memory, 8).ok());
              EXPECT_TRUE(copy(memory + 8, memory, 8).ok());
              ASSERT_TRUE(table.registerHost(device, host.data(), kMost).ok());
              EXPECT_TRUE(copy(host.data(), memory, 8).ok());
              ASSERT_TRUE(table.unregisterHost(device, host.data()).ok());
            }),
            "CCCCW"); // Unregistering waits.
  // Nor while another device may own what this one does not.
  Device *second = nullptr;
  ASSERT_TRUE(table.open(1, second).ok());
  ASSERT_TRUE(table.alloc(second, 8, other).ok());
  EXPECT_EQ(calls([&] { EXPECT_TRUE(copy(memory, other, 8).ok()); }), "C");
  ASSERT_TRUE(table.close(second).ok());
  EXPECT_EQ(calls([&] { EXPECT_TRUE(copy(memory, host.data(), 8).ok()); }), "AC");
}

TEST_P(DeviceStaging, IsNotForWorkThatIsReplayed) {
  std::vector<char> from(4, 1), to(4);
  ASSERT_TRUE(copy(memory, from.data(), 4).ok()); // It is there.
  ASSERT_TRUE(table.beginCapture(device).ok());
  EXPECT_EQ(calls([&] {
              EXPECT_TRUE(copy(memory, from.data(), 4).ok());
              EXPECT_TRUE(copy(to.data(), memory, 4).ok());
            }),
            "CC");
  Graph *graph = nullptr;
  ASSERT_TRUE(table.endCapture(device, graph).ok());
  for (char value : {5, 6}) {
    from[3] = value;
    EXPECT_TRUE(copy(memory + 4, host.data(), 4).ok());
    ASSERT_TRUE(table.replay(device, graph).ok());
    ASSERT_TRUE(table.wait(device, nullptr).ok());
    EXPECT_EQ(to, (std::vector<char>{1, 1, 1, value}));
  }
}

TEST_P(DeviceStaging, IsDoneWithoutWhenThereIsNone) {
  std::vector<char> back(4);
  auto thereAndBack = [&] {
    EXPECT_TRUE(copy(memory, host.data(), 4).ok());
    EXPECT_TRUE(copy(back.data(), memory, 4).ok());
    EXPECT_EQ(back, (std::vector<char>{1, 2, 3, 4}));
  };
  fail("cuMemHostAlloc", "hipHostMalloc", 2);
  EXPECT_EQ(calls(thereAndBack), "ACC") << "asked for once";
  unsetenv("LISPIER_FAKE_FAIL");
  EXPECT_EQ(calls(thereAndBack), "CC");
  ASSERT_TRUE(table.close(device).ok());
  setenv("LISPIER_STAGING", "0", 1);
  open();
  EXPECT_EQ(calls(thereAndBack), "CC");
}

TEST_P(DeviceStaging, SaysWhichCallWentWrong) {
  std::vector<char> back(4, 9);
  ASSERT_TRUE(copy(memory, host.data(), 4).ok());
  const char *copyName = isCuda ? "cuMemcpyAsync" : "hipMemcpyAsync";
  const char *waitName = isCuda ? "cuStreamSynchronize" : "hipStreamSynchronize";
  fail("cuMemcpyAsync", "hipMemcpyAsync", 700);
  EXPECT_STREQ(copy(memory, host.data(), 4).call, copyName);
  EXPECT_STREQ(copy(back.data(), memory, 4).call, copyName);
  fail("cuStreamSynchronize", "hipStreamSynchronize", 700);
  EXPECT_STREQ(copy(back.data(), memory, 4).call, waitName);
  EXPECT_EQ(back, std::vector<char>(4, 9));
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(copy(memory, host.data(), kMost).ok());
  EXPECT_STREQ(copy(memory, host.data(), kMost).call, waitName) << "it is full";
}

INSTANTIATE_TEST_SUITE_P(Vendors, DeviceStaging, testing::Values(&kCudaDevice, &kHipDevice),
                         [](const auto &info) { return std::string(info.param->kind); });
