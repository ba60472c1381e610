//===- MemoryOrigins.h - which memory a value is in ------------*- C++ -*-===//
#ifndef LISPIER_BUFFERS_MEMORYORIGINS_H
#define LISPIER_BUFFERS_MEMORYORIGINS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace lispier {
/// Which memory memrefs, pointers and tensors are views of, and which ops write it. Two allocations do not overlap, nor
/// do parts of one at constant places beside each other, nor one that the function makes and an argument. Two arguments
/// may, where a call passes memory that may, or where nothing in the module calls the function. A call writes memrefs
/// and pointers that it gets, unless the callee is in the module and does not. Pointers that lie in memory are not
/// followed: two that are loaded from different places, or returned by different functions, are taken for different
/// memory.
class MemoryOrigins {
public:
  /// Without a module, the analysis sees one function at a time, and takes arguments not to overlap each other.
  explicit MemoryOrigins(mlir::ModuleOp module = {}) : module(module) {}

  /// The values that make the memory of which `value` may be a view: allocations, arguments, calls ...
  llvm::SmallVector<mlir::Value> of(mlir::Value value);
  bool mayOverlap(mlir::Value a, mlir::Value b);
  /// The tensors read of memory of which `tensor` may be a view, or a later version in its place.
  llvm::SmallVector<mlir::Value> readsOf(mlir::Value tensor);
  /// The memrefs and pointers whose memory the op itself may write, or free; not what ops of its regions write.
  llvm::SmallVector<mlir::Value> writtenBy(mlir::Operation *op);
  /// Whether the op, or an op in its regions, may write the memory.
  bool mayWrite(mlir::Operation &op, mlir::Value memory);

private:
  enum class Kind { Nothing, Allocation, Argument, Global, Unknown };
  /// What a function writes beside memory of its own.
  struct Writes {
    llvm::SmallDenseSet<unsigned, 4> arguments;
    llvm::SmallVector<mlir::Value> globals; ///< By ops that name them.
  };

  /// What a function returns as one of its results.
  struct Returned {
    llvm::SmallDenseSet<unsigned, 4> arguments;
    bool isNew = false; ///< Also memory that it allocates.
    bool isUnknown = false;
  };

  Kind kindOf(mlir::Value root);
  llvm::SmallVector<mlir::Value> sourcesOf(mlir::Value value);
  bool areApart(mlir::Value a, mlir::Value b);
  bool rootsOverlap(mlir::Value a, mlir::Value b);
  bool argumentsOverlap(mlir::BlockArgument a, mlir::BlockArgument b);
  bool escapes(mlir::Value root);
  const Writes *writesOf(mlir::Operation *callee);
  const Returned *returnedBy(mlir::OpResult result);
  llvm::ArrayRef<mlir::func::CallOp> callsOf(mlir::func::FuncOp function);

  mlir::ModuleOp module;
  mlir::SymbolTableCollection symbols;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value>> origins;
  llvm::DenseMap<mlir::Value, bool> escaping;
  llvm::DenseMap<std::pair<mlir::Value, mlir::Value>, bool> overlapping; ///< Of arguments.
  llvm::DenseMap<mlir::Operation *, std::unique_ptr<Writes>> writes;
  llvm::DenseMap<std::pair<mlir::Operation *, unsigned>, std::unique_ptr<Returned>> returns;
  std::optional<llvm::DenseMap<mlir::StringAttr, llvm::SmallVector<mlir::func::CallOp>>> calls;
};

/// Calls `visit` with each value that may be the operand's memory, or a part of it: views, values that branches pass
/// on, and addresses.
void forEachAlias(mlir::OpOperand &operand, llvm::function_ref<void(mlir::Value)> visit);
} // namespace lispier
#endif
