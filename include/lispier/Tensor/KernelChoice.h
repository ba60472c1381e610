//===- KernelChoice.h - which hand-written kernels may be used -*- C++ -*-===//
#ifndef LISPIER_TENSOR_KERNELCHOICE_H
#define LISPIER_TENSOR_KERNELCHOICE_H

#include "lispier/Kernels/KernelIndex.h"
#include "mlir/Pass/Pass.h"
#include <functional>
#include <memory>

namespace lispier {
/// What the kernel index has for the target.
struct KernelChoice {
  /// Whether an implementation fits an nn op with these operands.
  std::function<bool(const kernels::Request &)> has;
  /// Whether kernels run on a GPU: a launch costs time there, and generated row kernels are as fast.
  bool onGpu = false;
};

/// lispier-match-kernels for a target. Without it, the pass takes any kernel that could be.
std::unique_ptr<mlir::Pass> createMatchKernels(std::shared_ptr<const KernelChoice> choice);
} // namespace lispier
#endif
