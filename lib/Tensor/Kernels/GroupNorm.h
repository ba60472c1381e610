//===- GroupNorm.h - groups that normalise rows ----------------*- C++ -*-===//
#ifndef LISPIER_LIB_TENSOR_KERNELS_GROUPNORM_H
#define LISPIER_LIB_TENSOR_KERNELS_GROUPNORM_H

#include "Formulas/NormFormula.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace lispier {
/// The norm that a group computes, of memory instead of tensors. Nullopt if the kernel is null, or computes something
/// else.
std::optional<NormFormula> groupNormOf(group::KernelOp kernel);

/// Its epsilon, an f32; a constant is made at the insertion point.
mlir::Value epsilonOf(const NormFormula &norm, mlir::OpBuilder &b, mlir::Location loc);

/// The kernel that computes the product's input x, if nothing but these products, which are in one block, and the
/// kernel's own group uses its result, and the memory of that.
std::pair<group::KernelOp, mlir::memref::AllocOp> producerOf(mlir::Value x, llvm::ArrayRef<mlir::Operation *> products);
} // namespace lispier
#endif
