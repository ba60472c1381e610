// Failures return to the host that called compiled code under a guard.
#include "lispier/Runtime/Core/Failure.h"
#include "lispier/Runtime/Core/Runtime.h"
#include <atomic>
#include <functional>
#include <gtest/gtest.h>
#include <malloc.h>
#include <string>
#include <thread>
#include <vector>

extern "C" void *_mlir_memref_to_llvm_aligned_alloc(uint64_t alignment, uint64_t bytes);

namespace {
/// The message with which `body` fails; empty if it does not.
std::string failureOf(const std::function<void()> &body, size_t size = 4096) {
  std::string message(size, '?');
  int failed = lispier_rt_guard([](void *body) { (*static_cast<const std::function<void()> *>(body))(); },
                                const_cast<std::function<void()> *>(&body), message.data(), size);
  return failed ? std::string(message.c_str()) : std::string();
}

void failHere() { lispier_rt_check_failed("f.lisp:1:2: error[tensor-size]: sizes %ld and %ld", 3l, 4l); }

int64_t bytesInUse() { return mallinfo2().uordblks + mallinfo2().hblkhd; }
} // namespace

/// Each kind of failure that compiled code reports, and a call that succeeds after it.
TEST(Guard, ReturnsEachFailure) {
  const int64_t sizes[] = {2, -3}, other[] = {4};
  const struct {
    std::function<void()> body;
    const char *message;
  } cases[] = {
      {failHere, "f.lisp:1:2: error[tensor-size]: sizes 3 and 4"},
      {[] { lispier_rt_assertion_failed("no", "a:1:1"); }, "a:1:1: error: assertion failed: no"},
      {[] { lispier_rt_division_failed("cpu-division", "a:1:1", "division by 0", "f"); },
       "a:1:1: error[cpu-division]: division by 0, in function `f`"},
      {[&] { lispier_rt_allocation_failed("cpu-size", "a:1:1", 2, sizes, 4); },
       "a:1:1: error[cpu-size]: memory of 2 x -3 elements of 4 bytes asked for; sizes cannot be negative"},
      {[&] { lispier_rt_copy_failed("c", "a:1:1", 2, sizes, 1, other); },
       "a:1:1: error[c]: a copy from memory of shape 2 x -3 to memory of shape 4; both must be the same"},
      {[] { lispier_rt_dimension_failed("d", "a:1:1", 3, 2); },
       "a:1:1: error[d]: there is no dimension 3 of memory that has rank 2"},
      {[] { lispier_rt_grid_failed("g", "a:1:1", "k", 0, 1, 1); },
       "a:1:1: error[g]: grid (0, 1, 1): sizes must be positive\nnote: in the launch of kernel `k`"},
      {[] { lispier_rt_index_failed("a:1:1", "", 7, 0, 7); },
       "a:1:1: error[tensor-range]: the index 7 is outside of axis 0, which has 7 elements"},
      {[] { lispier_rt_fail("a:1:1: error[x]: text\nnote: more\n"); }, "a:1:1: error[x]: text\nnote: more"},
      {[] { lispier_rt_alloc(int64_t(1) << 60); },
       "lispier: out of memory: a buffer of 1152921504606846976 bytes asked for"},
      {[] { lispier_rt_alloc(-1); }, "lispier: out of memory: a buffer of -1 bytes asked for"},
      {[] {
         lispier_rt_plan_allocation("memory", "a:1:1", "for y\nnote: y");
         _mlir_memref_to_llvm_aligned_alloc(64, uint64_t(1) << 60);
       },
       "a:1:1: error[memory]: out of memory: 1152921504606846976 bytes asked for, for y\nnote: y"},
      // The plan of the call that failed is not that of the next.
      {[] { lispier_rt_alloc(-1); }, "lispier: out of memory: a buffer of -1 bytes asked for"},
      {[] { lispier::runtime::endRun({{}, {}, nullptr, lispier::runtime::Ending::AtOnce}); },
       "the program cannot go on, for a reason that has been printed"},
  };
  for (const auto &[body, message] : cases) {
    EXPECT_NE(failureOf(body).find(message), std::string::npos) << failureOf(body) << "\ninstead of\n" << message;
    EXPECT_EQ(failureOf([] { lispier_rt_free(lispier_rt_alloc(8)); }), "");
  }
}

