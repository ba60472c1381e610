//===- KernelTimes.cpp - times of kernels of tensor ops -------------------===//
#include "lispier/Runtime/Core/KernelTimes.h"
#include "lispier/Runtime/Core/Trace.h"
#include <atomic>

namespace lispier::runtime {
static thread_local KernelRun current;
static std::atomic<int64_t> runs{0};

KernelRun *openKernelRun() { return current.name ? &current : nullptr; }
} // namespace lispier::runtime

using namespace lispier::runtime;

void lispier_rt_kernel_begin(const char *name, int64_t bytes, double least) {
  if (lispier_rt_tracing())
    current = {name, bytes, least, ++runs, lispier_rt_trace_clock(), /*onDevice=*/false};
}

void lispier_rt_kernel_end(void) {
  KernelRun ended = current;
  current = KernelRun{};
  if (!ended.name || ended.onDevice)
    return;
  lispier_rt_bar bar{kKernelRun, ended.name, nullptr, ended.bytes, ended.begin, lispier_rt_trace_clock(),
                     0,          nullptr,    nullptr, ended.least};
  lispier_rt_trace_bar(&bar, /*onDevice=*/false);
}
