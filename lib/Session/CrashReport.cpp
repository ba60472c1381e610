//===- CrashReport.cpp - report a crash of the running program -------------===//
//
// The signal handler runs on its own stack, because infinite recursion leaves none,
// and is async-signal-safe: it only reads tables and takes no lock that the program
// may hold. Any thread may be the one that crashes.
//
//===----------------------------------------------------------------------===//
#include "CrashReport.h"
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <pthread.h>
#include <sys/uio.h>
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
std::atomic_flag reporting = ATOMIC_FLAG_INIT;
struct sigaction before[kCount];
stack_t stackBefore;
char handlerStack[64 << 10]; // Large enough for AMX state, which the kernel saves on it.

/// Copies `size` bytes of this process's memory; returns false, without a fault, if they cannot be read.
bool readMemory(uintptr_t from, void *to, size_t size) {
  iovec local{to, size}, remote{reinterpret_cast<void *>(from), size};
  return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == ssize_t(size);
}

/// Returns the innermost function of the program on the stack; `inside` is whether its own code was running, rather
/// than a function that it called. The program counter is no help after a call of a null pointer, and libraries keep no
/// chain of frames, so this searches the stack of the crashed thread for return addresses.
const char *runningFunction([[maybe_unused]] const ucontext_t &context, bool &inside) {
#if defined(__x86_64__)
  inside = true;
  if (const char *name = code->functionAt(context.uc_mcontext.gregs[REG_RIP]))
    return name;
  inside = false;
  constexpr uintptr_t kMostBytes = 64 << 10, kChunk = 512;
  uintptr_t top = (uintptr_t(context.uc_mcontext.gregs[REG_RSP]) + 7) / 8 * 8;
  for (uintptr_t chunk = top; chunk < top + kMostBytes; chunk = (chunk / kChunk + 1) * kChunk) {
    uint64_t words[kChunk / 8];
    size_t size = kChunk - chunk % kChunk;
    if (!readMemory(chunk, words, size))
      break; // The end of the stack: chunks do not cross pages.
    for (size_t i = 0; i < size / 8; ++i)
      if (const char *name = code->functionAt(words[i] - 1)) // A return address.
        return name;
  }
#endif
  return "main"; // Its last call was a tail call, which leaves no frame.
}

/// Whether the processor stopped at the instruction that LLVM puts where it proved that code is never reached.
bool isTrap([[maybe_unused]] const ucontext_t &context) {
#if defined(__x86_64__)
  unsigned char instruction[2] = {};
  return readMemory(context.uc_mcontext.gregs[REG_RIP], instruction, sizeof(instruction)) && instruction[0] == 0x0f &&
         instruction[1] == 0x0b; // ud2
#else
  return false;
#endif
}

void report(int signal, siginfo_t *info, void *context) {
  const Cause *cause = kCauses;
  while (cause->signal != signal)
    ++cause;
  if (reporting.test_and_set())
    while (true)
      pause(); // Another thread crashed first, and its signal ends the process.
  if (ftrylockfile(stdout) == 0) {
    fflush_unlocked(stdout);
    funlockfile(stdout);
  }
  bool inside = false;
  const ucontext_t &state = *static_cast<const ucontext_t *>(context);
  const char *name = runningFunction(state, inside);
  auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  constexpr uintptr_t kGuard = 1 << 20;
  bool overflow = signal == SIGSEGV && address + kGuard > stackLow && address < stackLow + kGuard;
  const char *meaning = overflow ? "its stack is full; does it call itself without end?"
                        : signal == SIGILL && isTrap(state)
                            ? "it came to an operation that is undefined, such as a load through a null pointer"
                            : cause->meaning;
  char text[600];
  int length = snprintf(text, sizeof(text), "error: the program died in %s`%s`: %s (%s)\n",
                        inside ? "" : "code that was called by ", name, meaning, cause->name);
  (void)!write(STDERR_FILENO, text, size_t(length) < sizeof(text) ? length : sizeof(text) - 1);
  ::signal(signal, SIG_DFL);
  raise(signal); // Delivered when the handler returns and unblocks the signal.
}
} // namespace

CrashReport::CrashReport(const CodeMap &map) {
  code = &map;
  reporting.clear();
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
