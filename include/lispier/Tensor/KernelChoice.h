//===- KernelChoice.h - which hand-written kernels may be used -*- C++ -*-===//
#ifndef LISPIER_TENSOR_KERNELCHOICE_H
#define LISPIER_TENSOR_KERNELCHOICE_H

#include "lispier/Kernels/KernelIndex.h"
#include "mlir/Pass/Pass.h"
#include <functional>
#include <memory>

namespace lispier {
/// Which nn ops have a kernel implementation for the target, by the kernel index.
struct KernelChoice {
  /// Whether an implementation fits an op with these operands.
  std::function<bool(const kernels::Request &)> has;
  /// Whether kernels run on a GPU: a launch costs time there, and generated row kernels are as fast.
  bool onGpu = false;
  /// Whether generated products of BF16 have tiles of 128 x 256, which hand-written kernels do not have.
  bool hasWideTiles = false;
};

/// Creates lispier-match-kernels, which makes nn ops only where `choice` has an implementation; with null, everywhere.
std::unique_ptr<mlir::Pass> createMatchKernels(std::shared_ptr<const KernelChoice> choice);
} // namespace lispier
#endif
