//===- KernelSource.h - where kernel implementations come from -*- C++ -*-===//
#ifndef LISPIER_KERNELS_KERNELSOURCE_H
#define LISPIER_KERNELS_KERNELSOURCE_H

#include "lispier/Kernels/KernelIndex.h"
#include "mlir/IR/OwningOpRef.h"

namespace lispier {
/// A library of kernel implementations, as two passes need it: lispier-match-kernels asks for heads and numbers,
/// lispier-add-kernels also for bodies. It is for one target, and is called by one thread at a time. Errors in the
/// library are reported, once, where it is read.
class KernelSource {
public:
  virtual ~KernelSource();

  /// The target that the implementations are for.
  virtual kernels::Machine machine() const = 0;
  /// The heads, in the order in which selection considers them; none after an error. Their number and order stay.
  virtual llvm::ArrayRef<kernels::Implementation> heads() = 0;
  /// Numbers found by measurement (tuning.lisp); empty if the target has no such key.
  virtual std::vector<int64_t> tuning(llvm::StringRef key) = 0;
  /// A module with what the implementations whose index is set in `chosen` need: for each of them, in order, a function
  /// with template attributes. Sets `leavesOp` of their heads. Null after an error. Loads no dialect that the library
  /// has not loaded before: it is called while passes run.
  virtual mlir::OwningOpRef<mlir::ModuleOp> bodies(const llvm::BitVector &chosen) = 0;

  /// The number of results from which on a product is a wide one (GroupKinds.h): alone, or with what follows it; 0:
  /// none is.
  int64_t wideProduct();
  int64_t wideFinishedProduct();
  /// Of causal attention that is wide (GroupKinds.h): the least number of tokens of all heads, and the least and the
  /// greatest size of a head; nothing: none is.
  llvm::SmallVector<int64_t, 3> wideAttention();
  /// The names of the kinds of groups that it has implementations for.
  llvm::SmallVector<std::string> groupKinds();
};
} // namespace lispier
#endif
