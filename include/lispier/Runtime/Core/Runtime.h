/*===- Runtime.h - C interface for compiled programs ------------*- C -*-===*\
|*                                                                          *|
|* Threads, memory, failures and the clock. The functions that print and    *|
|* convert floats have the names that MLIR's and LLVM's lowerings emit;     *|
|* lib/Runtime/README.md lists them.                                        *|
|*                                                                          *|
\*===----------------------------------------------------------------------===*/
#ifndef LISPIER_RUNTIME_RUNTIME_H
#define LISPIER_RUNTIME_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Calls body(context, begin, end) for disjoint ranges that cover [0, n), none if n <= 0, on up to lispier_rt_threads()
 * threads, and returns when all calls have returned. Every `begin` is a multiple of `grain` (at least 1), so only the
 * last range can be shorter than `grain`. The ranges depend on the number of threads; a body's results must not depend
 * on them. A call from inside a body, or while another thread's loop is running, executes body(context, 0, n) on the
 * calling thread. */
void lispier_rt_parallel_for(void (*body)(void *context, int64_t begin, int64_t end), void *context, int64_t n,
                             int64_t grain);

/* Number of threads that execute one parallel_for, including the caller: LISPIER_THREADS if set, else the number of
 * processors this process may use. At least 1; constant after the first call. */
int64_t lispier_rt_threads(void);

/* Allocates `bytes` bytes of uninitialised memory, aligned to 64 bytes; from 2 MiB on aligned to 2 MiB, with huge pages
 * requested. Release with lispier_rt_free or free. Returns null if memory is exhausted or `bytes` is negative. */
void *lispier_rt_try_alloc(int64_t bytes);
/* As lispier_rt_try_alloc, for memref.alloc, which cannot fail: prints an error on stderr and exits with status 1. */
void *lispier_rt_alloc(int64_t bytes);
void lispier_rt_free(void *pointer); /* May be null. */

/* Returns the first feature that `features` requires and this processor or operating system lacks, as a static string,
 * or null if the program can run. `features` is an LLVM feature list, "+avx2,+fma,-avx512f"; only entries with a plus
 * are requirements. Tuning features and unknown names pass. For an AMX feature it also requests permission from the
 * operating system to use the tile registers: without it the first AMX instruction is illegal. */
const char *lispier_rt_missing_cpu_feature(const char *features);
/* As lispier_rt_missing_cpu_feature; if a feature is missing, prints it on stderr and exits with status 1. */
void lispier_rt_require_cpu(const char *features);

/* For programs built for one target: if LISPIER_TARGET is set and names no target that Lispier knows, prints an
 * error and exits with status 1. */
void lispier_rt_check_target_wish(void);

/* Flushes stdout, prints the message with its source location `site`, "file:line:column", on stderr, and exits with
 * status 1. */
void lispier_rt_assertion_failed(const char *message, const char *site);

/* Reports an operation that cannot be executed and exits with status 1. Compiled code calls these before the operation.
 * `code` is the error code, such as "cpu-division"; `site` is the source location, "file:line:column".
 * Integer division: `what` is the reason, `function` the program's function that contains it. */
void lispier_rt_division_failed(const char *code, const char *site, const char *what, const char *function);
/* Allocation of a memref with `rank` sizes, one of them negative or their product too large. */
void lispier_rt_allocation_failed(const char *code, const char *site, int64_t rank, const int64_t *sizes,
                                  int64_t elementBytes);
/* Says what this thread's next allocation, on the host or on a device, is for: if it fails, the message begins with
 * `site` and `code`, and ends with `plan`, the end of a line and lines of notes as in lispier_rt_fail. The texts must
 * outlive the allocation. */
void lispier_rt_plan_allocation(const char *code, const char *site, const char *plan);
/* memref.copy between memrefs of different shapes. */
void lispier_rt_copy_failed(const char *code, const char *site, int64_t fromRank, const int64_t *from, int64_t toRank,
                            const int64_t *to);
/* memref.dim of a dimension that a memref of that rank does not have. */
void lispier_rt_dimension_failed(const char *code, const char *site, int64_t dimension, int64_t rank);
/* Launch of a tile program, `name`, on a grid with a negative size. */
void lispier_rt_grid_failed(const char *code, const char *site, const char *name, int64_t x, int64_t y, int64_t z);

/* An index of a tensor outside of an axis: `callers` are lines of notes as in lispier_rt_fail, or empty. */
void lispier_rt_index_failed(const char *site, const char *callers, int64_t index, int64_t axis, int64_t size);

/* Sizes of tensors that differ, and other conditions that the program checks: `format` is a message as lispier_rt_fail
 * takes it, with directives of printf for the values that follow. */
void lispier_rt_check_failed(const char *format, ...);

/* Flushes stdout, prints `message` on stderr and exits with status 1. Each line of a message has the form
 * "file:line:column: error[code]: text", "file:line:column: note: text" or "note: text". */
void lispier_rt_fail(const char *message);
/* Registers a function that rewrites messages before lispier_rt_fail prints them; a host that has the source text adds
 * the source line. The text that it returns must outlive the call. Null restores printing the message as it is. */
typedef const char *(*LispierExplain)(void *context, const char *message);
void lispier_rt_explain_with(LispierExplain explain, void *context);

/* Calls body(argument), and returns 0 when it has returned. If the body fails instead, all of these functions that end
 * the process return to here: the memory that it has allocated by lispier_rt_alloc and not freed is freed, `message`
 * gets the text of the failure without a last end of line, cut off to `size` bytes with the terminating zero, and the
 * result is 1, or 2 if it was interrupted. Nothing is printed. Guards nest; each thread has its own. A failure in the
 * body of a parallel loop, on whichever thread, becomes the loop's when no other thread executes a part of it. Frames
 * between the failure and the guard are left without destructors. */
int lispier_rt_guard(void (*body)(void *argument), void *argument, char *message, size_t size);

/* Ends the calls of exported functions that are running, on whichever threads, at the next loop that looks: those
 * return
 * 2. Signal handlers may call it. Without such a call it does nothing. */
void lispier_rt_interrupt(void);
/* Not 0 while calls are to end. Loops of a library's code look at it, and then call the first function, which does not
 * return; the runtime's call the second one, which returns if this thread executes no such call. */
extern int32_t lispier_rt_interrupt_flag;
void lispier_rt_end_interrupted(void);
void lispier_rt_check_interrupt(void);
/* From now on SIGINT (Ctrl-C) is such an interrupt, and then what the host does with it; nothing changes if the host
 * ignores it. A host that ends at the signal does so only if no call is running. Call it again when the host has set
 * another handler. */
void lispier_rt_catch_interrupts(void);

/* Milliseconds of a monotonic clock with an arbitrary origin. */
int64_t clock_ms(void);

/* From now on the first SIGINT (Ctrl-C) is only noted, and the program goes on; the second one ends it. */
void lispier_catch_interrupt(void);
/* Whether there was one. */
int32_t lispier_interrupted(void);

#ifdef __cplusplus
}
#endif
#endif
