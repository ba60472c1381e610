/*===- Trace.h - trace events of a process -----------------------*- C -*-===*\
|*                                                                          *|
|* Writes a Chrome trace (JSON, for ui.perfetto.dev): one complete event,   *|
|* a "bar", for each timed activity, on its thread or on the device's row.  *|
|* lispier_rt_trace_to or LISPIER_TRACE names the file, which is complete   *|
|* when the process has exited. Disabled tracing costs one comparison. Any  *|
|* thread may call these functions.                                         *|
|*                                                                          *|
\*===----------------------------------------------------------------------===*/
#ifndef LISPIER_RUNTIME_TRACE_H
#define LISPIER_RUNTIME_TRACE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Starts tracing to this file, or, in a rank of several, to one with its number in the name. Returns 0 if it cannot be
 * written or a trace is open already. */
int lispier_rt_trace_to(const char *path);
/* Whether events go to a file or an observer; reads LISPIER_TRACE on the first call. */
int lispier_rt_tracing(void);
/* Time stamp for traces: nanoseconds of a monotonic clock. */
int64_t lispier_rt_trace_clock(void);

/* One trace event. `kind` is its category, `name` its label; `site` is a source location or null; `bytes` is omitted if
 * negative. `least` is the predicted time in microseconds, omitted if 0. The functions below fill in the other
 * fields. */
struct lispier_rt_bar {
  const char *kind, *name, *site;
  int64_t bytes;
  int64_t begin, end, thread;
  struct lispier_rt_bar *previous, *next;
  double least;
};
/* Begin and end an event on this thread. An event still open when the process exits ends then. The bar and its strings
 * must stay valid and in place between the two calls. */
void lispier_rt_trace_begin(struct lispier_rt_bar *bar);
void lispier_rt_trace_end(struct lispier_rt_bar *bar);
/* Writes an event from bar->begin to bar->end, on this thread's row or on the device's. */
void lispier_rt_trace_bar(const struct lispier_rt_bar *bar, int on_device);
/* Passes each event also to `observer`, without a file too; null ends that. One observer at a time. It is called under
 * a lock, so that it must not call these functions. */
void lispier_rt_trace_observe(void (*observer)(void *context, const struct lispier_rt_bar *bar), void *context);
/* Writes all finished and open events to disk, for a process that ends without exit(). Returns 0, after a message on
 * stderr, if the file could not be written. */
int lispier_rt_trace_close(void);

#ifdef __cplusplus
}

namespace lispier::runtime {
/// Traces its own lifetime as one event on this thread.
class TraceSpan {
public:
  explicit TraceSpan(const char *kind, const char *name, const char *site = nullptr, int64_t bytes = -1)
      : traced(lispier_rt_tracing()), bar{kind, name, site, bytes, 0, 0, 0, nullptr, nullptr, 0} {
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
