//===- CrashReport.cpp - report a crash of the running program -------------===//
//
// The signal handler runs on its own stack, because infinite recursion leaves none,
// and is async-signal-safe: it only reads tables and takes no lock that the program
// may hold.
//
//===----------------------------------------------------------------------===//
#include "CrashReport.h"
#include <csignal>
#include <cstdio>
#include <cstring>
#include <pthread.h>
#include <ucontext.h>
#include <unistd.h>

namespace lispier {
namespace {
struct Cause {
  int signal;
  const char *name, *meaning;
};
constexpr Cause kCauses[] = {{SIGSEGV, "SIGSEGV", "it used memory that it does not have"},
                             {SIGBUS, "SIGBUS", "it used memory that is not there"},
                             {SIGFPE, "SIGFPE", "it divided an integer by 0, or the smallest integer by -1"},
                             {SIGILL, "SIGILL", "it met an instruction that the processor does not know"}};
constexpr int kCount = sizeof(kCauses) / sizeof(kCauses[0]);

const CodeMap *code;
uintptr_t stackLow, stackHigh; ///< Bounds of the stack of the thread that calls `main`.
struct sigaction before[kCount];
stack_t stackBefore;
char handlerStack[64 << 10]; // Large enough for AMX state, which the kernel saves on it.

/// Returns the innermost function of the program on the stack; `inside` is whether its own code was running, rather
/// than a function that it called.
const char *runningFunction([[maybe_unused]] const ucontext_t &context, bool &inside) {
#if defined(__x86_64__)
  inside = true;
  if (const char *name = code->functionAt(context.uc_mcontext.gregs[REG_RIP]))
    return name;
  inside = false;
  uintptr_t top = context.uc_mcontext.gregs[REG_RSP];
  constexpr uintptr_t kMostBytes = 64 << 10;
  if (top < stackLow || top >= stackHigh)
    return nullptr;
  uintptr_t end = stackHigh - top > kMostBytes ? top + kMostBytes : stackHigh;
  for (uintptr_t place = (top + 7) / 8 * 8; place + 8 <= end; place += 8)
    if (const char *name = code->functionAt(*reinterpret_cast<const uint64_t *>(place) - 1)) // A return address.
      return name;
#endif
  return nullptr;
}

void report(int signal, siginfo_t *info, void *context) {
  const Cause *cause = kCauses;
  while (cause->signal != signal)
    ++cause;
  if (ftrylockfile(stdout) == 0) {
    fflush_unlocked(stdout);
    funlockfile(stdout);
  }
  bool inside = false;
  const char *name = runningFunction(*static_cast<ucontext_t *>(context), inside);
  auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  constexpr uintptr_t kGuard = 1 << 20;
  bool overflow = signal == SIGSEGV && address + kGuard > stackLow && address < stackLow + kGuard;
  char text[600];
  int length = snprintf(text, sizeof(text), "error: the program died%s%s%s: %s (%s)\n",
                        !name    ? ""
                        : inside ? " in `"
                                 : " in code that was called by `",
                        name ? name : "", name ? "`" : "",
                        overflow ? "its stack is full; does it call itself without end?" : cause->meaning, cause->name);
  (void)!write(STDERR_FILENO, text, size_t(length) < sizeof(text) ? length : sizeof(text) - 1);
  ::signal(signal, SIG_DFL);
  raise(signal); // Delivered when the handler returns and unblocks the signal.
}
} // namespace

CrashReport::CrashReport(const CodeMap &map) {
  code = &map;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    void *low = nullptr;
    size_t bytes = 0;
    pthread_attr_getstack(&attributes, &low, &bytes);
    stackLow = reinterpret_cast<uintptr_t>(low);
    stackHigh = stackLow + bytes;
    pthread_attr_destroy(&attributes);
  }
  stack_t stack{};
  stack.ss_sp = handlerStack;
  stack.ss_size = sizeof(handlerStack);
  sigaltstack(&stack, &stackBefore);
  struct sigaction action{};
  action.sa_sigaction = report;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (int i = 0; i < kCount; ++i)
    sigaction(kCauses[i].signal, &action, &before[i]);
}

CrashReport::~CrashReport() {
  for (int i = 0; i < kCount; ++i)
    sigaction(kCauses[i].signal, &before[i], nullptr);
  sigaltstack(&stackBefore, nullptr);
  code = nullptr;
}
} // namespace lispier
