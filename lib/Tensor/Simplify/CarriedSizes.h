//===- CarriedSizes.h - sizes of tensors that loops carry ------*- C++ -*-===//
//
// Before: a loop carries a tensor without sizes in its type, such as a model whose
// weights each step changes. After: it has those of the first value, where each next
// value is known to have the sizes of the one before.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_TENSOR_SIMPLIFY_CARRIEDSIZES_H
#define LISPIER_LIB_TENSOR_SIMPLIFY_CARRIEDSIZES_H

#include "lispier/Buffers/OuterSizes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace lispier {
/// The tensor's type with all sizes that are known to be numbers.
mlir::RankedTensorType knownType(mlir::Value tensor, OuterSizes &sizes);

/// Of all loops of the function. Returns whether a type has changed.
bool sharpenCarriedSizes(mlir::func::FuncOp function);
} // namespace lispier
#endif
