//===- Fiber.h - a coroutine with its own stack ----------------*- C++ -*-===//
//
// ucontext's swapcontext makes a system call for the signal mask at every switch.
// On x86-64 our own switch takes a few nanoseconds; elsewhere ucontext is used.
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

  /// Prepares to run body(argument) at the first resume. Discards a previous computation but reuses its stack.
  /// Returns false if there is no memory for a stack.
  bool start(void (*body)(void *), void *argument);
  /// Runs the fiber until it suspends or its body returns.
  void resume();
  /// Called on the fiber: returns to the caller of resume.
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
