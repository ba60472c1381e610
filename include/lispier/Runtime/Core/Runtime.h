/*===- Runtime.h - what compiled programs call -------------------*- C -*-===*\
|*                                                                          *|
|* The C interface of the runtime: threads, memory, clock. Usable from C.   *|
|* The print family and the float helpers have the names that MLIR's and    *|
|* LLVM's lowerings emit, and are declared by those; README.md lists them.  *|
|*                                                                          *|
\*===----------------------------------------------------------------------===*/
#ifndef LISPIER_RUNTIME_RUNTIME_H
#define LISPIER_RUNTIME_RUNTIME_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Calls body(context, begin, end) for disjoint ranges that together are [0, n), on up to lispier_rt_threads()
 * threads, and returns when all are done. Every begin is a multiple of `grain` (at least 1), so no range but the last
 * is shorter than it. Which ranges there are depends on the number of threads: a body must not let its results depend
 * on them. Inside a body, and while another thread is in here, it calls body(context, 0, n) on the spot. */
void lispier_rt_parallel_for(void (*body)(void *context, int64_t begin, int64_t end), void *context, int64_t n,
                             int64_t grain);

/* Threads that work on one parallel_for, the caller among them: LISPIER_THREADS, else the processors that this process
 * may use. At least 1; constant from the first call on. */
int64_t lispier_rt_threads(void);

/* Uninitialised memory at an address that is a multiple of 64; from 2 MiB on, of 2 MiB, and huge pages are asked for.
 * Release with lispier_rt_free or free. Null when there is none or `bytes` is negative. */
void *lispier_rt_try_alloc(int64_t bytes);
/* The same for memref.alloc, which has no way to fail: without memory it says so on stderr and exits with status 1. */
void *lispier_rt_alloc(int64_t bytes);
void lispier_rt_free(void *pointer);

/* For the start of an executable. `features` is LLVM's list, "+avx2,+fma,-avx512f": of those with a plus, the first
 * that this processor or operating system lacks, as a static string; null when it can run the program. Names that say
 * nothing about hardware (tuning) and names not known here pass. Asking about a feature of AMX also asks the operating
 * system to let this process use it; without that its first instruction is illegal. */
const char *lispier_rt_missing_cpu_feature(const char *features);
/* The same; when one is missing, says so on stderr and exits with status 1. */
void lispier_rt_require_cpu(const char *features);

/* For programs built for one target: ends the process, with status 1 and a message, when LISPIER_TARGET names none. */
void lispier_rt_check_target_wish(void);

/* Says the message and the place, "file:line:column", on stderr after all that was printed, and exits with status 1. */
void lispier_rt_assertion_failed(const char *message, const char *site);

/* What compiled code says before it would do what cannot be done; each ends the program with status 1. `code` is the
 * error's, "cpu-division", and `site` "file:line:column".
 * A division that fails as `what` says, in a function of the program. */
void lispier_rt_division_failed(const char *code, const char *site, const char *what, const char *function);
/* Memory of `rank` sizes, of which one is negative, or that are too many together. */
void lispier_rt_allocation_failed(const char *code, const char *site, int64_t rank, const int64_t *sizes,
                                  int64_t elementBytes);
/* A copy between memory of two shapes. */
void lispier_rt_copy_failed(const char *code, const char *site, int64_t rank, const int64_t *from, const int64_t *to);

/* Prints the message on stderr, after all that was printed, and exits with status 1. A message is lines of
 * "file:line:column: error[code]: text" or "...: note: text" or "note: text". */
void lispier_rt_fail(const char *message);
/* From now on lispier_rt_fail prints what `explain` makes of a message, for a host that knows the sources. Null: the
 * message itself. */
typedef const char *(*LispierExplain)(void *context, const char *message);
void lispier_rt_explain_with(LispierExplain explain, void *context);

/* Milliseconds of a clock that never goes back; only differences mean something. */
int64_t clock_ms(void);

#ifdef __cplusplus
}
#endif
#endif
