//===- KernelChoice.h - which hand-written kernels may be used -*- C++ -*-===//
#ifndef LISPIER_LIB_TENSOR_KERNELS_KERNELCHOICE_H
#define LISPIER_LIB_TENSOR_KERNELS_KERNELCHOICE_H

#include "lispier/Group/Group.h"
#include "lispier/Kernels/KernelSource.h"
#include "lispier/Tensor/Passes.h"

namespace lispier {
/// Which groups of a program have a hand-written kernel: of a library, or, without one, as the pass's options say.
class KernelChoice {
public:
  KernelChoice(mlir::ModuleOp program, KernelSource *source, const MatchKernelsOptions &options)
      : multiprocessors(options.multiprocessors), program(program), source(source), options(options) {}

  /// Whether there is an implementation for this kind of group with operands of these types, null for absent ones.
  /// `group` is the group.kernel, or the op that has replaced it.
  bool has(nn::GroupKind kind, llvm::ArrayRef<mlir::Type> operands, mlir::Operation *group);
  bool has(nn::GroupKind kind, llvm::ArrayRef<mlir::Value> operands, mlir::Operation *group);
  /// For the op, which computes the group.
  bool has(nn::GroupKind kind, mlir::Operation *op, mlir::Operation *group) {
    return has(kind, kernels::requestOf(op, /*final=*/true)->operands, group);
  }
  /// Returns the number of results from which on a product is a wide one (GroupKinds.h), alone or with what follows it;
  /// 0: none is.
  int64_t wideProduct(bool isAlone);
  /// Returns the least number of tokens of all heads, and the least and the greatest size of a head, of wide attention
  /// (GroupKinds.h); nothing: none is.
  llvm::SmallVector<int64_t, 3> wideAttention();

  /// Of the GPU that kernels run on, so that the host cannot read what they read; 0: they run on the CPU.
  const int64_t multiprocessors;
  bool onGpu() const { return multiprocessors > 0; }

private:
  mlir::ModuleOp program;
  KernelSource *source;
  MatchKernelsOptions options;
  /// Heads of the program and, after them, of the library, as selection considers them. Read for the first group.
  std::optional<std::vector<kernels::Implementation>> index;
};

/// Names the op as the group that it replaces is named, for --explain.
void keepName(mlir::Operation *op, group::KernelOp group);
} // namespace lispier
#endif
