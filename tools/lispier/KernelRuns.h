//===- KernelRuns.h - times of kernels that --explain lists -----*- C++ -*-===//
#ifndef LISPIER_TOOLS_LISPIER_KERNELRUNS_H
#define LISPIER_TOOLS_LISPIER_KERNELRUNS_H

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

struct lispier_rt_bar;

/// Collects, from its construction on, how long each run of a kernel takes (Runtime/Core/KernelTimes.h) in a program
/// that was compiled with --explain and --trace. One at a time.
class KernelRuns {
public:
  KernelRuns();
  KernelRuns(const KernelRuns &) = delete;
  ~KernelRuns();

  /// Waits for the device, and prints a line for each kernel that was run, in the order of their first runs.
  void print(llvm::raw_ostream &os);

private:
  struct Run {
    double microseconds, least; ///< `least`: as predicted, or 0.
    int64_t bytes;              ///< Or -1.
  };
  static void add(void *context, const lispier_rt_bar *bar);
  static void printLine(llvm::raw_ostream &os, llvm::StringRef name, const std::vector<Run> &runs);

  llvm::StringMap<std::vector<Run>> kernels;
  std::vector<llvm::StringRef> names; ///< In the order of first runs.
};
#endif
