//===- Guard.h - where failures of guarded calls go -------------*- C++ -*-===//
#ifndef LISPIER_LIB_RUNTIME_CORE_GUARD_H
#define LISPIER_LIB_RUNTIME_CORE_GUARD_H

namespace lispier::runtime {
/// Whether this thread executes the body of a lispier_rt_guard.
bool isGuarded();
/// What guards return: a failure, and an interrupt by the host.
inline constexpr int kFailed = 1, kInterrupted = 2;
/// Ends the body of this thread's innermost guard, which returns `status` with the message.
[[noreturn]] void returnToGuard(const char *message, int status);

/// Notes memory that compiled code has asked for: if the body fails, it is freed.
void noteAllocated(void *block);
/// Lets guards free noted memory by this function, which is given both what lispier_rt_alloc and what a device has
/// made.
void releaseNotedBy(void (*release)(void *block));
/// Forgets a block that compiled code frees itself. Null and blocks that are not noted are ignored.
void noteFreed(void *block);
} // namespace lispier::runtime
#endif
