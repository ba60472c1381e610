//===- RingProducts.h - what stays out of a ring product's kernel -*- C++ -*-===//
#ifndef LISPIER_LIB_TENSOR_GROUPS_RINGPRODUCTS_H
#define LISPIER_LIB_TENSOR_GROUPS_RINGPRODUCTS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace lispier {
/// For targets that multiply by rings: marks elementwise ops on a large product's result that its kernel cannot have
/// beside a ring, and of which it has to store only 16 bits an element. The rounding becomes an op of its own.
void leaveRingsAlone(mlir::Block &block, mlir::IRRewriter &rewriter);

/// Whether the op is one of these.
bool isBehindRing(mlir::Operation *op);
/// Removes the mark.
void forgetRing(mlir::Operation *op);
} // namespace lispier
#endif
