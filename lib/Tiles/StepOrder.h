//===- StepOrder.h - when a step of a loop multiplies ----------*- C++ -*-===//
#ifndef LISPIER_LIB_TILES_STEPORDER_H
#define LISPIER_LIB_TILES_STEPORDER_H

#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace lispier {
/// Products of one loop, in its order.
using StepProducts = llvm::ArrayRef<mlir::vector::ContractionOp>;

/// Whether some product needs another one of the same step.
bool isChain(StepProducts products);
/// Whether groups of four warps take turns to begin the products of a step.
bool takesTurns(StepProducts products, int64_t groups);
/// The ops of the step, all products one after the other behind what they are made of.
llvm::SmallVector<mlir::Operation *> productsFirst(StepProducts products);
/// Of a chain, moves the products that need no other one to the beginning of the step, what it reads from memory itself
/// behind them, and the products that do need others to its end: the first ones run beside each other and the reads,
/// and what is made of them is not kept while the threads wait for others.
void orderChain(StepProducts products);
} // namespace lispier
#endif
