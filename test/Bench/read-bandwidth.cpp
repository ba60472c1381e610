//===- read-bandwidth.cpp - how fast this machine reads memory -------------===//
//
// The limit of a decode step, which reads every weight once: the best of some
// passes of all threads over 256 MiB, which no cache holds. Prints GB/s (10^9).
//
//   read-bandwidth [threads]     default: the processors this process may use
//
//===----------------------------------------------------------------------===//
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>
#include <thread>
#include <vector>

namespace {
constexpr size_t kBytes = size_t(256) << 20, kHugePage = size_t(2) << 20, kAhead = 1024;
typedef long long Line __attribute__((vector_size(64)));

/// Exclusive-or of all lines: cheap, and it cannot be left out.
Line readAll(const Line *lines, size_t count) {
  Line sums[4] = {};
  for (size_t i = 0; i + 4 <= count; i += 4)
    for (size_t j = 0; j < 4; ++j) {
      __builtin_prefetch(reinterpret_cast<const char *>(lines + i + j) + kAhead);
      sums[j] ^= lines[i + j];
    }
  return sums[0] ^ sums[1] ^ sums[2] ^ sums[3];
}

double passSeconds(const Line *lines, size_t count, unsigned threads, volatile long long &sink) {
  std::vector<std::thread> workers;
  std::vector<Line> sums(threads);
  auto begin = std::chrono::steady_clock::now();
  for (unsigned t = 0; t < threads; ++t)
    workers.emplace_back([&, t] { sums[t] = readAll(lines + count / threads * t, count / threads); });
  for (std::thread &worker : workers)
    worker.join();
  std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  for (const Line &sum : sums)
    sink = sink + sum[0];
  return taken.count();
}
} // namespace

int main(int count, char **words) {
  unsigned threads = count > 1 ? std::max(1, std::atoi(words[1])) : std::max(1u, std::thread::hardware_concurrency());
  auto *lines = static_cast<Line *>(std::aligned_alloc(kHugePage, kBytes));
  if (!lines)
    return 1;
  madvise(lines, kBytes, MADV_HUGEPAGE);
  for (size_t i = 0; i < kBytes / sizeof(Line); ++i)
    lines[i] = Line{} + static_cast<long long>(i);
  volatile long long sink = 0;
  double best = 1e9;
  for (int pass = 0; pass < 20; ++pass)
    best = std::min(best, passSeconds(lines, kBytes / sizeof(Line), threads, sink));
  std::printf("%.1f GB/s with %u threads\n", kBytes / best / 1e9, threads);
  std::free(lines);
  return 0;
}
