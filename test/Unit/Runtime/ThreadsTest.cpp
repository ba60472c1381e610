#include "lispier/Runtime/Core/Runtime.h"
#include <atomic>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {
template <typename Function> void parallelFor(int64_t n, int64_t grain, Function function) {
  lispier_rt_parallel_for(
      [](void *context, int64_t begin, int64_t end) { (*static_cast<Function *>(context))(begin, end); }, &function, n,
      grain);
}

/// How often each of [0, n) was visited is one, in ranges that begin at multiples of the grain.
void expectEachOnce(int64_t n, int64_t grain) {
  std::vector<std::atomic<int>> visits(n);
  std::atomic<int64_t> misaligned{0}, empty{0};
  parallelFor(n, grain, [&](int64_t begin, int64_t end) {
    misaligned += begin % grain != 0 || (end % grain != 0 && end != n);
    empty += begin >= end;
    for (int64_t i = begin; i < end; ++i)
      ++visits[i];
  });
  EXPECT_EQ(misaligned, 0);
  EXPECT_EQ(empty, 0);
  for (int64_t i = 0; i < n; ++i)
    ASSERT_EQ(visits[i], 1) << "index " << i << " of " << n << ", grain " << grain;
}
} // namespace

TEST(ParallelFor, VisitsEachIndexOnce) {
  for (int64_t n : {1, 2, 3, 7, 8, 9, 63, 100, 1000})
    for (int64_t grain : {1, 2, 3, 16, 1000})
      expectEachOnce(n, grain);
}

/// A thread's share is four parts. With six chunks for each thread, no share is larger than another.
TEST(ParallelFor, SharesAreEqual) {
  int64_t threads = lispier_rt_threads();
  if (threads == 1)
    GTEST_SKIP() << "one thread has one part";
  std::vector<std::atomic<int64_t>> ends(6 * threads);
  parallelFor(6 * threads, 1, [&](int64_t begin, int64_t end) { ends[begin] = end; });
  int64_t at = 0;
  for (int64_t share = 1; share <= threads; ++share) {
    for (int part = 0; part < 4; ++part)
      at = ends[at];
    EXPECT_EQ(at, 6 * share);
  }
}

TEST(ParallelFor, ManyCallsInARow) {
  std::atomic<int64_t> sum{0};
  for (int call = 0; call < 20000; ++call)
    parallelFor(8, 1, [&](int64_t begin, int64_t end) { sum += end - begin; });
  EXPECT_EQ(sum, 20000 * 8);
}

TEST(ParallelFor, EmptyRangeCallsNothing) {
  for (int64_t n : {int64_t(0), int64_t(-5), INT64_MIN})
    parallelFor(n, 1, [](int64_t, int64_t) { FAIL(); });
}

TEST(ParallelFor, GrainBelowOneIsOne) {
  std::atomic<int64_t> covered{0};
  parallelFor(10, -3, [&](int64_t begin, int64_t end) { covered += end - begin; });
  EXPECT_EQ(covered, 10);
}

TEST(ParallelFor, HugeRangesDoNotOverflow) {
  std::atomic<uint64_t> covered{0};
  parallelFor(INT64_MAX, 3, [&](int64_t begin, int64_t end) { covered += uint64_t(end - begin); });
  EXPECT_EQ(covered, uint64_t(INT64_MAX));
}

TEST(ParallelFor, NestedCallsRunOnTheSpot) {
  std::atomic<int> wrongThread{0}, inner{0};
  parallelFor(16, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      std::thread::id outer = std::this_thread::get_id();
      parallelFor(10, 1, [&](int64_t b, int64_t e) {
        wrongThread += std::this_thread::get_id() != outer;
        inner += int(e - b);
      });
    }
  });
  EXPECT_EQ(wrongThread, 0);
  EXPECT_EQ(inner, 160);
}

TEST(ParallelFor, CallersOfSeveralThreads) {
  std::atomic<int64_t> sum{0};
  std::vector<std::thread> callers;
  for (int c = 0; c < 4; ++c)
    callers.emplace_back([&] {
      for (int call = 0; call < 500; ++call)
        parallelFor(32, 1, [&](int64_t begin, int64_t end) { sum += end - begin; });
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(sum, 4 * 500 * 32);
}

TEST(ParallelFor, WakesWorkersThatSleep) {
  for (int round = 0; round < 20; ++round) {
    usleep(1000); // longer than they spin
    expectEachOnce(64, 1);
  }
}

TEST(ParallelFor, WorksInAChildProcess) {
  expectEachOnce(100, 1);
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::atomic<int64_t> covered{0};
    parallelFor(100, 1, [&](int64_t begin, int64_t end) { covered += end - begin; });
    _exit(covered == 100 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(Threads, AtLeastOne) { EXPECT_GE(lispier_rt_threads(), 1); }
