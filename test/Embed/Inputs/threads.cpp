// C++20: two libraries in one process, each with its own functions of one name, called by eight threads.
#include "entries.h"
#include "other.h"
#include "tensors.h"
#include <atomic>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

/// The host's own function keeps its meaning, whatever a library calls its functions.
extern "C" float same(float x) { return x; }

static Tensor tensorOf(std::vector<float> &data, std::vector<int64_t> shape) {
  Tensor tensor;
  fill(&tensor, data.data(), 2, 32, static_cast<int32_t>(shape.size()), shape.data());
  return tensor;
}

int main() {
  std::atomic<int> failures = 0;
  auto body = [&](int number) {
    std::vector<float> x(64 * 1000), y(x.size()), z(x.size());
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = static_cast<float>((i * 7 + number) % 13);
    Tensor a = tensorOf(x, {64, 1000}), b = tensorOf(y, {64, 1000}), c = tensorOf(z, {64000}),
           flat = tensorOf(x, {64000});
    a.tensor.shape = a.shape, b.tensor.shape = b.shape, c.tensor.shape = c.shape, flat.tensor.shape = flat.shape;
    for (int round = 0; round < 200; ++round) {
      failures += entries_rows(nullptr, &a.tensor, &b.tensor) != 0;
      float sum = 0;
      for (int i = 0; i < 1000; ++i)
        sum += y[i];
      failures += !(std::fabs(sum - 1) < 1e-3f);
      failures += other_same(nullptr, &flat.tensor, &c.tensor) != 0 || z[5] != x[5] + 1;
      // Each thread, and each library, has its own message.
      failures += entries_rows(nullptr, &a.tensor, &a.tensor) != 1;
      failures += other_same(nullptr, &a.tensor, &c.tensor) != 1;
      failures += std::string(entries_error()).find("`result` overlaps `x`") == std::string::npos;
      failures += std::string(other_error()).find("must be f32 [n]") == std::string::npos;
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back(body, i);
  for (std::thread &thread : threads)
    thread.join();
  std::printf("%d failures, %g\n", failures.load(), double(same(3)));
  return failures != 0;
}
