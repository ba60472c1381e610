//===- GroupNorm.h - groups that normalise rows ----------------*- C++ -*-===//
#ifndef LISPIER_LIB_TENSOR_KERNELS_GROUPNORM_H
#define LISPIER_LIB_TENSOR_KERNELS_GROUPNORM_H

#include "lispier/Group/Group.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace lispier {
/// A normalisation that a group computes, of operands in memory.
struct GroupNorm {
  mlir::Value x, weight, bias; ///< No bias: an RMS norm.
  double epsilon;
  mlir::Value epsilonValue; ///< Null if epsilon is a constant.

  /// An f32; a constant is made at the insertion point.
  mlir::Value epsilonIn(mlir::OpBuilder &b, mlir::Location loc) const;
};

/// Nullopt if the kernel is null, or computes something else.
std::optional<GroupNorm> groupNormOf(group::KernelOp kernel);

/// The kernel that computes the product's input x, if nothing but these products, which are in one block, and the
/// kernel's own group uses its result, and the memory of that.
std::pair<group::KernelOp, mlir::memref::AllocOp> producerOf(mlir::Value x, llvm::ArrayRef<mlir::Operation *> products);
} // namespace lispier
#endif
