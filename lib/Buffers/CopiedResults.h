//===- CopiedResults.h - kernels that write where their result is copied -*- C++ -*-===//
#ifndef LISPIER_LIB_BUFFERS_COPIEDRESULTS_H
#define LISPIER_LIB_BUFFERS_COPIEDRESULTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"

namespace lispier {
/// Lets kernels make a result where it is copied to, also as a reshape of it: in a part of a joined tensor, a slice of
/// a stack or an argument. The memory must be there before the first kernel that uses the result, and nothing may
/// access it from there to the copy, nor write it while the result is in use. `isOwn`: whether an allocation is a
/// tensor's.
void makeWhereCopied(mlir::func::FuncOp function, mlir::RewriterBase &rewriter,
                     llvm::function_ref<bool(mlir::Operation *)> isOwn);
} // namespace lispier
#endif
