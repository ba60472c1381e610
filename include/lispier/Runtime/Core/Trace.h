/*===- Trace.h - what a process did, and when --------------------*- C -*-===*\
|*                                                                          *|
|* A chrome trace (JSON; ui.perfetto.dev opens it): one bar for each thing  *|
|* that took time, on the thread that did it or on the device. The file is  *|
|* the one that lispier_rt_trace_to or LISPIER_TRACE names, and whole when  *|
|* the process has ended. Without one of them, tracing costs a comparison.  *|
|*                                                                          *|
\*===----------------------------------------------------------------------===*/
#ifndef LISPIER_RUNTIME_TRACE_H
#define LISPIER_RUNTIME_TRACE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Traces to this file from here on. False: it cannot be written, or another one is. */
int lispier_rt_trace_to(const char *path);
int lispier_rt_tracing(void);
/* Nanoseconds of a clock that never goes back: the time in a trace. */
int64_t lispier_rt_trace_clock(void);

/* `name` says what, `kind` groups bars of a kind. `site`, the place in the source, may be null; `bytes` is left out
 * when it is negative. The rest is filled in by the functions below. */
struct lispier_rt_bar {
  const char *kind, *name, *site;
  int64_t bytes;
  int64_t begin, end, thread;
  struct lispier_rt_bar *previous, *next;
};
/* From one to the other, on this thread; a bar that is not over when the process ends, ends with it. The bar and its
 * texts stay where they are in between. */
void lispier_rt_trace_begin(struct lispier_rt_bar *bar);
void lispier_rt_trace_end(struct lispier_rt_bar *bar);
/* From `begin` to `end`, on this thread or in the queue of the device. */
void lispier_rt_trace_bar(const struct lispier_rt_bar *bar, int on_device);
/* What the process has done is on the disk, for one that ends without exit(). 0, after a message: it could not be
 * written. */
int lispier_rt_trace_close(void);

#ifdef __cplusplus
}

namespace lispier::runtime {
/// A bar from its construction to its end, on this thread.
class TraceSpan {
public:
  explicit TraceSpan(const char *kind, const char *name, const char *site = nullptr, int64_t bytes = -1)
      : traced(lispier_rt_tracing()), bar{kind, name, site, bytes, 0, 0, 0, nullptr, nullptr} {
    if (traced)
      lispier_rt_trace_begin(&bar);
  }
  TraceSpan(const TraceSpan &) = delete;
  TraceSpan &operator=(const TraceSpan &) = delete;
  ~TraceSpan() {
    if (traced)
      lispier_rt_trace_end(&bar);
  }

private:
  bool traced;
  lispier_rt_bar bar;
};
} // namespace lispier::runtime
#endif
#endif
