//===- WrittenTensors.h - kernels that write where their result goes -*- C++ -*-===//
#ifndef LISPIER_LIB_TENSOR_GROUPS_WRITTENTENSORS_H
#define LISPIER_LIB_TENSOR_GROUPS_WRITTENTENSORS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"

namespace lispier {
/// Lets kernels make what is inserted into a tensor, or is the last value of an argument with group.inout, in that
/// memory, where bufferization would copy: a kernel that reads it needs each element for the same element only, as
/// `(update w (* 0.9 w) [0 0])` does, and nothing else reads the old numbers from there on.
void writeInPlace(mlir::func::FuncOp function, mlir::IRRewriter &rewriter);
} // namespace lispier
#endif
