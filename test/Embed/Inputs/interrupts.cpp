// Ends calls that would take years: from another thread, and by SIGINT, after which the host's handler is called.
#include "entries.h"
#include "tensors.h"
#include <atomic>
#include <csignal>
#include <thread>
#include <unistd.h>
#include <vector>

static std::atomic<int> handled = 0;

static int longCall(size_t size) {
  std::vector<float> x(size, 1), y(size);
  Tensor a, b;
  int64_t shape[] = {int64_t(size)};
  fill(&a, x.data(), 2, 32, 1, shape);
  fill(&b, y.data(), 2, 32, 1, shape);
  return entries_grown(nullptr, &a.tensor, int64_t(1) << 50, &b.tensor);
}

static bool rightCall() {
  float x[] = {1, 1}, y[2] = {};
  Tensor a, b;
  int64_t shape[] = {1, 2};
  fill(&a, x, 2, 32, 2, shape);
  fill(&b, y, 2, 32, 2, shape);
  return entries_rows(nullptr, &a.tensor, &b.tensor) == 0 && y[0] == 0.5f;
}

int main() {
  bool isRight = true;
  std::signal(SIGINT, [](int) { ++handled; });
  entries_catch_interrupts();
  entries_interrupt(); // Of nothing.
  std::raise(SIGINT);
  isRight &= rightCall() && handled == 1;
  // Both a loop over few elements and one whose body is run by threads.
  for (size_t size : {8, 1 << 20})
    for (bool isSignal : {false, true}) {
      std::vector<std::thread> callers;
      std::atomic<int> interrupted = 0;
      for (int i = 0; i < 3; ++i)
        callers.emplace_back([&] { interrupted += longCall(size) == 2; });
      // A call may begin after an interrupt that another one has ended at.
      std::atomic<bool> isDone = false;
      std::thread interrupter([&] {
        while (!isDone) {
          usleep(50000);
          isSignal ? kill(getpid(), SIGINT) : (entries_interrupt(), 0);
        }
      });
      for (std::thread &caller : callers)
        caller.join();
      isDone = true;
      interrupter.join();
      isRight &= interrupted == 3 && rightCall();
    }
  isRight &= handled > 2;
  std::puts(isRight ? "all right" : "wrong");
  return !isRight;
}
