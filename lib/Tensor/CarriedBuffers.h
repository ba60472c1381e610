//===- CarriedBuffers.h - loops whose values have fixed places -*- C++ -*-===//
#ifndef LISPIER_LIB_TENSOR_CARRIEDBUFFERS_H
#define LISPIER_LIB_TENSOR_CARRIEDBUFFERS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"

namespace lispier {
/// Where each iteration of a loop allocates the memory of the next value, of a size that does not change: lets the loop
/// exchange buffers that are allocated before it. `isOwn` says which allocations are the compiler's.
void exchangeCarriedBuffers(mlir::func::FuncOp function, mlir::RewriterBase &rewriter,
                            llvm::function_ref<bool(mlir::Operation *)> isOwn);

/// The same for loops that begin with a condition (scf.while), which also stop to copy what they carry.
void keepWhileBuffers(mlir::func::FuncOp function, mlir::RewriterBase &rewriter,
                      llvm::function_ref<bool(mlir::Operation *)> isOwn);
} // namespace lispier
#endif
