//===- CarriedTensors.h - loops that carry one buffer -----------*- C++ -*-===//
#ifndef LISPIER_LIB_TENSOR_GROUPS_CARRIEDTENSORS_H
#define LISPIER_LIB_TENSOR_GROUPS_CARRIEDTENSORS_H

#include "Simplify/KeptOrder.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace lispier {
/// Lets kernels in the body of a loop, of scf.for or after the condition of scf.while, overwrite what the loop carries,
/// such as the residual stream of layers. An operand becomes the destination of a result if the op that computes it
/// reads only the same element of the operand, and no later op reads it. The loop then carries one buffer, rather than
/// a new one from each iteration. Does nothing in other blocks.
void overwriteCarried(mlir::Block &body, const KeptOrder &order, mlir::IRRewriter &rewriter);

/// Lets a loop over the slices of a tensor begin with a tensor.empty in place of a fill, if it carries the tensor,
/// writes each slice whole and reads none.
void beginWithoutFills(mlir::scf::ForOp loop, mlir::IRRewriter &rewriter);
} // namespace lispier
#endif
