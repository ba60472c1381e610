//===- Overwrites.h - ops that may take an operand's memory ----*- C++ -*-===//
//
// A tensor that is read after an op has overwritten it would have to be copied. So
// fusion moves no read of the tensor behind that op.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_TENSOR_OVERWRITES_H
#define LISPIER_LIB_TENSOR_OVERWRITES_H

#include "mlir/IR/Operation.h"

namespace lispier {
/// Visits the ops before `op` that read a tensor, or a view of it, whose memory `op` takes for its result: the target
/// of an insertion, the initial value of a loop, the memref that a tensor is written to.
void forEachReaderBefore(mlir::Operation *op, llvm::function_ref<void(mlir::Operation *)> visit);

/// Whether an op between the two, which are in one block, overwrites what `reader` reads.
bool isOverwrittenBetween(mlir::Operation *reader, mlir::Operation *end);
} // namespace lispier
#endif