TEST(Guard, ReturnsMemoryFreedTwice) {
  void *block = lispier_rt_alloc(3 << 20);
  lispier_rt_free(block);
  EXPECT_EQ(failureOf([&] { lispier_rt_free(block); }), "lispier: memory is freed a second time");
  lispier_rt_free(lispier_rt_alloc(3 << 20)); // No lock is held.
}

TEST(Guard, CutsOffLongMessages) {
  EXPECT_EQ(failureOf(failHere, 7), "f.lisp");
  EXPECT_EQ(lispier_rt_guard([](void *) { failHere(); }, nullptr, nullptr, 0), 1);
}

TEST(Guard, FreesWhatACallHasAllocated) {
  std::atomic<int64_t> before{0};
  for (int i = 0; i < 100'000; ++i) {
    EXPECT_NE(failureOf([&] {
                void *blocks[20];
                for (int64_t k = 0; k < 20; ++k)
                  blocks[k] = lispier_rt_alloc(k % 4 ? 64 * (k + 1) : 300'000);
                for (int64_t k = 0; k < 10; ++k)
                  lispier_rt_free(blocks[(i + 3 * k) % 20]);
                failHere();
              }),
              "");
    if (i == 1000)
      before = bytesInUse();
  }
  EXPECT_LT(bytesInUse() - before, 100'000);
}

/// What a call that succeeds leaves allocated, such as its result, is its caller's: of an outer guard, that one's.
TEST(Guard, LeavesResultsOfSuccessfulCalls) {
  char *block = nullptr;
  EXPECT_EQ(failureOf([&] { block = static_cast<char *>(lispier_rt_alloc(64)); }), "");
  block[63] = 1;
  lispier_rt_free(block);
  int64_t before = bytesInUse();
  EXPECT_NE(failureOf([&] {
              EXPECT_EQ(failureOf([] { lispier_rt_alloc(1 << 16); }), "");
              EXPECT_NE(failureOf(failHere), "");
              failHere();
            }),
            "");
  EXPECT_LT(bytesInUse() - before, 1 << 16);
}

/// A part that fails, on whichever thread, fails the loop once no thread works on it.
TEST(Guard, ReturnsFailuresOfParallelLoops) {
  struct Loop {
    std::atomic<int64_t> failAt, running{0};
  };
  int64_t before = 0;
  for (int round = 0; round < 3000; ++round) {
    Loop loop{round % 1000};
    auto body = [](void *context, int64_t begin, int64_t end) {
      auto &loop = *static_cast<Loop *>(context);
      ++loop.running;
      void *block = lispier_rt_alloc(1000);
      if (begin <= loop.failAt && loop.failAt < end) {
        --loop.running;
        failHere();
      }
      lispier_rt_free(block);
      --loop.running;
    };
    EXPECT_EQ(failureOf([&] { lispier_rt_parallel_for(body, &loop, 1000, 1); }),
              "f.lisp:1:2: error[tensor-size]: sizes 3 and 4");
    EXPECT_EQ(loop.running, 0);
    loop.failAt = -1;
    EXPECT_EQ(failureOf([&] { lispier_rt_parallel_for(body, &loop, 1000, 1); }), "");
    if (round == 100)
      before = bytesInUse();
  }
  EXPECT_LT(bytesInUse() - before, 100'000);
}

TEST(Guard, EachThreadHasItsOwn) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      std::string mine = "thread " + std::to_string(t);
      for (int i = 0; i < 2000; ++i)
        wrong += failureOf([&] { lispier_rt_fail(mine.c_str()); }) != mine || failureOf([] {}) != "";
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}
