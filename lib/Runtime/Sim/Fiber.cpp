//===- Fiber.cpp - stack switching ----------------------------------------===//

#include "Fiber.h"
#include <cstdint>
#include <cstdlib>
#include <sys/mman.h>
#include <vector>

namespace {
// Kernels hold only small arrays on the stack, and pages are committed on demand. The lowest page is a guard: an
// overflow faults instead of overwriting another stack.
constexpr size_t kStackBytes = 256 * 1024, kGuardBytes = 4096;

/// Stacks of destroyed fibers, reused by the next launch on this thread.
struct StackPool {
  std::vector<char *> free;
  ~StackPool() {
    for (char *stack : free)
      munmap(stack, kStackBytes);
  }
  char *take() {
    if (!free.empty()) {
      char *stack = free.back();
      free.pop_back();
      return stack;
    }
    void *memory =
        mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
      return nullptr;
    mprotect(memory, kGuardBytes, PROT_NONE);
    return static_cast<char *>(memory);
  }
};
thread_local StackPool stacks;
} // namespace

#ifdef __x86_64__
// Saves the callee-saved state of the System V ABI, switches stacks, restores. rdi: where to save, rsi: what to load.
asm(R"(
.text
.p2align 4
.local lispier_switch_stack
lispier_switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  subq $8, %rsp
  stmxcsr (%rsp)
  fnstcw 4(%rsp)
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  ldmxcsr (%rsp)
  fldcw 4(%rsp)
  addq $8, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.local lispier_fiber_entry
lispier_fiber_entry:
  movq %r12, %rdi
  callq *%r13
  ud2
)");
extern "C" void lispier_switch_stack(void **save, void *load) asm("lispier_switch_stack");
extern "C" void lispier_fiber_entry() asm("lispier_fiber_entry");
#endif

Fiber::~Fiber() {
  if (stack)
    stacks.free.push_back(stack);
}

bool Fiber::start(void (*newBody)(void *), void *newArgument) {
  body = newBody;
  argument = newArgument;
  if (!stack && !(stack = stacks.take()))
    return false;
#ifdef __x86_64__
  // Initial frame for lispier_switch_stack to pop: control words, r15 r14 r13 r12 rbx rbp, return address.
  auto *top = reinterpret_cast<uint64_t *>(stack + kStackBytes) - 2; // keeps the ABI's 16-byte alignment at the call
  *--top = reinterpret_cast<uint64_t>(&lispier_fiber_entry);
  *--top = 0;                                         // rbp
  *--top = 0;                                         // rbx
  *--top = reinterpret_cast<uint64_t>(this);          // r12
  *--top = reinterpret_cast<uint64_t>(&Fiber::enter); // r13
  *--top = 0;                                         // r14
  *--top = 0;                                         // r15
  uint32_t mxcsr;
  uint16_t control;
  asm volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(mxcsr), "=m"(control));
  *--top = static_cast<uint64_t>(control) << 32 | mxcsr;
  inside = top;
#else
  getcontext(&inside);
  inside.uc_stack.ss_sp = stack;
  inside.uc_stack.ss_size = kStackBytes;
  inside.uc_link = &outside;
  makecontext(&inside, reinterpret_cast<void (*)()>(&Fiber::enter), 1, this);
#endif
  return true;
}

void Fiber::enter(Fiber *fiber) {
  fiber->body(fiber->argument);
  while (true)
    fiber->suspend(); // Resuming a finished fiber has no effect.
}

void Fiber::resume() {
#ifdef __x86_64__
  lispier_switch_stack(&outside, inside);
#else
  swapcontext(&outside, &inside);
#endif
}

void Fiber::suspend() {
#ifdef __x86_64__
  lispier_switch_stack(&inside, outside);
#else
  swapcontext(&inside, &outside);
#endif
}
