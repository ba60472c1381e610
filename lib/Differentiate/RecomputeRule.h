//===- RecomputeRule.h - what a gradient computes again --------*- C++ -*-===//
#ifndef LISPIER_LIB_DIFFERENTIATE_RECOMPUTERULE_H
#define LISPIER_LIB_DIFFERENTIATE_RECOMPUTERULE_H

#include "Reverse.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace lispier {
/// Copies the ops of a block but its terminator, and those of grad.recompute in its place. What has no value, such as
/// checks, which the forward pass makes, and printing, is left out.
llvm::SmallVector<mlir::Operation *> copyForAdjoint(mlir::OpBuilder &b, mlir::Block &block, mlir::IRMapping &mapping);

/// Replaces each grad.recompute by its region.
void inlineRecomputed(mlir::Operation *root);

/// Moves the loop's body into a loop of `every` iterations in a loop over these, which keeps what it carries only, and
/// returns that. The loop is left without a body.
mlir::scf::ForOp splitLoop(mlir::scf::ForOp loop, int64_t every);
} // namespace lispier
#endif
