// Heap memory: large blocks that are released serve the next allocations of about that size.
#include "lispier/Runtime/Core/Runtime.h"
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>

namespace {
constexpr int64_t kLarge = 3 << 20;

TEST(Heap, ReusesLargeBlocks) {
  void *first = lispier_rt_alloc(kLarge);
  memset(first, 1, kLarge);
  lispier_rt_free(first);
  void *second = lispier_rt_alloc(kLarge - 1000);
  EXPECT_EQ(second, first);
  void *third = lispier_rt_alloc(kLarge); // The one block is in use.
  EXPECT_NE(third, first);
  lispier_rt_free(second);
  lispier_rt_free(third);
}

TEST(Heap, WastesAtMostAQuarter) {
  void *first = lispier_rt_alloc(kLarge);
  lispier_rt_free(first);
  void *second = lispier_rt_alloc(kLarge / 2);
  EXPECT_NE(second, first);
  lispier_rt_free(second);
}

TEST(Heap, KeepsBlocksFromMalloc) {
  lispier_rt_free(malloc(kLarge)); // A program may combine the two.
  lispier_rt_free(nullptr);
  void *memory = lispier_rt_alloc(kLarge);
  EXPECT_EQ(uintptr_t(memory) % 64, 0u);
  free(memory);
}

TEST(Heap, KeepsALimitedNumber) {
  void *blocks[40];
  for (void *&block : blocks)
    block = lispier_rt_alloc(kLarge);
  for (void *block : blocks)
    lispier_rt_free(block); // Older ones are given back; none is kept twice.
  for (void *&block : blocks)
    block = lispier_rt_alloc(kLarge);
  for (int i = 0; i < 40; ++i)
    for (int j = 0; j < i; ++j)
      EXPECT_NE(blocks[i], blocks[j]);
  for (void *block : blocks)
    lispier_rt_free(block);
}

TEST(HeapDeathTest, ReportsMemoryFreedTwice) {
  EXPECT_DEATH(
      {
        void *block = lispier_rt_alloc(kLarge);
        lispier_rt_free(block);
        lispier_rt_free(block);
      },
      "memory is freed a second time");
}
} // namespace
