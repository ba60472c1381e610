// parallel-for [calls]: what a parallel loop costs when its body does nothing, and with work of about 10 us.
// Prints the median and the 99th percentile of single calls in microseconds, after checking that every call was whole.
#include "lispier/Runtime/Core/Runtime.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {
constexpr int64_t kIterations = 64;

struct Work {
  int64_t perIteration;
  std::atomic<int64_t> iterations{0};
  std::atomic<int64_t> sink{0};
};

void body(void *context, int64_t begin, int64_t end) {
  auto *work = static_cast<Work *>(context);
  uint64_t state = uint64_t(begin);
  for (int64_t i = 0; i < (end - begin) * work->perIteration; ++i)
    state = (state ^ state >> 29) * 6364136223846793005u + 1;
  work->sink.fetch_add(int64_t(state), std::memory_order_relaxed);
  work->iterations.fetch_add(end - begin, std::memory_order_relaxed);
}

bool measure(const char *name, int64_t perIteration, int calls) {
  std::vector<double> times;
  Work work{perIteration};
  for (int call = 0; call < calls; ++call) {
    auto start = std::chrono::steady_clock::now();
    lispier_rt_parallel_for(body, &work, kIterations, 1);
    times.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
  }
  if (work.iterations != calls * kIterations) {
    printf("%s: WRONG, %lld iterations instead of %lld\n", name, (long long)work.iterations.load(),
           (long long)(calls * kIterations));
    return false;
  }
  std::sort(times.begin(), times.end());
  printf("%s: median %.2f us, 99%% %.2f us\n", name, times[times.size() / 2], times[times.size() * 99 / 100]);
  return true;
}
} // namespace

int main(int argc, char **argv) {
  int calls = argc > 1 ? atoi(argv[1]) : 20000;
  printf("%lld threads, %d calls\n", (long long)lispier_rt_threads(), calls);
  bool right = measure("empty", 0, calls);
  right &= measure("10 us of one thread", 100, calls);
  return right ? 0 : 1;
}
