#include "lispier/Runtime/Core/MemRef.h"
#include "lispier/Runtime/Core/Runtime.h"
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <numeric>
#include <vector>

using namespace lispier::runtime;

extern "C" void memrefCopy(int64_t, UnrankedMemRef *, UnrankedMemRef *);

TEST(Memory, Alignment) {
  for (int64_t bytes : {0, 1, 63, 4096, (2 << 20) - 1}) {
    void *memory = lispier_rt_alloc(bytes);
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % 64, 0u) << bytes;
    lispier_rt_free(memory);
  }
  void *large = lispier_rt_alloc((5 << 20) + 3);
  ASSERT_NE(large, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(large) % (2 << 20), 0u);
  memset(large, 1, (5 << 20) + 3);
  free(large);
}

TEST(Memory, RefusesWhatCannotBe) {
  EXPECT_EQ(lispier_rt_try_alloc(-1), nullptr);
  EXPECT_EQ(lispier_rt_try_alloc(INT64_MAX), nullptr);
}

TEST(MemoryDeathTest, WhatCannotFailSaysSoAndExits) {
  EXPECT_EXIT(lispier_rt_alloc(-8), testing::ExitedWithCode(1), "out of memory: a buffer of -8 bytes asked for");
}

namespace {
struct Copied {
  std::vector<int32_t> target;
  Copied(MemRef<int32_t, 2> from, MemRef<int32_t, 2> to, int64_t targetSize) : target(targetSize, 0) {
    to.allocated = to.aligned = target.data();
    UnrankedMemRef source{2, &from}, destination{2, &to};
    memrefCopy(sizeof(int32_t), &source, &destination);
  }
};
std::vector<int32_t> counting(int n) {
  std::vector<int32_t> values(n);
  std::iota(values.begin(), values.end(), 1);
  return values;
}
} // namespace

TEST(MemRefCopy, Transposes) {
  std::vector<int32_t> data = counting(6); // 2x3, rows 1 2 3 and 4 5 6
  Copied result({data.data(), data.data(), 0, {2, 3}, {3, 1}}, {nullptr, nullptr, 0, {2, 3}, {1, 2}}, 6);
  EXPECT_EQ(result.target, (std::vector<int32_t>{1, 4, 2, 5, 3, 6}));
}

TEST(MemRefCopy, SubviewWithOffset) {
  std::vector<int32_t> data = counting(12); // 3x4; its 2x2 middle
  Copied result({data.data(), data.data(), 5, {2, 2}, {4, 1}}, {nullptr, nullptr, 1, {2, 2}, {2, 1}}, 5);
  EXPECT_EQ(result.target, (std::vector<int32_t>{0, 6, 7, 10, 11}));
}

TEST(MemRefCopy, ContiguousAndEmpty) {
  std::vector<int32_t> data = counting(6);
  Copied whole({data.data(), data.data(), 0, {2, 3}, {3, 1}}, {nullptr, nullptr, 0, {2, 3}, {3, 1}}, 6);
  EXPECT_EQ(whole.target, data);
  Copied none({nullptr, nullptr, 0, {0, 3}, {3, 1}}, {nullptr, nullptr, 0, {0, 3}, {3, 1}}, 1);
  EXPECT_EQ(none.target[0], 0);
}

TEST(MemRefCopy, RankZero) {
  int32_t from = 7, to = 0;
  MemRef<int32_t, 0> source{&from, &from, 0}, target{&to, &to, 0};
  UnrankedMemRef a{0, &source}, b{0, &target};
  memrefCopy(sizeof(int32_t), &a, &b);
  EXPECT_EQ(to, 7);
}
