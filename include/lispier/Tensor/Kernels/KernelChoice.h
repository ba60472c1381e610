//===- KernelChoice.h - which hand-written kernels may be used -*- C++ -*-===//
#ifndef LISPIER_TENSOR_KERNELS_KERNELCHOICE_H
#define LISPIER_TENSOR_KERNELS_KERNELCHOICE_H

#include "lispier/Kernels/KernelIndex.h"
#include "mlir/Pass/Pass.h"
#include <functional>
#include <memory>

namespace lispier {
/// Which groups have a hand-written kernel for the target, by the kernel index.
struct KernelChoice {
  /// Whether the index has an implementation for this kind of group, which `Request::group` is, with these operands.
  /// `group` is the group.kernel, or the op that has replaced it.
  std::function<bool(const kernels::Request &, mlir::Operation *group)> has;
  /// Returns the number of results from which on a product is a wide one (GroupKinds.h); 0: none is.
  std::function<int64_t()> wideProduct;
  /// Of the GPU that kernels run on, so that the host cannot read what they read; 0: they run on the CPU.
  int64_t multiprocessors = 0;
  bool onGpu() const { return multiprocessors > 0; }
  /// For a pipeline that is printed, in which only options stand for the index: the kinds of groups that it has
  /// implementations for. Else empty.
  llvm::SmallVector<std::string> groups;
};

/// Creates lispier-match-kernels, which makes nn ops of groups that they compute, where `choice` has an implementation.
/// Null counts as a choice that has one for all operands, with everything else as the pass's options say.
std::unique_ptr<mlir::Pass> createMatchKernels(std::shared_ptr<const KernelChoice> choice);
} // namespace lispier
#endif
