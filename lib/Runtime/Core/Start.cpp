//===- Start.cpp - what the C library's developers' package has -----------===//
//
// glibc's start files and its archive libc_nonshared.a, as far as programs use
// them, so that `lispier build` needs the C library's own file and no other. All
// is weak: where a C compiler links, its files come first.
//
//===----------------------------------------------------------------------===//
#include <pthread.h>

#define PRIVATE_WEAK extern "C" __attribute__((weak, visibility("hidden")))

// By the x86-64 ABI rsp points at argc, argv follows it, and rdx is what the loader wants called at exit. glibc, since
// 2.34, calls the program's constructors and destructors without being told of them here.
asm(R"(
  .section .text.lispier_start, "ax", @progbits
  .weak _start
  .weak main
  .type _start, @function
_start:
  .cfi_startproc
  .cfi_undefined rip
  xorl %ebp, %ebp
  movq %rdx, %r9
  popq %rsi
  movq %rsp, %rdx
  andq $-16, %rsp
  pushq %rax
  pushq %rsp
  xorl %r8d, %r8d
  xorl %ecx, %ecx
  movq main@GOTPCREL(%rip), %rdi
  call *__libc_start_main@GOTPCREL(%rip)
  hlt
  .cfi_endproc
  .size _start, .-_start
  .text
)");

/// Of the executable or library that this is part of: by it the C library knows what is its.
PRIVATE_WEAK void *__dso_handle;
void *__dso_handle = &__dso_handle;

extern "C" int __cxa_atexit(void (*function)(void *), void *argument, void *dso);
extern "C" int __register_atfork(void (*prepare)(), void (*parent)(), void (*child)(), void *dso);

PRIVATE_WEAK int atexit(void (*function)()) {
  return __cxa_atexit(reinterpret_cast<void (*)(void *)>(function), nullptr, __dso_handle);
}

PRIVATE_WEAK int pthread_atfork(void (*prepare)(), void (*parent)(), void (*child)()) {
  return __register_atfork(prepare, parent, child, __dso_handle);
}
