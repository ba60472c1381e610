//===- Fiber.h - one suspended computation with a stack --------*- C++ -*-===//
//
// ucontext's swapcontext asks the kernel for the signal mask at every switch;
// on x86-64 we switch by hand in a few nanoseconds, elsewhere with ucontext.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_RUNTIME_FIBER_H
#define LISPIER_LIB_RUNTIME_FIBER_H

#include <cstddef>
#ifndef __x86_64__
#include <ucontext.h>
#endif

class Fiber {
public:
  Fiber() = default;
  ~Fiber();
  Fiber(const Fiber &) = delete;
  Fiber &operator=(const Fiber &) = delete;

  /// Gets ready to run body(argument) at the first resume. What ran before is forgotten; its stack is used again.
  /// False: no memory for a stack.
  bool start(void (*body)(void *), void *argument);
  /// Runs until the fiber suspends or its body returns.
  void resume();
  /// Called on the fiber: back to whoever resumed it.
  void suspend();

private:
  static void enter(Fiber *fiber);
  char *stack = nullptr;
  void (*body)(void *) = nullptr;
  void *argument = nullptr;
#ifdef __x86_64__
  void *inside = nullptr, *outside = nullptr; ///< Saved stack pointers.
#else
  ucontext_t inside, outside;
#endif
};
#endif
