//===- CarriedBuffers.h - loops whose values have fixed places -*- C++ -*-===//
#ifndef LISPIER_LIB_BUFFERS_CARRIEDBUFFERS_H
#define LISPIER_LIB_BUFFERS_CARRIEDBUFFERS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"

namespace lispier {
class OuterSizes;

/// Allocates buffers like `alloc`, which is in a loop, at the insertion point before the loop; none if its sizes are
/// not known there.
llvm::SmallVector<mlir::Value> allocateOutside(mlir::memref::AllocOp alloc, size_t count, OuterSizes &sizes,
                                               mlir::RewriterBase &rewriter);

/// Where each iteration of a loop allocates the memory of the next value, of a size that does not change: lets the loop
/// exchange buffers that are allocated before it. `isOwn` says which allocations are the compiler's.
void exchangeCarriedBuffers(mlir::func::FuncOp function, mlir::RewriterBase &rewriter,
                            llvm::function_ref<bool(mlir::Operation *)> isOwn);

/// The same for loops that begin with a condition (scf.while), which also stop to copy what they carry.
void keepWhileBuffers(mlir::func::FuncOp function, mlir::RewriterBase &rewriter,
                      llvm::function_ref<bool(mlir::Operation *)> isOwn);
} // namespace lispier
#endif
