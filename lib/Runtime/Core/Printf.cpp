//===- Printf.cpp - printf under names of a fixed number of arguments -----===//
//
// Older programs declare `printf_2` with the exact types of one call, because a
// function could not be variadic. A call through such a declaration does not say
// how many vector registers hold arguments, as the x86 convention wants from a
// variadic call; these say 8 and go on to printf.
//
//===----------------------------------------------------------------------===//
#if defined(__x86_64__)
#define LISPIER_GO_TO_PRINTF "  movb $8, %al\n  jmp printf@PLT\n"
#elif defined(__aarch64__)
#define LISPIER_GO_TO_PRINTF "  b printf\n"
#else
#error "say here how a call with fixed arguments becomes one to a variadic function"
#endif

#define LISPIER_PRINTF_ALIAS(NAME)                                                                                     \
  asm(".text\n.globl " #NAME "\n.type " #NAME ", @function\n" #NAME ":\n" LISPIER_GO_TO_PRINTF ".size " #NAME          \
      ", .-" #NAME "\n")
LISPIER_PRINTF_ALIAS(printf_1);
LISPIER_PRINTF_ALIAS(printf_2);
LISPIER_PRINTF_ALIAS(printf_3);
LISPIER_PRINTF_ALIAS(printf_4);
