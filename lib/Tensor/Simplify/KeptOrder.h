//===- KeptOrder.h - what tensor ops are not moved across ------*- C++ -*-===//
//
// Tensor ops have no effects, so that fusion may move them to where their result is
// used. Two things it leaves in the order of the program: a read of memory and what
// overwrites that memory, since the tensor would have to be copied; and work and calls
// that do more than to access memory, such as clocks and prints.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_TENSOR_SIMPLIFY_KEPTORDER_H
#define LISPIER_LIB_TENSOR_SIMPLIFY_KEPTORDER_H

#include "lispier/Group/MemoryAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace lispier {
/// Of a function, while ops of tensors are created, erased and moved: no other ops are.
class KeptOrder {
public:
  explicit KeptOrder(mlir::FunctionOpInterface function);

  /// Visits the ops before `op` that read a tensor, or a view of it, whose memory `op` takes for its result or writes:
  /// the target of an insertion, the initial value of a loop, the memref that a tensor was read of.
  void forEachReaderBefore(mlir::Operation *op, llvm::function_ref<void(mlir::Operation *)> visit) const;

  /// Whether the op, or one in it, is a call that does more than to access memory.
  bool hasEffects(mlir::Operation *op) const { return calling.contains(op); }

  /// Whether the op may take the place of `end`, which is behind it in its block.
  bool mayMoveBefore(mlir::Operation *op, mlir::Operation *end) const;
  /// Whether an op between the two overwrites what `reader` reads.
  bool isOverwrittenBetween(mlir::Operation *reader, mlir::Operation *end) const;

private:
  llvm::SmallPtrSet<mlir::Operation *, 8> calling;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value>> overwritten; ///< Tensors, of which memory is read.
};

/// Whether the op computes what takes time, or has such ops in its regions. Copies and few additions an element do not
/// count: they are part of the kernels that use them.
bool isTensorWork(mlir::Operation *op);

/// Marks the calls, other than those of functions that compute with numbers and memory alone, for KeptOrder: it sees
/// one function.
void markCallsWithEffects(mlir::ModuleOp module);
} // namespace lispier
#endif
