/*===- KernelTimes.h - times of kernels of tensor ops ------------*- C -*-===*\
|*                                                                          *|
|* Called around the code of each kernel that --explain lists, by programs  *|
|* that were compiled with --explain and --trace. Each run of a kernel is a *|
|* trace event (Trace.h) of kind "kernel run", with its name: on the device *|
|* from the first work that the code puts into its queue to the end of the  *|
|* last, or on the host if the device has no part in it. Nothing happens    *|
|* unless the process traces.                                               *|
|*                                                                          *|
\*===----------------------------------------------------------------------===*/
#ifndef LISPIER_RUNTIME_KERNELTIMES_H
#define LISPIER_RUNTIME_KERNELTIMES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Begins a run of the kernel `name` on this thread. It reads and writes `bytes` bytes, and takes at least `least`
 * microseconds; -1 and 0 are unknown. The name must stay until lispier_rt_kernel_end. Kernels do not nest. */
void lispier_rt_kernel_begin(const char *name, int64_t bytes, double least);
void lispier_rt_kernel_end(void);

#ifdef __cplusplus
}

namespace lispier::runtime {
inline constexpr const char kKernelRun[] = "kernel run";

/// A run of a kernel, from its begin to its end.
struct KernelRun {
  const char *name; ///< Null: no kernel is open.
  int64_t bytes;
  double least;
  int64_t number; ///< Differs from that of any other run; from 1 on.
  int64_t begin;
  bool onDevice; ///< Set by a device that measures it, which then writes the event.
};
/// The run that is open on this thread; null if none is, and if the process does not trace.
KernelRun *openKernelRun();

/// During its lifetime no run is open on this thread: for work that is not the kernel's.
class KernelRunPause {
public:
  KernelRunPause() : run(openKernelRun()), paused(run ? *run : KernelRun{}) {
    if (run)
      *run = KernelRun{};
  }
  KernelRunPause(const KernelRunPause &) = delete;
  ~KernelRunPause() {
    if (run)
      *run = paused;
  }

private:
  KernelRun *run, paused;
};
} // namespace lispier::runtime
#endif
#endif
