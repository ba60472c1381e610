//===- Printf.cpp - printf with a fixed number of arguments ---------------===//
//
// Older programs declare `printf_2` with the exact types of one call, because
// functions could not be variadic. Calls through such a declaration do not set the
// number of vector registers in use (AL), which x86-64's convention requires for
// variadic functions; these stubs set it to 8 and jump to printf.
//
//===----------------------------------------------------------------------===//
#if defined(__x86_64__)
#define LISPIER_GO_TO_PRINTF "  movb $8, %al\n  jmp printf@PLT\n"
#elif defined(__aarch64__)
#define LISPIER_GO_TO_PRINTF "  b printf\n"
#else
#error "implement a jump from a call with fixed arguments to a variadic function for this architecture"
#endif

#define LISPIER_PRINTF_ALIAS(NAME)                                                                                     \
  asm(".text\n.globl " #NAME "\n.type " #NAME ", @function\n" #NAME ":\n" LISPIER_GO_TO_PRINTF ".size " #NAME          \
      ", .-" #NAME "\n")
LISPIER_PRINTF_ALIAS(printf_1);
LISPIER_PRINTF_ALIAS(printf_2);
LISPIER_PRINTF_ALIAS(printf_3);
LISPIER_PRINTF_ALIAS(printf_4);
