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
  /// Whether an implementation fits an op with these operands. Not asked for nn.attention without a rotation.
  std::function<bool(const kernels::Request &)> has;
  /// Whether kernels run on a GPU: a launch costs time there, and generated row kernels are as fast.
  bool onGpu = false;
  /// Whether generated products of BF16 have tiles of 128 x 256, which hand-written kernels do not have.
  bool hasWideTiles = false;
};

/// Creates lispier-match-kernels, which makes nn.attention wherever that can compute a group, and other nn ops where
/// `choice` has an implementation that the pass takes to be faster than a generated kernel. Null counts as a choice
/// that has an implementation of every op, with `onGpu` and `hasWideTiles` as the pass's options say.
std::unique_ptr<mlir::Pass> createMatchKernels(std::shared_ptr<const KernelChoice> choice);
} // namespace lispier
#endif
