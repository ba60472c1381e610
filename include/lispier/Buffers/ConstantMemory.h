//===- ConstantMemory.h - memory that no kernel writes ---------*- C++ -*-===//
#ifndef LISPIER_BUFFERS_CONSTANTMEMORY_H
#define LISPIER_BUFFERS_CONSTANTMEMORY_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace lispier {
/// Answers for host code of a module, while it does not change.
class ConstantMemory {
public:
  explicit ConstantMemory(mlir::ModuleOp module) : module(module) {}

  /// Whether no work that may be queued ahead of a kernel writes the memory, so that the kernel may read it before that
  /// work has finished: an argument that neither its function nor what that calls or launches writes, and whose callers
  /// pass such memory or say so (`device.constant`); a constant global; an upload from the host. The host's own stores,
  /// memref.copy and frees do not count, as they are done when the next kernel starts; a gpu.memcpy does. False for
  /// memory of other origin, which may have aliases. False also for arguments of a function that nothing in the module
  /// calls or that a library exports, which may get any memory.
  bool isNeverWritten(mlir::Value memref);

private:
  friend class ConstantSearch;
  llvm::ArrayRef<mlir::func::CallOp> callsOf(mlir::func::FuncOp function);

  mlir::ModuleOp module;
  mlir::SymbolTableCollection symbols; ///< A search for each name would take time that grows with the program.
  std::optional<llvm::DenseMap<mlir::StringAttr, llvm::SmallVector<mlir::func::CallOp>>> calls;
};

/// Sets `constant_weights` of the function's nn ops whose weights are never written.
void markConstantWeights(mlir::func::FuncOp function, ConstantMemory &memory);
} // namespace lispier
#endif
