//===- KernelRuns.cpp - times of kernels that --explain lists -------------===//
#include "KernelRuns.h"
#include "lispier/Runtime/Core/KernelTimes.h"
#include "lispier/Runtime/Core/Trace.h"
#include "lispier/Runtime/Device/DeviceProgram.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include <algorithm>

using namespace llvm;

KernelRuns::KernelRuns() { lispier_rt_trace_observe(add, this); }

KernelRuns::~KernelRuns() { lispier_rt_trace_observe(nullptr, nullptr); }

void KernelRuns::add(void *context, const lispier_rt_bar *bar) {
  if (StringRef(bar->kind) != lispier::runtime::kKernelRun)
    return;
  auto &all = *static_cast<KernelRuns *>(context);
  auto [kernel, isNew] = all.kernels.try_emplace(bar->name);
  if (isNew)
    all.names.push_back(kernel->getKey());
  kernel->second.push_back({(bar->end - bar->begin) * 1e-3, bar->least, bar->bytes});
}

namespace {
double medianOf(std::vector<double> numbers) {
  auto middle = numbers.begin() + numbers.size() / 2;
  std::nth_element(numbers.begin(), middle, numbers.end());
  return *middle;
}

std::string text(const char *how, double number) {
  std::string result;
  raw_string_ostream(result) << format(how, number);
  return result;
}
} // namespace

/// Medians, since the first run may compile code, or touch memory for the first time.
void KernelRuns::printLine(raw_ostream &os, StringRef name, const std::vector<Run> &runs) {
  double total = 0;
  std::vector<double> times, least, rates, shares;
  for (const Run &run : runs) {
    double microseconds = std::max(run.microseconds, 1e-3); // The clock's resolution.
    total += microseconds;
    times.push_back(microseconds);
    if (run.bytes >= 0)
      rates.push_back(run.bytes / microseconds * 1e-3);
    if (run.least > 0) {
      least.push_back(run.least);
      shares.push_back(100 * run.least / microseconds);
    }
  }
  os << "  " << name << ": " << runs.size() << (runs.size() == 1 ? " run, " : " runs, ") << text("%.4g", total)
     << " us in all";
  if (runs.size() > 1)
    os << ", " << text("%.4g", medianOf(times)) << " us each";
  if (!rates.empty())
    os << ", " << text("%.3g", medianOf(rates)) << " GB/s";
  if (!shares.empty())
    os << "; at least " << text("%.3g", medianOf(least)) << " us, " << text("%.3g", medianOf(shares))
       << " % of the device's limit";
  os << '\n';
}

void KernelRuns::print(raw_ostream &os) {
  lispier_rt_device_wait("the end of the program");
  lispier_rt_trace_observe(nullptr, nullptr);
  os << (names.empty() ? "no kernel was run\n" : "kernels as they were run (medians of the runs):\n");
  for (StringRef name : names)
    printLine(os, name, kernels[name]);
}
